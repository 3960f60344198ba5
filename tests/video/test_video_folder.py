"""A folder of numbered pictures as a recording."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from video_files import number_of, numbered

from haustra.core.errors import HaustraError
from haustra.video import Problems, find_picture, open_recording


def write_pictures(folder: Path, count: int, suffix: str = ".png") -> Path:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        cv2.imwrite(str(folder / f"frame_{number}{suffix}"), numbered(number)[:, :, ::-1])
    return folder


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".bmp", ".tif"])
def test_pictures_come_in_the_order_of_their_numbers(tmp_path: Path, suffix: str) -> None:
    recording = open_recording(write_pictures(tmp_path / "größe 100%d: x", 25, suffix), fps=15)
    frames = list(recording.frames())
    assert [number_of(f.image) for f in frames] == list(range(25))
    assert [f.time_s for f in frames] == pytest.approx([k / 15 for k in range(25)])
    assert frames[0].image[-5, 5] == pytest.approx([20, 20, 180], abs=6), "RGB, not BGR"
    assert recording.duration_s == pytest.approx(25 / 15)


def test_sampling_starting_and_sizes_work_as_for_a_video(tmp_path: Path) -> None:
    recording = open_recording(write_pictures(tmp_path / "a", 60), fps=30)
    assert [number_of(f.image) for f in recording.frames(start_s=1.0)] == list(range(30, 60, 2))
    assert next(recording.frames(size=(64, 48))).image.shape == (48, 64, 3)
    with pytest.raises(HaustraError, match="past the end"):
        list(recording.frames(start_s=2.5))


def test_a_folder_needs_fps_and_pictures(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="--fps"):
        open_recording(write_pictures(tmp_path / "a", 2))
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("x")
    for fps in (None, 15):
        with pytest.raises(HaustraError, match="no pictures"):
            open_recording(tmp_path / "texts", fps=fps)
    with pytest.raises(HaustraError, match="above 0"):
        open_recording(tmp_path / "a", fps=0)


def test_a_picture_of_another_size_is_scaled_and_told(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "a", 6)
    cv2.imwrite(str(folder / "frame_3.png"), numbered(3, (256, 192))[:, :, ::-1])
    recording = open_recording(folder, fps=15)
    problems = Problems()
    frames = list(recording.frames(problems=problems))
    assert {f.image.shape for f in frames} == {(96, 128, 3)}
    assert [number_of(f.image) for f in frames] == list(range(6))
    assert problems.lines == ["the frame size changes to 256x192 near 00:00: scaled to 128x96"]


def test_a_broken_picture_is_left_out_and_told(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "a", 6)
    (folder / "frame_2.png").write_bytes(b"not a picture")
    recording = open_recording(folder, fps=15)
    problems = Problems()
    assert [number_of(f.image) for f in recording.frames(problems=problems)] == [0, 1, 3, 4, 5]
    assert problems.lines == ["picture 3 of 6 cannot be read and is left out"]


def test_real_stills_show_an_octagon(shared_data: Path) -> None:
    picture = find_picture(open_recording(shared_data / "kvasir-seg-train", fps=15))
    assert picture.box.width > 330
    assert picture.box.height > 330
    corners = picture.mask[[5, 5, -5, -5], [5, -5, 5, -5]]
    assert not corners.any()
    assert picture.mask[np.ix_([60, 176, 290], [60, 176, 290])].all()
    assert 0.85 < picture.mask.mean() < 0.97
