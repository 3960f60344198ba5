"""One lens from several recordings, by the command."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from haustra.camera.jsonfile import read_camera
from haustra.camera.rim import picture_rim
from haustra.camera.self_calibration import estimate
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.demo import DEMO
from haustra.video import find_picture, open_recording

VIDEO = str(DEMO / "video.mp4")


def test_two_recordings_give_one_lens_and_a_picture_to_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "BURSTS", 25)
    out = tmp_path / "camera.json"
    result = CliRunner().invoke(app, ["calibrate", "--from-recordings", VIDEO, VIDEO, "-o", str(out), "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert 130 < found["angle_deg"] < 175
    assert found["pairs"] > 30  # of both: one alone has fewer
    camera = read_camera(out)
    rim = picture_rim(find_picture(open_recording(VIDEO)).mask)
    ray = camera.unproject(np.array([[camera.center[0] + rim.radius, camera.center[1]]]))[0]
    at_rim = np.degrees(np.arctan2(np.hypot(ray[0], ray[1]), ray[2]))
    assert at_rim == pytest.approx(0.5 * found["angle_deg"], abs=1.0)
    shown = cv2.imread(str(out.with_suffix(".png")))
    assert shown is not None
    assert shown.std() > 20


def test_another_layout_and_too_little_motion_are_refused(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(60, 200, (120, 160, 3), np.uint8)
    for k in range(30):
        cv2.imwrite(str(tmp_path / f"{k:03d}.png"), picture)
    still, out = str(tmp_path), tmp_path / "camera.json"
    for recordings, said in (([VIDEO, still], "another layout"), ([still], "say too little")):
        ran = CliRunner().invoke(app, ["calibrate", "--from-recordings", *recordings, "--fps", "15", "-o", str(out)])
        assert isinstance(ran.exception, HaustraError)
        assert said in str(ran.exception)
        assert not out.exists()


def test_boards_and_recordings_do_not_mix() -> None:
    for arguments, said in (
        (["--from-recordings", "--board", "7x6", VIDEO], "needs no board"),
        ([VIDEO], "--board and --square"),
    ):
        ran = CliRunner().invoke(app, ["calibrate", *arguments])
        assert isinstance(ran.exception, HaustraError)
        assert said in str(ran.exception)
