"""Who may read a result, whose name is in it, and whether it holds pictures."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import haustra
from haustra.core.files import read_json
from haustra.results.folder import LOG, OBSERVATIONS, OVERLAY, REPORT

NAME = "Mueller_Anna_1950"
FAST: dict[str, Any] = {"withdrawal_start": 0, "quality": "none", "threads": 1, "quiet": True}


@pytest.fixture
def patient(clip: Path, tmp_path: Path) -> Path:
    """A recording that is named as patients are."""
    (tmp_path / "archive").mkdir()
    return Path(shutil.copy(clip, tmp_path / "archive" / f"{NAME}.mp4"))


@pytest.fixture
def umask_022() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def holding(folder: Path, text: str) -> list[str]:
    """Files with a text in their name or contents."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if text in path.name or text.encode() in path.read_bytes()]


def pictures_in(folder: Path) -> dict[str, bool]:
    with np.load(folder / OBSERVATIONS, allow_pickle=False) as arrays:
        thumbnails = len(arrays["thumbnail"]) > 0
    strip = "data:image/jpeg" in (folder / REPORT).read_text(encoding="utf-8")
    return {"thumbnails": thumbnails, "strip": strip, "overlay": (folder / OVERLAY).exists()}


def test_an_id_stands_for_the_name_of_the_recording_everywhere(
    patient: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "haustra")
    out = tmp_path / "out"
    result = haustra.locate(patient, out=out, id="P-007", overlay=False, **FAST)
    assert result.summary["recording"]["name"] == "P-007"
    haustra_export(out)
    assert holding(out, NAME) == []
    haustra.locate(patient, out=out, overlay=False, **FAST)
    assert read_json(out / "summary.json")["recording"]["name"] == patient.name, "another name is another result"


def haustra_export(out: Path) -> None:
    from haustra.exchange.export import export

    for name in ("csv", "elan", "webvtt", "labelstudio", "cvat"):
        assert "P-007" in export(out, name).name


def test_parts_are_numbered_and_the_folder_has_the_id(
    patient: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    second = Path(shutil.copy(patient, patient.with_name(f"{NAME}-b.mp4")))
    haustra.locate([patient, second], id="P-007", overlay=False, **FAST)
    out = tmp_path / "P-007-haustra"
    summary = read_json(out / "summary.json")["recording"]
    assert (summary["name"], [part["name"] for part in summary["parts"]]) == ("P-007", ["P-007-1", "P-007-2"])
    assert holding(out, NAME) == []


def test_what_stops_a_run_is_logged_without_the_name(
    patient: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unplugged(*_: object, **__: object) -> None:
        raise haustra.HaustraError(f"{patient} cannot be read: {patient.name} is gone")

    monkeypatch.setattr("haustra.pipeline.write_result", unplugged)
    with pytest.raises(haustra.HaustraError, match=NAME):  # on the screen of whoever named it
        haustra.locate(patient, out=tmp_path / "out", id="P-007", overlay=False, **FAST)
    assert "P-007 cannot be read: P-007 is gone" in (tmp_path / "out" / LOG).read_text(encoding="utf-8")
    assert holding(tmp_path / "out", NAME) == []


@pytest.mark.parametrize("name", ["../P", "P 007", "", "-x", "P" * 101])
def test_an_id_is_a_name_that_may_be_a_folder(name: str, patient: Path) -> None:
    with pytest.raises(haustra.HaustraError, match=r"--id: the id .* is not possible"):
        haustra.locate(patient, id=name)


def test_without_pictures_none_is_left_and_with_them_all_are_there(patient: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    bare = haustra.locate(patient, out=out, pictures=False, **FAST)
    assert pictures_in(out) == {"thumbnails": False, "strip": False, "overlay": False}
    again = haustra.locate(patient, out=out, **FAST)
    assert again.frames.equals(bare.frames)
    assert (pictures_in(out)["thumbnails"], pictures_in(out)["overlay"]) == (True, True)
    haustra.locate(patient, out=out, pictures=False, **FAST)
    assert not any(pictures_in(out).values())


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
@pytest.mark.usefixtures("umask_022")
@pytest.mark.parametrize(("share", "modes"), [(False, {0o600, 0o700}), (True, {0o644, 0o755})])
def test_a_result_is_the_users_alone_unless_shared(share: bool, modes: set[int], patient: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    haustra.locate(patient, out=out, share=share, overlay=False, **FAST)
    assert {path.stat().st_mode & 0o777 for path in (out, *out.rglob("*"))} == modes


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such name")
def test_a_name_that_is_not_utf8_is_as_good_as_any(clip: Path, tmp_path: Path) -> None:
    recording = tmp_path / os.fsdecode(b"caf\xe9.mp4")
    shutil.copy(clip, recording)
    out = tmp_path / os.fsdecode(b"r\xe9sultat")
    haustra.locate(recording, out=out, overlay=False, **FAST)
    assert read_json(out / "summary.json")["recording"]["name"] == "caf\N{REPLACEMENT CHARACTER}.mp4"
    haustra_map(out, tmp_path)


def haustra_map(out: Path, folder: Path) -> None:
    from haustra.exchange.export import export
    from haustra.findings_map import map_result

    findings = folder / os.fsdecode(b"f\xe9.csv")
    findings.write_text("time_s,label\n1,polyp\n")
    assert map_result(out, findings, folder / os.fsdecode(b"m\xe9"))["findings"] == 1
    assert export(out, "csv").is_file()
