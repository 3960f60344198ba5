"""Distance travelled along the viewing axis: what counts as a step, and the joint distribution of its errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_pairs import made_pairs
from scipy.spatial.transform import Rotation

from haustra.path.length_prior import PathLength
from haustra.path.parameters import PathParameters
from haustra.path.smoother import smooth_velocities
from haustra.path.step_uncertainty import bias_std, common_correlation, common_std
from haustra.path.travel import Travel, _axes, _chained, estimate_travel
from haustra.path.velocities import PairVelocities

COUNT = 90
PARAMETERS = PathParameters()
FAR_SHORT = PARAMETERS.length_prior.far_short


def made() -> PairVelocities:
    rng = np.random.default_rng(0)
    step_s = rng.uniform(0.05, 0.09, COUNT)
    velocity = rng.normal(size=(COUNT, 6)) * [0.1, 0.1, 0.1, 0.3, 0.3, 0.3] + [0.05, 0, -0.6, 0, 0.2, 0]
    velocity[40:60, 0] += 0.7  # slides aside
    return made_pairs(velocity, step_s=step_s)


def std_of(travel: Travel, count: int = 4000) -> np.ndarray:
    return travel.draws(count, np.random.default_rng(1)).std(axis=1)


def test_poses_are_chained_pair_by_pair() -> None:
    rng = np.random.default_rng(1)
    velocity, step_s, scale = rng.normal(size=(5, 6)), rng.uniform(0.1, 0.2, 5), rng.uniform(1, 2, 5)
    T = np.eye(4)
    for k, found in enumerate(_chained(velocity, step_s, scale)):
        np.testing.assert_allclose(found, T, atol=1e-12)
        if k < 5:
            step = np.eye(4)
            step[:3, :3] = Rotation.from_rotvec(velocity[k, 3:] * step_s[k]).as_matrix()
            step[:3, 3] = velocity[k, :3] * step_s[k] * scale[k]
            T = T @ step


def test_withdrawal_is_against_the_viewing_axis_averaged_over_time() -> None:
    pairs, window_s = made(), 1.2
    T = _chained(pairs.measured, pairs.step_s)
    width = window_s / np.median(pairs.step_s)
    back = np.empty((COUNT + 1, 3))
    for k in range(COUNT + 1):
        around = np.arange(k - round(4 * width), k + round(4 * width) + 1)
        weight = np.exp(-0.5 * ((around - k) / width) ** 2)
        mean = (weight[:, None] * -T[np.clip(around, 0, COUNT), :3, 2]).sum(axis=0)
        back[k] = mean / np.linalg.norm(mean)
    found = _axes(T, pairs.step_s, window_s)
    for k in range(COUNT):
        np.testing.assert_allclose(found[k], T[k, :3, :3].T @ (back[k] + back[k + 1]) / 2, atol=2e-3)


def test_drawing_back_is_travelled_and_sliding_aside_or_looking_around_is_not() -> None:
    back = np.tile([0, 0, -0.6, 0, 0, 0], (600, 1)).astype(float)
    sliding, looking = back.copy(), back.copy()
    sliding[:, 0] = 0.5
    looking[:, 4] = np.where(np.arange(600) // 5 % 2, 1.0, -1.0)  # to and fro in yaw by four degrees
    for velocity in (back, sliding, looking):
        found = estimate_travel(made_pairs(velocity, noise_std=1e-4), PARAMETERS).step
        assert found.sum() == pytest.approx(0.6 * 600 / 15, rel=0.01)


def test_a_bend_is_travelled_around() -> None:
    """Drawn back while it turns by a quarter circle in a minute: the distance is that along the arc."""
    velocity = np.tile([0, 0, -0.6, 0, np.pi / 2 / 60, 0], (900, 1)).astype(float)
    assert estimate_travel(made_pairs(velocity, noise_std=1e-4), PARAMETERS).step.sum() == pytest.approx(36, rel=0.01)


def test_errors_of_steps_are_those_of_the_velocities_and_larger_in_gaps() -> None:
    """Looking straight on, the error of a step is that of the velocity along z."""
    velocity = np.random.default_rng(2).normal(size=(COUNT, 6)) * [0.1, 0.1, 0.3, 0, 0, 0] + [0, 0, -0.6, 0, 0, 0]
    pairs = made_pairs(velocity, noise_std=0.3, clear=np.arange(COUNT) % 30 < 20)
    posterior = smooth_velocities(pairs, PARAMETERS.smoother).deviations(2, 4000, np.random.default_rng(0)).std(axis=1)
    wanted = posterior * pairs.step_s * np.where(pairs.clear, 1.0, PARAMETERS.location.gap_error)
    np.testing.assert_allclose(std_of(estimate_travel(pairs, PARAMETERS)), wanted, rtol=0.1)


def uncertain() -> PairVelocities:
    """Ten pairs with a predicted deviation far above the step; what comes after the thirtieth is a gap."""
    predicted = made().noise_std.copy()
    predicted[10:20] = 1.0
    return replace(made(), clear=np.arange(COUNT) < 30, predicted_std=predicted)


def unpredicted() -> PairVelocities:
    return replace(uncertain(), predicted_std=np.full((COUNT, 6), np.nan))


def test_the_predicted_deviation_is_an_error_in_common() -> None:
    pairs = uncertain()
    with_it, without = estimate_travel(pairs, PARAMETERS), estimate_travel(unpredicted(), PARAMETERS)
    more = with_it.draws(4000, np.random.default_rng(1)) - without.draws(4000, np.random.default_rng(1))
    np.testing.assert_allclose(more.std(axis=1), common_std(pairs, PARAMETERS.step_uncertainty), rtol=0.1, atol=1e-9)
    rho = common_correlation(pairs.step_s, PARAMETERS.step_uncertainty)
    assert np.corrcoef(more[12], more[13])[0, 1] == pytest.approx(rho, abs=0.05)
    np.testing.assert_allclose(with_it.step, without.step)


def test_in_a_withdrawal_steps_of_excess_uncertainty_are_longer_and_less_certain() -> None:
    pairs, steps = uncertain(), PARAMETERS.step_uncertainty
    corrected = estimate_travel(pairs, PARAMETERS, withdrawn=True)
    further = corrected.step - estimate_travel(pairs, PARAMETERS).step
    assert further[10:20].min() > 0.1
    assert np.abs(further[:8]).max() < 0.02
    assert (std_of(corrected)[10:20] > 0.9 * (common_std(pairs, steps) + bias_std(pairs, steps))[10:20]).all()
    unchanged = estimate_travel(unpredicted(), PARAMETERS, withdrawn=True)
    np.testing.assert_allclose(unchanged.step, estimate_travel(unpredicted(), PARAMETERS).step)


def test_a_known_length_is_the_posterior_of_steps_whose_sum_is_measured() -> None:
    """Against the dense covariance of the draws."""
    shared = replace(PARAMETERS.step_uncertainty, common_share=0.5)  # enough for the length to tell much
    travel = estimate_travel(uncertain(), replace(PARAMETERS, step_uncertainty=shared))
    covariance = np.cov(travel.draws(40_000, np.random.default_rng(2)))
    length = PathLength(float(travel.step.sum()) + 1.5, 1.5)
    found = travel.with_length(length, FAR_SHORT)
    gain = covariance.sum(axis=1) / (covariance.sum() + length.std**2)
    np.testing.assert_allclose(found.step, travel.step + 1.5 * gain, atol=0.003)
    np.testing.assert_allclose(std_of(found), np.sqrt(np.diag(covariance) - gain * covariance.sum(axis=1)), rtol=0.06)
    moved, before = (np.linalg.norm(np.diff(one.poses()[:, :3, 3], axis=0), axis=1).sum() for one in (found, travel))
    assert moved > before + 0.15, "the poses go as far as the steps"


def test_what_is_missing_lies_where_the_travel_is_uncertain_or_unmeasured() -> None:
    def missing(pairs: PairVelocities, *, withdrawn: bool) -> np.ndarray:
        travel = estimate_travel(pairs, PARAMETERS, withdrawn=withdrawn)
        return travel.with_length(PathLength(2.0 * float(travel.step.sum()), 0.5), FAR_SHORT).step - travel.step

    more = missing(uncertain(), withdrawn=True)
    assert more[10:20].mean() > 20 * more[:8].mean()
    blind = unpredicted()
    more = missing(replace(blind, measured=np.where(blind.clear[:, None], blind.measured, np.nan)), withdrawn=False)
    assert more[40:].mean() > 10 * more[:25].mean()


def test_an_implausibly_short_path_has_larger_errors_than_predicted() -> None:
    travel = estimate_travel(made(), PARAMETERS)
    length = float(travel.step.sum())
    near, far = (travel.with_length(PathLength(factor * length, 0.2 * length), FAR_SHORT) for factor in (1.1, 3.0))
    assert std_of(near).mean() < 1.05 * std_of(travel).mean()
    assert std_of(far).mean() > 5 * std_of(near).mean()
    spread = travel.draws(2000, np.random.default_rng(0)).sum(axis=0).std()
    assert far.step.sum() > 2.5 * length > near.step.sum() > length - 4 * spread
