"""The benchmark of turns by the lumen: both turns have the same sign and order of axes."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.real_lumen import Stretch, _apart, _turned, row
from scipy.spatial.transform import Rotation


@pytest.mark.parametrize("turn", [[0.2, 0.0, 0.0], [0.0, -0.3, 0.0], [0.15, 0.1, 0.0]])
def test_a_lumen_that_stays_tells_the_turn(turn: list[float]) -> None:
    T_a_b = np.eye(4)
    T_a_b[:3, :3] = Rotation.from_rotvec(np.array(turn) / 2).as_matrix()
    last = np.array([0.0, 0.0, 1.0])
    first = Rotation.from_rotvec(turn).apply(last)
    seen = [np.array([*(ray[:2] / ray[2]), 0.2]) for ray in (first, last)]
    np.testing.assert_allclose(_turned(np.stack([T_a_b, T_a_b])), turn[:2], atol=1e-9)
    np.testing.assert_allclose(_apart(*seen), turn[:2], atol=0.01)


def test_a_row_says_how_far_the_two_are_apart() -> None:
    turn = np.radians([3.0, 4.0])
    found = [Stretch(turn, turn + np.radians([0.0, 2.0]), 0.3), Stretch(-turn, -turn, 0.3)]
    assert row("all", found)[:4] == ["all", "2", "5.0", "1.0"]
