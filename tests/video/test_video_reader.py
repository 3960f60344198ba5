"""Frames by time stamps out of every container, from any start, in any size."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from video_files import number_of, numbered, write_video

from haustra.core.errors import HaustraError
from haustra.video import Box, Frame, Problems, open_recording

CONTAINERS = [".mp4", ".mkv", ".mov", ".avi", ".mpg", ".ts"]


@pytest.fixture(scope="module", params=CONTAINERS)
def container(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("containers") / f"a{request.param}", 150)


def same(left: list[Frame], right: list[Frame]) -> bool:
    return [f.time_s for f in left] == [f.time_s for f in right] and all(
        np.array_equal(a.image, b.image) for a, b in zip(left, right, strict=True)
    )


def test_every_container_gives_every_second_frame_of_30_at_15_hz(container: Path) -> None:
    recording = open_recording(container)
    problems = Problems()
    frames = list(recording.frames(problems=problems))
    assert (recording.width, recording.height) == (128, 96)
    # A program stream states no length: it is taken from the last stamp, which many small frames may share.
    assert recording.duration_s == pytest.approx(5.0, abs=0.6 if container.suffix == ".mpg" else 0.1)
    assert recording.frame_rate == pytest.approx(30.0, abs=0.1)
    assert [number_of(f.image) for f in frames] == list(range(0, 150, 2))
    assert [f.time_s for f in frames] == pytest.approx([k / 15 for k in range(75)], abs=1e-3)
    assert [f.index for f in frames] == list(range(75))
    assert problems.lines == []


def test_starting_later_gives_the_same_samples(container: Path) -> None:
    recording = open_recording(container)
    everything = list(recording.frames())
    for start_s in (0.01, 0.4, 1.0, 2.0, 2.717, 3.9, 4.5):
        part = list(recording.frames(start_s=start_s))
        assert same(part, [f for f in everything if f.time_s >= start_s]), start_s
        assert part[0].index == 0


def test_the_end_is_left_out(container: Path) -> None:
    frames = list(open_recording(container).frames(start_s=1.0, end_s=2.0))
    assert [number_of(f.image) for f in frames] == list(range(30, 60, 2))


def test_every_frame_without_a_rate(container: Path) -> None:
    assert [number_of(f.image) for f in open_recording(container).frames(rate_hz=None)] == list(range(150))


def test_variable_frame_rate_is_sampled_by_stamps(tmp_path: Path) -> None:
    dense = list(range(0, 1000, 20))  # 50 a second, then 5 a second, then 25
    times_ms = dense + list(range(1000, 3000, 200)) + list(range(3000, 4000, 40))
    recording = open_recording(write_video(tmp_path / "vfr.mkv", times_ms=times_ms))
    frames = list(recording.frames())
    assert [times_ms[number_of(f.image)] / 1000 for f in frames] == pytest.approx([f.time_s for f in frames])
    assert [f.time_s for f in frames if 1 <= f.time_s < 3] == pytest.approx(np.arange(1, 3, 0.2))
    assert sum(f.time_s < 1 for f in frames) == 15
    assert same(list(recording.frames(start_s=1.1)), [f for f in frames if f.time_s >= 1.1])


def test_a_start_stamp_above_zero_becomes_zero(tmp_path: Path) -> None:
    path = write_video(tmp_path / "late.mkv", times_ms=[5000 + round(k * 1000 / 30) for k in range(60)])
    recording = open_recording(path)
    frames = list(recording.frames())
    assert recording.start_time_s == pytest.approx(5.0)
    assert frames[0].time_s == 0.0
    assert frames[-1].time_s == pytest.approx(29 / 15, abs=2e-3)
    assert [number_of(f.image) for f in recording.frames(start_s=1.0)] == list(range(30, 60, 2))


@pytest.mark.parametrize("name", ["raw.h264", "raw.m2v"])
def test_a_raw_stream_without_stamps_follows_its_own_rate_or_the_users(tmp_path: Path, name: str) -> None:
    path = write_video(tmp_path / name, codec="mpeg2video" if name.endswith("m2v") else None)
    frames = list(open_recording(path).frames())
    assert [f.time_s for f in frames] == pytest.approx([k / 15 for k in range(30)])
    assert [number_of(f.image) for f in open_recording(path).frames(start_s=1.0)] == list(range(30, 60, 2))
    assert list(open_recording(path, fps=60).frames())[-1].time_s == pytest.approx(14 / 15)


def test_a_slow_source_gives_all_its_frames_once(tmp_path: Path) -> None:
    path = write_video(tmp_path / "slow.mp4", 20, fps=10)
    assert [number_of(f.image) for f in open_recording(path).frames()] == list(range(20))


@pytest.mark.parametrize("rotation", [90, 180, -90])
def test_a_turned_recording_comes_upright(tmp_path: Path, rotation: int) -> None:
    def stored(number: int) -> np.ndarray:  # the turn of the display matrix is to the left
        return np.ascontiguousarray(np.rot90(numbered(number, (96, 128)), -rotation // 90))

    recording = open_recording(write_video(tmp_path / "turned.mp4", 10, paint=stored, rotation=rotation))
    frame = list(recording.frames())[2]
    assert (recording.width, recording.height) == (96, 128)
    assert frame.image.shape == (128, 96, 3)
    assert number_of(frame.image) == 4
    part = list(recording.frames(crop=Box(0, 0, 96, 60), size=(48, 30)))[2]
    assert part.image.shape == (30, 48, 3)
    assert number_of(part.image) == 4


def test_odd_sizes(tmp_path: Path) -> None:
    path = write_video(tmp_path / "odd.avi", 10, paint=lambda n: numbered(n, (127, 95)))
    recording = open_recording(path)
    assert (recording.width, recording.height) == (127, 95)
    assert [number_of(f.image) for f in recording.frames()] == [0, 2, 4, 6, 8]
    assert next(recording.frames(crop=Box(3, 5, 33, 21))).image.shape == (21, 33, 3)
    assert next(recording.frames(size=(31, 17))).image.shape == (17, 31, 3)


def test_pixels_that_are_not_square_are_stretched(tmp_path: Path) -> None:
    recording = open_recording(write_video(tmp_path / "wide.mpg", 10, aspect=Fraction(4, 3)))
    assert recording.width == pytest.approx(128 * 4 / 3, abs=1)
    assert number_of(next(recording.frames(start_s=0.2)).image) == 6


def test_a_crop_is_that_part_of_the_frame(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (12, 16, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
    recording = open_recording(write_video(tmp_path / "crop.mkv", 3, paint=lambda _: noise, pix_fmt="yuv444p"))
    whole = next(recording.frames()).image
    for box in (Box(0, 0, 64, 64), Box(33, 17, 51, 43)):
        part = next(recording.frames(crop=box)).image
        expected = whole[box.y : box.y + box.height, box.x : box.x + box.width]
        assert np.abs(part.astype(int) - expected).max() <= 2


def test_sound_beside_the_picture_does_not_disturb(tmp_path: Path) -> None:
    recording = open_recording(write_video(tmp_path / "sound.mp4", 60, audio=True))
    problems = Problems()
    assert len(list(recording.frames(problems=problems))) == 30
    assert problems.lines == []


def test_threads_do_not_change_the_frames(container: Path) -> None:
    recording = open_recording(container)
    assert same(list(recording.frames(threads=1)), list(recording.frames(threads=3)))


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_b_frames_off_the_grid_are_not_decoded_and_the_samples_are_the_same(tmp_path: Path, suffix: str) -> None:
    recording = open_recording(write_video(tmp_path / f"b{suffix}", 150))
    every = [frame for frame in recording.frames(rate_hz=None) if number_of(frame.image) % 2 == 0]
    for threads in (1, 3):
        sampled = list(recording.frames(rate_hz=15.0, threads=threads))
        assert same(sampled, every)
        assert same(list(recording.frames(rate_hz=15.0, start_s=2.3, threads=threads)), every[35:])
    decoded = list(recording.source.decode(0.0, 1, Problems(), 15.0))
    assert len(sampled) <= len(decoded) < 150


def test_names_with_blanks_umlauts_and_signs_of_ffmpeg(tmp_path: Path) -> None:
    folder = tmp_path / "Aufnahme 3: größe %d"
    folder.mkdir()
    path = write_video(folder / "víðeo 1%02d.mp4", 10)
    assert len(list(open_recording(path).frames())) == 5
    assert len(list(open_recording(str(path)).frames())) == 5


def test_two_readings_at_the_same_time(container: Path) -> None:
    recording = open_recording(container)
    pairs = zip(recording.frames(), recording.frames(start_s=2.0), strict=False)
    assert all(number_of(b.image) - number_of(a.image) == 60 for a, b in pairs)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"start_s": 9.0}, "past the end"),
        ({"start_s": 2.0, "end_s": 1.0}, "after the start"),
        ({"rate_hz": 0.0}, "above 0"),
        ({"size": (0, 10)}, "at least 1 pixel"),
        ({"crop": Box(100, 0, 64, 64)}, "outside"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(container: Path, asked: dict[str, object], told: str) -> None:
    with pytest.raises(HaustraError, match=told) as error:
        list(open_recording(container).frames(**asked))  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


def test_texts_of_the_container_may_be_in_any_encoding(tmp_path: Path) -> None:
    path = write_video(tmp_path / "clip.avi", 5)
    data = path.read_bytes()
    assert b"Lavf" in data, "the name of the program that wrote it"
    path.write_bytes(data.replace(b"Lavf", b"\xe4\xf6\xfc\xff"))
    assert len(list(open_recording(path).frames())) > 0
