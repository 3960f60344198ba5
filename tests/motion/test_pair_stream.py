"""Which pairs of frames are measured, and how: clear ones, every n-th with a dropped frame, none over a long time."""

from __future__ import annotations

import numpy as np

from haustra.core.vocabulary import Reason
from haustra.motion.parameters import PairParameters
from haustra.motion.stream import PreviousFrame, _pairs
from haustra.results.observations import Observations

KEPT, BLUR = Reason.KEPT, Reason.NON_INFORMATIVE
PARAMETERS = PairParameters(longest_s=0.35, low_quality_every=3)


def frames(count: int) -> dict[int, np.ndarray]:
    return {i: np.full((2, 2, 3), i, np.uint8) for i in range(count)}


def measured(time_s: list[float], reason: list[Reason], previous: PreviousFrame | None = None) -> list[tuple]:
    """Row, first and second frame, and whether both are kept."""
    seen = Observations(time_s=np.array(time_s), reason=tuple(reason))
    pairs, _ = _pairs(seen, frames(len(time_s)), previous, PARAMETERS)
    return [(pair.row, int(pair.a[0, 0, 0]), int(pair.b[0, 0, 0]), pair.clear) for pair in pairs]


def test_clear_pairs_all_and_of_the_others_every_third_row() -> None:
    found = measured([0.1 * k for k in range(8)], [KEPT, KEPT, BLUR, BLUR, BLUR, BLUR, KEPT, KEPT])
    assert found == [(1, 0, 1, True), (3, 2, 3, False), (6, 5, 6, False), (7, 6, 7, True)]


def test_no_pair_over_a_longer_time() -> None:
    assert measured([0.0, 0.3, 0.7, 1.0], [KEPT] * 4) == [(1, 0, 1, True), (3, 2, 3, True)]


def test_the_first_pair_begins_with_the_frame_before() -> None:
    before = PreviousFrame(-0.2, np.full((2, 2, 3), 99, np.uint8), kept=True)
    assert measured([0.0, 0.1], [KEPT, KEPT], before) == [(0, 99, 0, True), (1, 0, 1, True)]
    seen = Observations(time_s=np.array([0.0, 0.1]), reason=(KEPT, BLUR))
    last = _pairs(seen, {0: frames(1)[0]}, None, PARAMETERS)[1]
    assert last is not None
    assert (last.time_s, last.kept) == (0.0, True), "of a frame without a picture there is none"
