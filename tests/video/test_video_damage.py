"""Files that end too early, have damaged packets, or are no video at all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from video_files import number_of, numbered, write_video

from haustra.core.errors import HaustraError
from haustra.video import Problems, open_recording


def cut(path: Path, share: float) -> Path:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def noisy(number: int) -> np.ndarray:
    """Packets of some size: damage hits the picture, not only headers."""
    return np.random.default_rng(number).integers(0, 255, (96, 128, 3), dtype=np.uint8)


def damaged(path: Path, places: int = 12) -> Path:
    """Overwrites bytes in the third quarter of the file."""
    data = bytearray(path.read_bytes())
    random = np.random.default_rng(0)
    for at in random.integers(len(data) // 2, len(data) * 3 // 4, places):
        data[at : at + 400] = random.bytes(400)
    path.write_bytes(bytes(data))
    return path


@pytest.mark.parametrize("name", ["a.mp4", "a.mov", "a.mkv", "a.avi"])
def test_a_file_cut_off_is_read_as_far_as_it_goes_and_that_is_told(tmp_path: Path, name: str) -> None:
    # The index of mp4 and mov is at the front here: a file whose index is cut off has nothing to go by.
    options = {"movflags": "faststart"} if name[-3:] in ("mp4", "mov") else None
    path = cut(write_video(tmp_path / name, 150, paint=noisy, options=options), 0.5)
    recording = open_recording(path)
    problems = Problems()
    frames = list(recording.frames(problems=problems))
    assert 1.5 < frames[-1].time_s < 3.5
    assert any(line.startswith("cut off at 00:0") for line in problems.lines), problems.lines


@pytest.mark.parametrize("name", ["a.mpg", "a.ts"])
def test_a_stream_file_that_states_no_length_is_read_to_where_it_ends(tmp_path: Path, name: str) -> None:
    frames = list(open_recording(cut(write_video(tmp_path / name, 150), 0.5)).frames())
    assert 1.0 < frames[-1].time_s < 4.0
    assert [number_of(f.image) for f in frames[:-2]] == list(range(0, 2 * (len(frames) - 2), 2))


def test_seeking_past_the_cut_is_past_the_end(tmp_path: Path) -> None:
    path = cut(write_video(tmp_path / "a.mp4", 150, paint=noisy, options={"movflags": "faststart"}), 0.5)
    with pytest.raises(HaustraError, match="past the end"):
        list(open_recording(path).frames(start_s=4.0))


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.avi", "a.ts", "a.mpg"])
def test_damaged_packets_are_passed_over_and_told(tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    recording = open_recording(damaged(write_video(tmp_path / name, 150, paint=noisy)))
    problems = Problems()
    frames = list(recording.frames(threads=1, problems=problems))
    assert frames[-1].time_s > 4.0, "frames after the damage are read"
    assert all(a.time_s < b.time_s for a, b in pairwise(frames))
    assert any("corrupt packet" in line for line in problems.lines), problems.lines
    assert problems.lines == list(dict.fromkeys(problems.lines))
    assert capfd.readouterr().err == "", "nothing of ffmpeg's own log"


def test_corrupt_packets_of_one_place_are_one_line() -> None:
    problems = Problems()
    problems.corrupt(1.0)
    problems.gap(2.0, 5.0)
    problems.gap(2.0, 5.0)
    for time_s in (9.0, 10.9, 11.1, 30.0):
        problems.corrupt(time_s)
    assert problems.lines == [
        "3 corrupt packets near 00:01",
        "no frames between 00:02 and 00:05",
        "1 corrupt packet near 00:11",
        "1 corrupt packet near 00:30",
    ]


def test_a_hole_in_the_stamps_is_told(tmp_path: Path) -> None:
    times_ms = [*range(0, 2000, 40), *range(9000, 11000, 40)]
    recording = open_recording(write_video(tmp_path / "hole.mkv", times_ms=times_ms))
    problems = Problems()
    assert len(list(recording.frames(problems=problems))) == 60
    assert problems.lines == ["no frames between 00:02 and 00:09"]


@pytest.mark.parametrize("name", ["a.ts", "a.mpg"])
def test_joined_files_whose_stamps_start_again_are_one_recording(tmp_path: Path, name: str) -> None:
    parts = [
        write_video(tmp_path / f"{first}{name}", 120, paint=lambda n, first=first: numbered(n + first))
        for first in (0, 120)
    ]
    path = tmp_path / name
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    recording = open_recording(path)
    problems = Problems()
    frames = list(recording.frames(problems=problems))
    assert frames[-1].time_s == pytest.approx(8.0, abs=0.2)
    assert any("start again at 00:04" in line for line in problems.lines), problems.lines
    late = list(recording.frames(start_s=6.0))
    assert [f.time_s for f in late] == [f.time_s for f in frames if f.time_s >= 6.0]
    assert number_of(late[0].image) == pytest.approx(180, abs=4)


def no_file(folder: Path) -> Path:
    return folder / "missing.mp4"


def empty_file(folder: Path) -> Path:
    (folder / "empty.mp4").touch()
    return folder / "empty.mp4"


def noise_file(folder: Path) -> Path:
    (folder / "noise.mp4").write_bytes(np.random.default_rng(0).bytes(20000))
    return folder / "noise.mp4"


def text_file(folder: Path) -> Path:
    (folder / "notes.txt").write_text("no video\n" * 100)
    return folder / "notes.txt"


def sound_file(folder: Path) -> Path:
    with av.open(str(folder / "sound.wav"), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        samples = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.int16), format="s16", layout="mono")
        samples.sample_rate = 8000
        container.mux(stream.encode(samples))
    return folder / "sound.wav"


def no_frames(folder: Path) -> Path:
    with av.open(str(folder / "none.mkv"), "w") as container:
        stream = container.add_stream("mpeg4", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        container.start_encoding()
    return folder / "none.mkv"


def index_cut_off(folder: Path) -> Path:
    return cut(write_video(folder / "a.mp4"), 0.5)


def black(folder: Path) -> Path:
    return write_video(folder / "black.mp4", 30, paint=lambda _: np.zeros((96, 128, 3), np.uint8))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (no_file, "no such file"),
        (empty_file, "not a video that can be read"),
        (noise_file, "not a video that can be read"),
        (text_file, "is a text"),
        (sound_file, "no video stream"),
        (no_frames, "no frame that decodes"),
        (index_cut_off, "not a video that can be read"),
        (black, "all frames looked at are black"),
    ],
)
def test_the_command_tells_bad_input_in_one_line(tmp_path: Path, make: Callable[[Path], Path], told: str) -> None:
    path = make(tmp_path)
    done = subprocess.run([sys.executable, "-m", "haustra", "info", str(path)], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert path.name in done.stderr


CODED = {
    "a.mp4": ("libx264", {"g": "12"}),
    "b.mp4": ("libx264", {"g": "250", "bf": "3"}),
    "slices.mkv": ("libx264", {"g": "30", "slices": "4"}),
    "a.ts": ("libx264", {"g": "30"}),
    "a.mpg": ("mpeg2video", {"g": "12"}),
    "a.avi": ("mpeg4", {"g": "12"}),
    "a.webm": ("libvpx-vp9", {"g": "12", "deadline": "realtime", "cpu-used": "8"}),
}


@pytest.mark.parametrize("name", CODED)
def test_a_damaged_recording_is_the_same_however_it_is_read(name: str, tmp_path: Path) -> None:
    codec, options = CODED[name]
    path = write_video(tmp_path / name, 60, codec=codec, paint=noisy, options=options)
    good, rng, compared = path.read_bytes(), np.random.default_rng(0), 0
    for _ in range(6):
        data = bytearray(good)
        for at in rng.integers(len(data) // 10, len(data) - 60, rng.choice([1, 3, 10])):
            data[at : at + 8] = rng.bytes(8)
        path.write_bytes(bytes(data))
        try:
            known = _frames(path, 1)
        except HaustraError:
            continue
        compared += 1
        assert _frames(path, 2) == known
        assert _frames(path, 4) == known
        times = [time_s for time_s, _ in known[0]]
        for threads, start_s in ((1, times[len(times) // 3]), (4, times[2 * len(times) // 3])):
            assert _frames(path, threads, start_s)[0] == [item for item in known[0] if item[0] >= start_s]
    assert compared


def _frames(path: Path, threads: int, start_s: float = 0.0) -> tuple[list[tuple[float, bytes]], list[str]]:
    problems = Problems()
    frames = open_recording(path).frames(rate_hz=None, threads=threads, start_s=start_s, problems=problems)
    return [(frame.time_s, frame.image.tobytes()) for frame in frames], problems.lines
