"""`haustra doctor`, `haustra open`, `haustra cameras`."""

from __future__ import annotations

import json
import shutil
import webbrowser
from pathlib import Path

import pytest
from typer.testing import CliRunner

import haustra
from haustra import doctor
from haustra.camera import load_camera
from haustra.cli.commands import app
from haustra.results.run import file_digest

WEIGHTS = Path(haustra.__file__).parent / "weights"


def found(name: str) -> doctor.Check:
    return next(check for check in doctor.examine(Path.cwd()) if check.name == name)


@pytest.fixture
def no_self_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_self_test", lambda: doctor.Check("self-test", "left out"))


def test_this_installation_is_well() -> None:
    ended = CliRunner().invoke(app, ["doctor", "--json"])
    said = json.loads(ended.stdout)
    assert ended.exit_code == 0, said
    assert said["ok"]
    assert [check["name"] for check in said["checks"]][-1] == "self-test"
    assert "15 frames of the bundled recording located" in said["checks"][-1]["found"]


def test_the_shipped_sums_are_those_of_the_files() -> None:
    """After a change of a model: `cd src/haustra/weights && sha256sum *.onnx > SHA256SUMS`."""
    lines = [f"{file_digest(path)}  {path.name}" for path in sorted(WEIGHTS.glob("*.onnx"))]
    assert (WEIGHTS / doctor.SUMS).read_text().splitlines() == lines


@pytest.mark.usefixtures("no_self_test")
def test_a_damaged_and_a_missing_model_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(WEIGHTS, tmp_path / "weights")
    monkeypatch.setattr(doctor, "files", lambda _: tmp_path)
    content = bytearray((tmp_path / "weights" / "cecum.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "weights" / "cecum.onnx").write_bytes(content)
    (tmp_path / "weights" / "bends.onnx").unlink()
    check = found("models")
    assert not check.ok
    assert check.found == "damaged or missing: bends.onnx, cecum.onnx; install haustra again"
    ended = CliRunner().invoke(app, ["doctor"])
    assert ended.exit_code == 2
    assert "models     BAD damaged" in ended.stdout


@pytest.mark.usefixtures("no_self_test")
def test_what_cannot_be_asked_is_a_result_and_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "ENCODER", "libnothing")
    assert "overlays cannot be written" in found("codecs").found
    monkeypatch.setattr(doctor, "_libraries", lambda: 1 / 0)
    assert found("libraries") == doctor.Check("libraries", "ZeroDivisionError: division by zero", ok=False)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: (1, 1, 1000))
    assert not found("disk").ok


def test_open_shows_the_report_or_the_overview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    for name in ("report.html", "index.html"):
        folder = tmp_path / f"with {name}"
        folder.mkdir()
        (folder / name).write_text("")
        ended = CliRunner().invoke(app, ["open", str(folder)])
        assert (ended.exit_code, ended.stdout) == (0, f"{folder / name}\n")
        assert opened[-1] == (folder / name).as_uri()
    refused = CliRunner().invoke(app, ["open", str(tmp_path)])
    assert "it has no report.html" in str(refused.exception)
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert "no browser was found" in CliRunner().invoke(app, ["open", str(folder)]).stdout


def test_cameras_lists_what_the_option_takes() -> None:
    listed = json.loads(CliRunner().invoke(app, ["cameras", "--json"]).stdout)["cameras"]
    names = [camera["name"] for camera in listed]
    assert {"generic", "auto", "olympus-cf-hq190l"} <= set(names)
    for name in names:
        if name != "auto":
            assert load_camera(name).width > 0
    shown = CliRunner().invoke(app, ["cameras"]).stdout
    assert all(camera["name"] in shown and camera["source"] in shown for camera in listed)
