"""Interlaced recordings are recognised and come whole; progressive ones come as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner
from video_files import write_video

from haustra.cli.commands import app
from haustra.video import open_recording
from haustra.video.deinterlace import COMBED_RATIO, _combs, is_interlaced

WIDTH, HEIGHT = 320, 240


def scene(half_frame: int) -> np.ndarray:
    """Soft blobs that wander by some pixels from field to field."""
    random = np.random.default_rng(3)
    field = cv2.GaussianBlur(random.uniform(0, 1, (HEIGHT + 200, WIDTH + 400)).astype(np.float32), (0, 0), 6)
    field = cv2.normalize(field, None, 40, 230, cv2.NORM_MINMAX)
    left = 200 + round(150 * np.sin(half_frame / 12))
    view = field[100 : 100 + HEIGHT, left : left + WIDTH]
    return np.stack([view, 0.6 * view, 0.5 * view], axis=-1).astype(np.uint8)


def progressive(number: int) -> np.ndarray:
    return scene(2 * number)


def interlaced(number: int) -> np.ndarray:
    frame = scene(2 * number)
    frame[1::2] = scene(2 * number + 1)[1::2]
    return frame


def record(tmp_path: Path, paint: Callable[[int], np.ndarray], *, gop: int = 4) -> Path:
    return write_video(tmp_path / "a.mkv", 40, fps=25, paint=paint, gop=gop)


def combs(image: np.ndarray) -> float:
    upright, lying = _combs(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))
    return upright / max(lying, 1e-3)


@pytest.mark.parametrize("gop", [4, 100])
def test_combs_tell_an_interlaced_recording(tmp_path: Path, gop: int) -> None:
    assert open_recording(record(tmp_path, interlaced, gop=gop)).interlaced
    assert not open_recording(record(tmp_path, progressive, gop=gop)).interlaced


def test_the_flag_of_the_stream_is_believed() -> None:
    assert is_interlaced([SimpleNamespace(interlaced_frame=True)])
    assert not is_interlaced([])


def test_frames_come_whole_at_the_same_times(tmp_path: Path) -> None:
    recording = open_recording(record(tmp_path, interlaced))
    frames = list(recording.frames(rate_hz=None))
    assert [frame.time_s for frame in frames] == pytest.approx(np.arange(40) / 25)
    assert max(combs(interlaced(n)) for n in (5, 25)) > 2 * COMBED_RATIO
    for number in (0, 5, 25, 39):
        assert combs(frames[number].image) < 1.5
        error = np.abs(frames[number].image.astype(int) - scene(2 * number)).mean()
        assert error < np.abs(interlaced(number).astype(int) - scene(2 * number)).mean() * 0.75


def test_a_reading_that_begins_later_gives_the_same_frames(tmp_path: Path) -> None:
    recording = open_recording(record(tmp_path, interlaced))
    whole = {frame.time_s: frame.image for frame in recording.frames(rate_hz=15)}
    part = list(recording.frames(rate_hz=15, start_s=1.0))
    assert len(part) > 5
    assert all(np.array_equal(whole[frame.time_s], frame.image) for frame in part)


def test_stills_and_pictures_of_a_folder_come_whole(tmp_path: Path) -> None:
    assert all(combs(image) < 1.5 for _, image in open_recording(record(tmp_path, interlaced)).stills(8))
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(12):
        cv2.imwrite(str(folder / f"{number}.png"), cv2.cvtColor(interlaced(5 * number), cv2.COLOR_RGB2BGR))
    recording = open_recording(folder, fps=15)
    assert recording.interlaced
    images = [frame.image for frame in recording.frames()]
    assert images[0].shape == (HEIGHT, WIDTH, 3)
    assert max(map(combs, images)) < 1.5


@pytest.mark.parametrize(("paint", "is_interlaced"), [(interlaced, True), (progressive, False)])
def test_info_says_so(tmp_path: Path, paint: Callable[[int], np.ndarray], is_interlaced: bool) -> None:
    path = str(record(tmp_path, paint))
    assert json.loads(CliRunner().invoke(app, ["info", path, "--json"]).stdout)["interlaced"] is is_interlaced
    assert ("deinterlaced" in CliRunner().invoke(app, ["info", path]).stdout) is is_interlaced


@pytest.mark.parametrize(("name", "is_interlaced"), [("seq4", True), ("seq7", True), ("seq9", False), ("seq20", False)])
def test_real_recorders(shared_data: Path, name: str, is_interlaced: bool) -> None:
    assert open_recording(shared_data / "real-sequences" / name, fps=15).interlaced is is_interlaced
