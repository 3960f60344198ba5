"""Chaining of pair motions, and the gaps that removed frames leave."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.core.errors import HaustraError
from haustra.core.poses import invert
from haustra.path import chain


def random_poses(n: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    T = np.tile(np.eye(4), (n, 1, 1))
    T[1:, :3, :3] = Rotation.random(n - 1, random_state=rng).as_matrix()
    T[1:, :3, 3] = rng.normal(size=(n - 1, 3))
    return T


def test_motions_of_known_poses_chain_back_to_them() -> None:
    T_w_c = random_poses(40)
    trajectory = chain(invert(T_w_c[:-1]) @ T_w_c[1:], np.arange(40) / 15)
    assert np.abs(trajectory.T_w_c - T_w_c).max() < 1e-12


def steady(n: int) -> np.ndarray:
    """Straight back by 2 units a second at 15 frames a second."""
    motions = np.tile(np.eye(4), (n, 1, 1))
    motions[:, 2, 3] = -2 / 15
    return motions


def test_a_motion_that_could_not_be_estimated_is_bridged_by_the_recent_speed() -> None:
    motions, times = steady(60), np.arange(61) / 15
    motions[20, :3, 3] = 100.0  # one outlier does not count
    motions[30] = np.nan
    times[31:] += 3.0
    trajectory = chain(motions, times)
    step = trajectory.positions[31] - trajectory.positions[30]
    assert step == pytest.approx([0, 0, -2 * (3 + 1 / 15)])


def test_both_sides_of_a_gap_tell_its_speed() -> None:
    motions, times = steady(61), np.arange(62) / 15
    motions[31:, 2, 3] *= 3  # faster after the gap
    motions[30] = np.nan
    times[31:] += 3.0
    trajectory = chain(motions, times)
    step = trajectory.positions[31] - trajectory.positions[30]
    assert step[2] == pytest.approx(-4 * (3 + 1 / 15))


def test_a_gap_at_the_beginning_uses_the_speed_after_it_and_none_at_all_stands_still() -> None:
    motions = steady(10)
    motions[0] = np.nan
    assert chain(motions, np.arange(11) / 15).positions[1, 2] == pytest.approx(-2 / 15)
    alone = chain(np.full((3, 4, 4), np.nan), np.arange(4.0))
    assert np.abs(alone.positions).max() == 0


def test_one_frame_has_one_pose_and_counts_must_fit() -> None:
    assert chain(np.empty((0, 4, 4)), np.zeros(1)).T_w_c.shape == (1, 4, 4)
    with pytest.raises(HaustraError, match="one more time"):
        chain(steady(3), np.arange(3.0))
