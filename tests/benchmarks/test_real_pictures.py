"""Drawings of real pairs: on plain ground nothing of the frames is left, and lines are where the motion puts them."""

from __future__ import annotations

import numpy as np
from benchmarks.real_matches import SIDE, MatchedPair
from benchmarks.real_pictures import PAPER, SHIFT, draw_pair, line_ends, spread, tiled


def test_the_ends_of_a_line_lie_on_it_outside_the_picture() -> None:
    line = np.array([0.3, -0.4, 20.0])
    for x, y in line_ends(line):
        x, y = x / 2**SHIFT, y / 2**SHIFT
        assert abs(line @ [x, y, 1.0]) < 0.1
        assert not (0 <= x < SIDE and 0 <= y < SIDE)


def test_chosen_matches_lie_apart() -> None:
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [100.0, 0.0], [0.0, 100.0], [50.0, 50.0], [99.0, 1.0]])
    assert sorted(spread(corners, 4)) == [0, 2, 3, 4]
    assert len(set(spread(corners, 10))) == 6


def test_epipolar_lines_of_a_straight_way_meet_in_the_middle() -> None:
    """The camera goes ahead: every point moves on a line through the centre, and dots lie on their lines."""
    T_a_b = np.eye(4)
    T_a_b[2, 3] = 0.1
    a = np.array([[100.0, 191.5], [191.5, 80.0]])
    b = (a - 191.5) * 1.2 + 191.5
    pair = MatchedPair("seq", 0, a, b, T_a_b, 10.0, True)
    plain = np.full((SIDE, SIDE, 3), PAPER, np.uint8)
    mask = np.ones((SIDE, SIDE), np.bool_)
    mask[:, 300:] = False
    drawn = draw_pair(plain.copy(), mask, pair, T_a_b)
    marked = (drawn != plain).any(axis=-1)
    assert marked[190:194, 20:290].any(axis=0).all()  # the horizontal line, through the centre
    assert marked[20:380, 190:194].any(axis=1).all()
    assert not marked[:, 304:].any()
    assert not marked[20:60, 20:60].any()


def test_tiles_fill_whole_rows() -> None:
    assert tiled([np.zeros((10, 20, 3), np.uint8)] * 4, 3).shape == (2 * 18, 3 * 28, 3)
