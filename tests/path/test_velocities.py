"""What was seen as velocities: spans over samples that show nothing, kept and held pairs, and how sure they are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.chunks import Observations
from haustra.motion import motion_to_T_a_b
from haustra.path.velocities import _span_ends, _spread, _stated, pair_velocities
from haustra.terms import Reason

KEPT, BLACK, BLUR, TOOL = Reason.KEPT, Reason.BLACK, Reason.NON_INFORMATIVE, Reason.FORCEPS


def test_a_pair_is_covered_by_the_next_sample_that_shows_anything() -> None:
    reasons = (KEPT, BLACK, Reason.WHITE, KEPT, BLUR, Reason.FROZEN, KEPT, BLACK)
    assert _span_ends(reasons).tolist() == [3, 3, 3, 4, 6, 6, 7], "at the end the last sample"


def test_a_motion_over_several_samples_is_spread_over_them() -> None:
    """Its velocity is that of the whole span; of k samples each knows it by sqrt(k) less."""
    time_s = np.array([0.0, 0.1, 0.3, 0.4, 0.7])
    moved = np.arange(30.0).reshape(5, 6)
    std = 0.1 * np.arange(30.0).reshape(5, 6)
    velocity, spread = _spread(moved, std, np.array([2, 2, 3, 4]), time_s)
    np.testing.assert_allclose(velocity, [moved[2] / 0.3, moved[2] / 0.3, moved[3] / 0.1, moved[4] / 0.3])
    np.testing.assert_allclose(
        spread, [std[2] / 0.3 * np.sqrt(2), std[2] / 0.3 * np.sqrt(2), std[3] / 0.1, std[4] / 0.3]
    )


def test_what_is_stated_counts_up_to_what_is_usual() -> None:
    """A tenth of the spread of what was measured between kept frames, all of it beside dropped ones."""
    rng = np.random.default_rng(0)
    measured = rng.normal(size=(9, 6)) * np.arange(1.0, 7.0)
    kept = np.array([True] * 6 + [False] * 3)
    std = np.full((9, 6), 1e-4)
    std[1] = std[7] = 1e3
    std[2] = std[8] = np.nan
    found = _stated(measured, std, kept)
    usual = measured[:6].std(axis=0)
    np.testing.assert_allclose(found[[0, 6]], 1e-4)
    np.testing.assert_allclose(found[[1, 2]], [0.1 * usual] * 2)
    np.testing.assert_allclose(found[[7, 8]], [usual] * 2)
    np.testing.assert_array_equal(_stated(measured, std, np.zeros(9, bool)), std)
    assert (_stated(np.zeros((2, 6)), np.full((2, 6), np.nan), np.ones(2, bool)) == 0.1 * 1e-9).all()


def test_pairs_of_what_was_seen() -> None:
    rng = np.random.default_rng(1)
    reason = (KEPT, KEPT, KEPT, BLUR, KEPT, TOOL, KEPT, KEPT)
    motion = 0.1 * rng.normal(size=(8, 6))
    motion[0] = motion[7] = np.nan
    time_s = np.cumsum(rng.uniform(0.05, 0.1, 8))
    kept = np.array([name is KEPT for name in reason])
    std = np.full((8, 6), 1e-6)
    zeros = np.zeros(8, np.float32)
    found = pair_velocities(
        Observations(time_s, zeros, zeros, kept, reason, motion, std, np.arange(24.0).reshape(8, 3))
    )
    np.testing.assert_allclose(found.step_s, np.diff(time_s))
    for k in range(6):
        T = motion_to_T_a_b(motion[k + 1][None])[0]
        turn = Rotation.from_matrix(T[:3, :3]).as_rotvec()
        np.testing.assert_allclose(found.measured[k], np.concatenate([T[:3, 3], turn]) / found.step_s[k])
        np.testing.assert_allclose(found.std[k], 1e-6 / found.step_s[k])
    assert np.isnan(found.measured[6]).all()
    assert found.seen.tolist() == [True, True, False, False, False, False, False], "two kept frames and a motion"
    np.testing.assert_array_equal(found.lumen, np.arange(24.0).reshape(8, 3))
    assert found.held.tolist() == [False, False, False, False, True, True, False], "an instrument on either side"


def test_two_samples_at_one_time_do_not_divide_by_nothing() -> None:
    zeros = np.zeros(2, np.float32)
    both = Observations(
        np.array([1.0, 1.0]),
        zeros,
        zeros,
        np.ones(2, bool),
        (KEPT, KEPT),
        np.zeros((2, 6)),
        np.zeros((2, 6)),
        np.zeros((2, 3)),
    )
    assert pair_velocities(both).step_s.tolist() == pytest.approx([1e-6])
