"""A run is a value: what is reused belongs to it, and nothing that is not ours is written over."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import polars as pl
import pytest
from clips import cut

import haustra
from haustra import pipeline
from haustra.anatomy.parameters import AnatomyParameters
from haustra.core.locks import locked
from haustra.identity import parameters
from haustra.results import run
from haustra.results.folder import OUTPUTS
from haustra.video import open_recording

QUICK: dict[str, Any] = {"withdrawal_start": 0, "overlay": False, "quality": "none", "threads": 1}


def pictures(folder: Path, seed: int) -> Path:
    """A folder of pictures; all seeds give the same names and the same sizes in bytes."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(seed)
    wall = cv2.GaussianBlur(rng.integers(40, 220, (72, 120, 3), dtype=np.uint8), (0, 0), 2)
    for number in range(12):
        shown = np.ascontiguousarray(wall[:64, 3 * number : 3 * number + 64])
        cv2.imwrite(str(folder / f"{number:03d}.bmp"), shown)
    return folder


def interrupted(monkeypatch: pytest.MonkeyPatch, after: int, video: Path, **options: Any) -> None:
    """A run that is stopped when it wants to keep chunk number `after`."""
    saved, kept = [], np.savez

    def save(*arguments: Any, **arrays: Any) -> None:
        saved.append(1)
        if len(saved) > after:
            raise KeyboardInterrupt
        kept(*arguments, **arrays)

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", save)
        with pytest.raises(KeyboardInterrupt):
            haustra.locate(video, **options)


@pytest.fixture
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("haustra.quality.samples.CHUNK_S", 1.0)


@pytest.fixture(scope="module")
def longer(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five seconds: five chunks where they are short."""
    return cut(demo / "video.mp4", tmp_path_factory.mktemp("longer") / "longer.mp4", 5.0, 96)


def test_other_pictures_of_the_same_names_and_sizes_are_another_recording(tmp_path: Path) -> None:
    first, second = pictures(tmp_path / "a", 1), pictures(tmp_path / "b", 2)
    assert [p.stat().st_size for p in sorted(first.iterdir())] == [p.stat().st_size for p in sorted(second.iterdir())]
    haustra.locate(first, fps=15, out=tmp_path / "out", **QUICK)
    shutil.rmtree(first)
    second.rename(first)
    with pytest.raises(haustra.HaustraError, match="another recording"):
        haustra.locate(first, fps=15, out=tmp_path / "out", **QUICK)


def test_a_video_changed_in_its_middle_is_another_recording(tmp_path: Path) -> None:
    """Same name, same length, same first and last megabyte: one picture in the middle is another patient's."""
    video, rng = tmp_path / "case.avi", np.random.default_rng(0)
    wall = cv2.GaussianBlur(rng.integers(40, 220, (256, 320, 3), dtype=np.uint8), (0, 0), 4)
    with av.open(str(video), "w") as made:
        stream = made.add_stream("rawvideo", rate=15)
        stream.width, stream.height, stream.pix_fmt = 256, 256, "yuv420p"
        for number in range(40):
            picture = np.ascontiguousarray(wall[:, number : number + 256])
            made.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        made.mux(stream.encode(None))
    content = bytearray(video.read_bytes())
    middle, megabyte = len(content) // 2, 1 << 20
    assert megabyte < middle - 20_000
    haustra.locate(video, out=tmp_path / "out", **QUICK)
    table = (tmp_path / "out" / "frames.parquet").read_bytes()
    content[middle : middle + 20_000] = rng.bytes(20_000)
    video.write_bytes(content)
    with pytest.raises(haustra.HaustraError, match="another recording"):
        haustra.locate(video, out=tmp_path / "out", **QUICK)
    haustra.locate(video, out=tmp_path / "other", **QUICK)
    assert (tmp_path / "other" / "frames.parquet").read_bytes() != table


@pytest.mark.usefixtures("short_chunks")
def test_two_killed_runs_with_other_options_do_not_mix(
    longer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both wrote into one folder; what the second left is of no use to the first, wherever it lies."""
    alone = haustra.locate(longer, out=tmp_path / "alone", **QUICK)
    out = tmp_path / "out"
    interrupted(monkeypatch, 1, longer, out=out, **QUICK)
    first = (out / ".work" / "chunk-000000.npz").read_bytes()
    interrupted(monkeypatch, 3, longer, out=out, **QUICK, flow="farneback")
    (out / ".work" / "chunk-000000.npz").write_bytes(first)
    mixed = haustra.locate(longer, out=out, **QUICK)
    assert mixed.frames.equals(alone.frames)


def test_a_folder_in_use_is_refused_in_one_line(clip: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    haustra.locate(clip, out=out, **QUICK)
    with locked(out / "haustra.log", "never"):
        code = "import sys, haustra; haustra.locate(sys.argv[1], out=sys.argv[2], withdrawal_start=0.5, quality='none')"
        other = subprocess.run([sys.executable, "-c", code, str(clip), str(out)], capture_output=True, text=True)
    assert "in use by another run" in other.stderr.splitlines()[-1]
    assert haustra.locate(clip, out=out, **QUICK).frames.height, "the lock goes with its process"


@pytest.mark.usefixtures("short_chunks")
def test_a_resumed_run_knows_the_damage_and_gives_the_same_frames(
    longer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(longer.read_bytes())
    rng = np.random.default_rng(5)
    begin = content.index(b"mdat")
    length = len(content) - begin
    for at in rng.integers(begin + int(0.12 * length), begin + length // 2, 10):
        content[at : at + 60] = rng.bytes(60)
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(content)
    whole = haustra.locate(broken, out=tmp_path / "whole", **QUICK)
    assert any("corrupt" in line for line in whole.summary["warnings"])
    for after in (2, 3):
        out = tmp_path / f"stopped{after}"
        interrupted(monkeypatch, after, broken, out=out, **QUICK)
        resumed = haustra.locate(broken, out=out, **QUICK)
        assert resumed.summary["warnings"] == whole.summary["warnings"]
        assert resumed.frames.equals(whole.frames)


@pytest.mark.parametrize("change", ["version", "parameters", "library"])
def test_an_upgrade_makes_results_anew(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, change: str
) -> None:
    haustra.locate(clip, out=tmp_path / "out", **QUICK)
    before = (tmp_path / "out" / "manifest.json").read_bytes()
    made = run.Run

    def upgraded(**parts: Any) -> run.Run:
        newer = {"version": {"haustra": "99.0"}, "parameters": {"parameters": {"path": {"smoothing_s": 99.0}}}}
        return made(**parts | newer.get(change, {"libraries": {"av": "99.0"}}))

    monkeypatch.setattr("haustra.identity.Run", upgraded)
    haustra.locate(clip, out=tmp_path / "out", **QUICK)
    assert (tmp_path / "out" / "manifest.json").read_bytes() != before
    assert len([r for r in caplog.records if "replaced" in r.message]) == 1


def test_every_stage_with_tuned_numbers_has_them_in_the_identity() -> None:
    package = Path(haustra.__file__).parent
    assert set(parameters()) == {file.parent.name for file in package.glob("*/parameters.py")}
    other = replace(AnatomyParameters().decoder, shortest_stay_s=1.0)
    assert parameters(anatomy=replace(AnatomyParameters(), decoder=other)) != parameters()


def test_another_template_reads_nothing_again(clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = haustra.locate(clip, out=tmp_path / "out", **QUICK)
    monkeypatch.setattr("haustra.pipeline.observe", None)
    second = haustra.locate(clip, out=tmp_path / "out", template="paper-set3", **QUICK)
    assert second.frames["location_index"].equals(first.frames["location_index"])
    assert haustra.open(tmp_path / "out").template.name == "paper-set3"


def test_an_old_overlay_does_not_stay_beside_new_tables(clip: Path, tmp_path: Path) -> None:
    haustra.locate(clip, out=tmp_path / "out", **QUICK | {"overlay": True})
    assert (tmp_path / "out" / "overlay.mp4").is_file()
    haustra.locate(clip, out=tmp_path / "out", **QUICK | {"withdrawal_start": 0.5})
    assert not (tmp_path / "out" / "overlay.mp4").exists()


@pytest.mark.parametrize("name", sorted({*OUTPUTS} - {"manifest.json", "summary.json"}))
def test_a_file_that_was_emptied_is_made_anew(clip: Path, tmp_path: Path, name: str) -> None:
    wanted = QUICK | {"overlay": name == "overlay.mp4"}
    haustra.locate(clip, out=tmp_path / "out", **wanted)
    before = (tmp_path / "out" / name).read_bytes()
    (tmp_path / "out" / name).write_bytes(b"")
    haustra.locate(clip, out=tmp_path / "out", **wanted)
    assert (tmp_path / "out" / name).read_bytes() == before


def test_the_manifest_proves_every_file_and_the_summary_names_the_run(clip: Path, tmp_path: Path) -> None:
    located = haustra.locate(clip, out=tmp_path / "out", **QUICK)
    manifest = json.loads((located.folder / "manifest.json").read_text())
    assert manifest["run"] == located.summary["run"]["digest"]
    files = {path.name for path in located.folder.iterdir()} - {"manifest.json", "haustra.log"}
    assert set(manifest["files"]) == files
    assert {"onnxruntime", "opencv", "av"} == set(located.summary["run"]["libraries"])
    assert located.summary["run"]["recording"] == run.recording_digest(clip)
    assert located.summary["run"]["reading"]["picture"] == located.summary["recording"]["picture"]


def test_another_picture_in_the_frame_is_another_run(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the picture lies is found, not given: a better finder makes another result."""
    first = haustra.locate(clip, out=tmp_path / "out", **QUICK)
    found = pipeline.find_picture(open_recording(clip))
    masked = replace(found, mask=found.mask & (np.arange(found.mask.shape[1]) > 20))
    monkeypatch.setattr(pipeline, "find_picture", lambda _: masked)
    second = haustra.locate(clip, out=tmp_path / "out", **QUICK)
    assert second.summary["run"]["observed"] != first.summary["run"]["observed"]
    assert not second.frames.equals(first.frames)


def test_the_recording_is_never_written_over(clip: Path, tmp_path: Path) -> None:
    """The overlay of an earlier result, located into the folder it lies in."""
    some = tmp_path / "some"
    haustra.locate(clip, out=some, **QUICK | {"overlay": True})
    before = (some / "overlay.mp4").read_bytes()
    with pytest.raises(haustra.HaustraError, match="written over"):
        haustra.locate(some / "overlay.mp4", out=some, **QUICK)
    assert (some / "overlay.mp4").read_bytes() == before
    folder = pictures(tmp_path / "pictures", 1)
    with pytest.raises(haustra.HaustraError, match="written over"):
        haustra.locate(folder, fps=15, out=folder, **QUICK)


@pytest.mark.parametrize("name", ["frames.csv", "notes.txt", ".work/thesis.tex", "summary.json"])
def test_a_folder_that_is_not_ours_is_refused(clip: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("{}" if name.endswith("json") else "years of work")
    with pytest.raises(haustra.HaustraError, match="not ours"):
        haustra.locate(clip, out=out, **QUICK)
    assert [path.name for path in out.rglob("*") if path.is_file()] == [Path(name).name]
    assert "\n" not in (out / name).read_text()


def test_a_foreign_work_folder_beside_our_result_is_refused(clip: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    haustra.locate(clip, out=out, **QUICK)
    (out / ".work").mkdir()
    (out / ".work" / "thesis.tex").write_text("years of work")
    with pytest.raises(haustra.HaustraError, match="not ours"):
        haustra.locate(clip, out=out, **QUICK | {"withdrawal_start": 0.5})
    assert (out / ".work" / "thesis.tex").is_file()


def test_what_a_user_puts_beside_our_result_stays(clip: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    haustra.locate(clip, out=out, **QUICK)
    (out / "annotations.json").write_text("{}")
    haustra.locate(clip, out=out, **QUICK | {"withdrawal_start": 0.5})
    assert (out / "annotations.json").is_file()


def test_a_result_opens_with_its_own_template_camera_and_options(located: haustra.Localization, demo: Path) -> None:
    opened = haustra.open(located.folder)
    assert opened.frames.equals(located.frames)
    assert opened.summary == located.summary
    assert opened.template.name == "paper-set2"
    camera = json.loads((demo / "camera.json").read_text())
    assert opened.camera is not None
    assert opened.camera.coefficients[0] == pytest.approx(camera["coefficients"][0], rel=0.2)
    assert opened.options["withdrawal_start"] == 0
    with pytest.raises(haustra.HaustraError, match="not a result folder"):
        haustra.open(demo)
    assert isinstance(opened.frames, pl.DataFrame)
