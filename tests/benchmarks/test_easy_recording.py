"""The recording on which every method should work."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
from benchmarks.easy_recording import straightest, write_easy_recording

from haustra.lab.datasets import open_dataset
from haustra.lab.evaluate.motion_evaluation import usable_rows


def test_the_stretch_that_leads_farthest_is_taken() -> None:
    """Still until frame 10, to and fro until 20, straight until 30, still again; the withdrawal is 2 to 38."""
    steps = np.concatenate([np.zeros(10), np.tile([1.0, -1.0], 5), np.ones(10), np.zeros(10)])
    T_w_c = np.tile(np.eye(4), (40, 1, 1))
    T_w_c[:, 0, 3] = np.cumsum(steps)
    timeline = SimpleNamespace(rate_hz=1.0, start_s=2.0, stop_s=38.0)
    procedure = SimpleNamespace(plan=SimpleNamespace(timeline=timeline), T_w_c=T_w_c)
    assert straightest(procedure, 11) == range(19, 30)


def test_nothing_of_it_is_dropped_and_it_is_made_once(tmp_path: Path) -> None:
    folder = write_easy_recording(tmp_path / "easy", side=64, seconds=0.4)
    first = (folder / "video.mp4").stat().st_mtime_ns
    _, (recording,) = open_dataset(folder)
    assert len(usable_rows(recording, None)) == len(recording) == 6
    assert recording.time_s[0] == 0.0
    write_easy_recording(folder)
    assert (folder / "video.mp4").stat().st_mtime_ns == first
