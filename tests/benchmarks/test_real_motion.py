"""Rows of the table on real pairs: medians over what a method estimated, and how much that is."""

from __future__ import annotations

import numpy as np
from benchmarks.real_matches import SIDE, MatchedPair
from benchmarks.real_motion import errors, rows, sequence_rows

from haustra.motion import canonical_K


def pair(sequence: str, moves_px: float) -> MatchedPair:
    """The camera goes ahead; matches are where that puts them."""
    T_a_b = np.eye(4)
    T_a_b[2, 3] = 1.0
    rng = np.random.default_rng(int(moves_px))
    points = np.column_stack([rng.uniform(-3, 3, (40, 2)), rng.uniform(6, 12, 40)])
    K = canonical_K(SIDE)
    a, b = ((p @ K.T)[:, :2] / p[:, 2:] for p in (points, points - T_a_b[:3, 3]))
    return MatchedPair(sequence, 0, a, b, T_a_b, moves_px, True)


def test_pairs_that_a_method_gave_up_on_are_left_out_and_counted() -> None:
    pairs = [pair("seq5", 3.0), pair("seq5", 4.0), pair("seq7", 12.0)]
    backward = np.eye(4)
    backward[2, 3] = -1.0
    motions = np.stack([pairs[0].best_T_a_b, np.full((4, 4), np.nan), backward])
    found = errors(pairs, motions)
    assert np.isnan(found[1]).all()
    np.testing.assert_allclose(found[0, :2], 0, atol=1e-6)
    little, much, both = rows("klt", pairs, found)
    assert little[:3] == ["klt", "below 8 px", "1 of 2"]
    assert little[-1] == "100.0 % of 1"
    assert much[-1] == "0.0 % of 1"  # the way back fits the lines just as well, but not the direction
    assert both[2] == "2 of 3"
    assert [line[1:3] for line in sequence_rows("klt", pairs, found)] == [["seq5", "1 of 2"], ["seq7", "1 of 1"]]
