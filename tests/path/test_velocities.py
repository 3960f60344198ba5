"""Measured velocities: spans over samples without a picture, clear pairs and instruments, and their noise."""

from __future__ import annotations

import numpy as np
import pytest
from made_observations import made_observations
from scipy.spatial.transform import Rotation

from haustra.core.vocabulary import Reason
from haustra.motion import motion_to_T_a_b
from haustra.path.parameters import VelocityParameters
from haustra.path.velocities import _noise, _span_ends, _spread, pair_velocities

KEPT, BLACK, BLUR, TOOL = Reason.KEPT, Reason.BLACK, Reason.NON_INFORMATIVE, Reason.FORCEPS


def test_a_pair_is_covered_by_the_next_sample_with_a_picture() -> None:
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


def test_predicted_deviations_count_up_to_the_usual_ones() -> None:
    """A share of the spread of the velocities between kept frames, a larger one with dropped frames."""
    parameters = VelocityParameters(clear_noise=0.2, low_quality_noise=0.7)
    rng = np.random.default_rng(0)
    measured = rng.normal(size=(9, 6)) * np.arange(1.0, 7.0)
    kept = np.array([True] * 6 + [False] * 3)
    std = np.full((9, 6), 1e-4)
    std[1] = std[7] = 1e3
    std[2] = std[8] = np.nan
    found = _noise(measured, std, kept, parameters)
    usual = measured[:6].std(axis=0)
    np.testing.assert_allclose(found[[0, 6]], 1e-4)
    np.testing.assert_allclose(found[[1, 2]], [0.2 * usual] * 2)
    np.testing.assert_allclose(found[[7, 8]], [0.7 * usual] * 2)
    np.testing.assert_array_equal(_noise(measured, std, np.zeros(9, bool), parameters), std)
    still = _noise(np.zeros((2, 6)), np.full((2, 6), np.nan), np.ones(2, bool), parameters)
    assert (still > 0).all(), "a scope at rest has some noise, too"


def test_pairs_of_what_was_seen() -> None:
    rng = np.random.default_rng(1)
    reason = (KEPT, KEPT, KEPT, BLUR, KEPT, TOOL, KEPT, KEPT)
    motion = 0.1 * rng.normal(size=(8, 6))
    motion[0] = motion[7] = np.nan
    time_s = np.cumsum(rng.uniform(0.05, 0.1, 8))
    lumen = np.arange(24.0).reshape(8, 3)
    seen = made_observations(motion, reason=reason, time_s=time_s, motion_std=1e-6, lumen=lumen)
    found = pair_velocities(seen, VelocityParameters())
    np.testing.assert_allclose(found.step_s, np.diff(time_s))
    for k in range(6):
        T = motion_to_T_a_b(motion[k + 1][None])[0]
        turn = Rotation.from_matrix(T[:3, :3]).as_rotvec()
        np.testing.assert_allclose(found.measured[k], np.concatenate([T[:3, 3], turn]) / found.step_s[k])
        np.testing.assert_allclose(found.noise_std[k], 1e-6 / found.step_s[k])
    assert np.isnan(found.measured[6]).all()
    assert found.clear.tolist() == [True, True, False, False, False, False, False], "two kept frames and a motion"
    beside = np.isfinite(found.lumen).all(axis=1)
    assert np.flatnonzero(beside).tolist() == [2, 4, 6], "on either side of a gap"
    np.testing.assert_array_equal(found.lumen[beside], lumen[beside])
    assert found.instrument.tolist() == [False, False, False, False, True, True, False], "an instrument on either side"


def test_two_samples_at_one_time_do_not_divide_by_nothing() -> None:
    both = made_observations(np.zeros((2, 6)), time_s=np.array([1.0, 1.0]), motion_std=0.0)
    assert pair_velocities(both, VelocityParameters()).step_s.tolist() == pytest.approx([1e-6])
