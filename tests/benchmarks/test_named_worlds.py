"""Segments in many worlds: what a row says."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.named_worlds import HEADER, NamedFrames, row
from benchmarks.observed import Observed

from haustra.core.errors import HaustraError


def frames(right: int, of: int, certainty: float) -> NamedFrames:
    good, other = np.arange(of) < right, np.arange(of) < 1
    return NamedFrames(
        {"oracle": other, "template": other, "clock": other, "decoder": good}, np.full(of, certainty, np.float64)
    )


def test_recordings_count_alike_and_honesty_is_that_of_all_frames() -> None:
    found = dict(zip(HEADER, row("made", [frames(9, 10, 0.9), frames(20, 40, 0.9)]), strict=True))
    assert found["n"] == "2"
    assert float(found["decoder"]) == pytest.approx(0.7)
    assert float(found["oracle"]) == pytest.approx((0.1 + 0.025) / 2, abs=1e-3)
    assert float(found["least"]) == 0.5
    assert float(found["says"]) == pytest.approx(0.9)
    assert float(found["calibration error"]) == pytest.approx(0.9 - 29 / 50)


def test_segments_are_those_of_the_nearest_frame_and_not_made_up() -> None:
    time_s = np.arange(4.0)
    whole = Observed("made", None, time_s, time_s / 3, np.tile(np.eye(4), (4, 1, 1)), np.array([1, 1, 2, 6]))  # type: ignore[arg-type]
    assert whole.segment_at(np.array([0.2, 1.7, 3.4])).tolist() == [1, 2, 6]
    nothing = Observed("made", None, time_s, time_s / 3, np.tile(np.eye(4), (4, 1, 1)))  # type: ignore[arg-type]
    with pytest.raises(HaustraError, match="not known"):
        nothing.segment_at(time_s)
