"""A recording in parts is one recording: one clock, the same frames wherever reading begins."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from video_files import number_of, numbered, write_video

from haustra.core.errors import HaustraError
from haustra.video import Problems, open_recording
from haustra.video.describe import describe
from haustra.video.joined_source import part_notes

ENDINGS = [".mp4", ".mkv", ".mpg", ".avi", ".ts"]


def parts(folder: Path, ending: str = ".mp4", counts: tuple[int, ...] = (45, 30, 20), fps: int = 30) -> list[Path]:
    """Numbers go on from part to part."""
    paths = []
    for n, count in enumerate(counts):
        first = sum(counts[:n])
        path = folder / f"{n + 1}{ending}"
        paths.append(write_video(path, count, fps=fps, paint=lambda i, first=first: numbered(first + i)))
    return paths


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_frame_comes_once_and_the_clock_goes_on(tmp_path: Path, ending: str) -> None:
    recording = open_recording(parts(tmp_path, ending))
    frames = list(recording.frames(rate_hz=None))
    assert [number_of(frame.image) for frame in frames] == list(range(95))
    np.testing.assert_allclose([frame.time_s for frame in frames], np.arange(95) / 30, atol=0.0015)
    np.testing.assert_allclose([part.start_s for part in recording.parts], [0, 1.5, 2.5], atol=0.0015)
    assert recording.breaks_s == tuple(part.start_s for part in recording.parts[1:])
    assert recording.duration_s == pytest.approx(95 / 30, abs=0.1)


@pytest.mark.parametrize("ending", [".mp4", ".mpg"])
def test_the_same_samples_wherever_reading_begins(tmp_path: Path, ending: str) -> None:
    """A part whose length is no multiple of the grid's step: frames that the grid does not take are not decoded."""
    recording = open_recording(parts(tmp_path, ending, (46, 31, 20), fps=50))
    every = [(frame.time_s, number_of(frame.image)) for frame in recording.frames(rate_hz=None)]
    sampled = [(frame.time_s, number_of(frame.image)) for frame in recording.frames()]
    assert [time_s for time_s, _ in sampled] == sorted({time_s for time_s, _ in sampled})
    cells = [int((time_s + 0.002) * 15) for time_s, _ in sampled]
    assert all(a < b for a, b in pairwise(cells))
    assert set(sampled) <= set(every)
    assert len(sampled) == len({int((time_s + 0.002) * 15) for time_s, _ in every})
    for start_s in [*recording.breaks_s, *(break_s + 1e-6 for break_s in recording.breaks_s), 0.5, 0.93, 1.7]:
        again = [(frame.time_s, number_of(frame.image)) for frame in recording.frames(start_s=start_s)]
        assert again == [sample for sample in sampled if sample[0] >= start_s]


def test_parts_of_different_rates_share_the_grid(tmp_path: Path) -> None:
    slow, fast = write_video(tmp_path / "a.mp4", 20, fps=10), write_video(tmp_path / "b.mp4", 60, fps=60)
    times = [frame.time_s for frame in open_recording([slow, fast]).frames()]
    assert len([time_s for time_s in times if time_s < 2]) == 20
    np.testing.assert_allclose([time_s for time_s in times if time_s >= 2], 2 + np.arange(15) / 15, atol=1 / 60)


def test_one_file_in_a_list_is_that_file(tmp_path: Path) -> None:
    (path,) = parts(tmp_path, counts=(10,))
    recording = open_recording([path])
    assert (recording.parts, recording.breaks_s, recording.name) == ((), (), "1.mp4")


def test_pictures_for_a_few_looks_come_from_all_parts(tmp_path: Path) -> None:
    recording = open_recording(parts(tmp_path))
    times = np.array([time_s for time_s, _ in recording.source.spread(8, Problems())])
    assert all(((times >= a) & (times < b)).any() for a, b in pairwise([*recording.breaks_s, np.inf]))


def test_a_part_that_ends_early_is_named_and_times_go_on_from_its_end(tmp_path: Path) -> None:
    first, second = (write_video(tmp_path / f"{n}.mp4", 120, fps=30, gop=6) for n in (1, 2))
    whole = write_video(tmp_path / "whole.mp4", 120, fps=30, gop=6, options={"movflags": "+faststart"})
    first.write_bytes(whole.read_bytes()[: int(0.55 * whole.stat().st_size)])
    recording, problems = open_recording([first, second]), Problems()
    times = [frame.time_s for frame in recording.frames(rate_hz=None, problems=problems)]
    assert all(a < b for a, b in pairwise(times))
    assert times[-1] == pytest.approx(recording.breaks_s[0] + 119 / 30, abs=0.002)
    assert any(line.startswith("1.mp4 is cut off at 00:0") for line in problems.lines), problems.lines


def test_problems_are_told_with_the_clock_of_the_whole(tmp_path: Path) -> None:
    first = write_video(tmp_path / "1.mp4", 60, fps=30)
    second = write_video(tmp_path / "2.mkv", times_ms=[*range(0, 1000, 40), *range(9000, 10000, 40)], fps=25)
    problems = Problems()
    list(open_recording([first, second]).frames(problems=problems))
    assert problems.lines == ["no frames between 00:03 and 00:11"]


def test_parts_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    first = write_video(tmp_path / "1.mp4", 5)
    wide = write_video(tmp_path / "2.mp4", 5, paint=lambda number: numbered(number, (160, 96)))
    with pytest.raises(HaustraError, match=r"1\.mp4 has frames of 128x96 pixels, .*2\.mp4 of 160x96 pixels: .*cohort"):
        open_recording([first, wide])
    with pytest.raises(HaustraError, match="given twice"):
        open_recording([first, tmp_path / "." / "1.mp4"])
    with pytest.raises(HaustraError, match="no such file"):
        open_recording([first, tmp_path / "missing.mp4"])
    with pytest.raises(HaustraError, match="no recording was given"):
        open_recording([])


def test_a_note_tells_the_order_and_whether_it_is_odd(tmp_path: Path) -> None:
    paths = parts(tmp_path, counts=(5, 5, 5))
    paths[2] = paths[2].rename(tmp_path / "10.mp4")
    (note,) = part_notes(open_recording(paths).parts)
    assert (
        note
        == "3 files are taken as one recording, in this order: 1.mp4, 2.mp4, 10.mp4 (many recordings: haustra cohort)"
    )
    (note,) = part_notes(open_recording([paths[0], paths[2], paths[1]]).parts)
    assert note.endswith("1.mp4, 10.mp4, 2.mp4; by their numbers it would be 1.mp4, 2.mp4, 10.mp4: check it")


def test_the_description_has_the_parts(tmp_path: Path) -> None:
    found = describe(open_recording(parts(tmp_path)))
    assert found.frames == 95
    assert found.duration_s == pytest.approx(95 / 30, abs=0.01)
    assert [part.path.name for part in found.parts] == ["1.mp4", "2.mp4", "3.mp4"]
    assert found.problems == []
