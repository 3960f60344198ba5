"""Decisions on frames against truth: shares, episodes with an instrument, false forceps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks.frame_truth import figures, recordings

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import Reason
from haustra.quality import Assessment, Thresholds

COUNT = 90  # six seconds


def assessment(reasons: dict[range, Reason]) -> Assessment:
    reason = [Reason.KEPT] * COUNT
    for where, why in reasons.items():
        for i in where:
            reason[i] = why
    none = np.zeros(COUNT, np.float32)
    kept = np.array([not why for why in reason])
    return Assessment([i / 15 for i in range(COUNT)], none, none, kept, reason, Thresholds(0.5, 0.5))


def truth(folder: Path, forceps: list[range], poor: range = range(0)) -> Path:
    shown = [any(i in one for one in forceps) for i in range(COUNT)]
    table = {"time_s": [i / 15 for i in range(COUNT)], "informative": [i not in poor for i in range(COUNT)]}
    pl.DataFrame({**table, "forceps": shown}).write_parquet(folder / "truth.parquet")
    return folder / "truth.parquet"


def test_episodes_are_found_by_one_frame_and_missed_by_none(tmp_path: Path) -> None:
    path = truth(tmp_path, [range(20, 30), range(60, 70)])
    found = figures(assessment({range(24, 26): Reason.FORCEPS}), path)
    assert (found.episodes, found.found, found.false_forceps) == (2, 1, 0)


def test_forceps_away_from_any_instrument_are_false(tmp_path: Path) -> None:
    path = truth(tmp_path, [range(20, 30)])
    found = figures(assessment({range(19, 32): Reason.FORCEPS, range(80, 83): Reason.FORCEPS}), path)
    assert (found.found, found.false_forceps) == (1, 4)  # 19, 30 lie within 0.1 s; 31, 80, 81, 82 do not


def test_kept_and_good_frames_are_counted(tmp_path: Path) -> None:
    path = truth(tmp_path, [], poor=range(10, 20))
    found = figures(assessment({range(10, 15): Reason.NON_INFORMATIVE, range(30, 34): Reason.NON_INFORMATIVE}), path)
    assert (found.frames, found.kept, found.kept_right) == (90, 81, 76)
    assert (found.good, found.good_kept) == (80, 76)


def test_a_folder_without_truth_is_told(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="no recording"):
        list(recordings([tmp_path]))
