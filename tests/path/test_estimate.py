"""The location estimate: motion weighted by its uncertainty, gaps, calibre, and a stated uncertainty that holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from haustra.path.calibre import location_of_travel, mean_profile, places
from haustra.path.estimate import End, LocationEstimate, estimate_location, travel_of
from haustra.path.steady import MEMORY_S, PairVelocities, steady_motion

STEP_S = 1 / 15


def made(
    seconds: float = 120.0,
    *,
    seed: int = 0,
    noise: float = 0.05,
    lost: float = 0.0,
    poor_std: float = 2.0,
) -> tuple[PairVelocities, np.ndarray]:
    """A withdrawal along z at 0.4 a second with to-and-fro; `lost` of the time lies in gaps of 2 s; and the way."""
    rng = np.random.default_rng(seed)
    count = round(seconds / STEP_S)
    keep = np.exp(-STEP_S / MEMORY_S)
    wander = np.zeros((count, 6))
    for i in range(1, count):
        wander[i] = keep * wander[i - 1] + np.sqrt(1 - keep**2) * rng.standard_normal(6)
    velocity = wander * [0.1, 0.1, 0.5, 0.05, 0.05, 0.05] + [0, 0, -0.4, 0, 0, 0]
    seen = np.ones(count, bool)
    for start in range(30, count - 60, 60):
        if lost and rng.random() < 2 * lost:
            seen[start : start + 30] = False
    std = np.where(seen[:, None], noise, poor_std) * np.array([1, 1, 1, 0.1, 0.1, 0.1])
    measured = velocity + std * rng.standard_normal((count, 6))
    way = np.concatenate([[0.0], np.cumsum(-velocity[:, 2] * STEP_S)])
    return PairVelocities(np.full(count, STEP_S), measured, std, seen, np.zeros(count, bool)), way


def located(way: np.ndarray) -> np.ndarray:
    """The location of a way in calibres in the mean colon."""
    return location_of_travel(np.clip(way / way[-1], 0, 1), mean_profile().log_calibre)


def estimated(pairs: PairVelocities, **ends: Any) -> LocationEstimate:
    return estimate_location(travel_of(pairs), **ends)


def test_exact_motion_gives_the_way_through_the_calibre_prior() -> None:
    pairs, way = made(noise=1e-4)
    found = estimated(pairs)
    expected = located(way)
    # Progress is counted along the averaged viewing axis: what turns away from it is not travelled.
    assert np.abs(found.index - expected).mean() < 0.01
    assert found.index[0] == pytest.approx(0.0)
    assert found.index[-1] == pytest.approx(1.0)


def test_a_measurement_counts_by_its_stated_uncertainty() -> None:
    pairs, _ = made()
    wrong = pairs.measured.copy()
    wrong[600:630, 2] += 5.0
    trusted = steady_motion(PairVelocities(pairs.step_s, wrong, pairs.std, pairs.seen, pairs.held)).mean
    std = pairs.std.copy()
    std[600:630] = 50.0
    doubted = steady_motion(PairVelocities(pairs.step_s, wrong, std, pairs.seen, pairs.held)).mean
    assert trusted[605:625, 2].mean() - doubted[605:625, 2].mean() > 3.0


def test_one_pair_that_is_far_off_counts_for_little() -> None:
    pairs, _ = made()
    wrong = pairs.measured.copy()
    wrong[700, 2] += 20.0
    clean, spoilt = (
        steady_motion(PairVelocities(pairs.step_s, measured, pairs.std, pairs.seen, pairs.held)).mean[700, 2]
        for measured in (pairs.measured, wrong)
    )
    assert abs(spoilt - clean) < 1.0


def test_poor_frames_inside_gaps_tell_what_they_know() -> None:
    errors = {}
    for poor_std in (0.3, 1e3):
        error = []
        for seed in range(6):
            pairs, way = made(seed=seed, lost=0.45, poor_std=poor_std)
            expected = located(way)
            error.append(np.abs(estimated(pairs).index - expected).mean())
        errors[poor_std] = float(np.mean(error))
    assert errors[0.3] < 0.6 * errors[1e3]


def test_missing_measurements_are_bridged_and_less_certain() -> None:
    pairs, _ = made(lost=0.45)
    measured = np.where(pairs.seen[:, None], pairs.measured, np.nan)
    motion = steady_motion(PairVelocities(pairs.step_s, measured, pairs.std, pairs.seen, pairs.held))
    assert np.isfinite(motion.mean).all()
    middle = ~pairs.seen
    assert motion.std[middle, 2].mean() > 3 * motion.std[~middle, 2].mean()


def test_the_scope_is_held_while_an_instrument_is_out() -> None:
    pairs, _ = made(lost=0.45)
    measured = np.where(pairs.seen[:, None], pairs.measured, np.nan)
    held = ~pairs.seen
    still = steady_motion(PairVelocities(pairs.step_s, measured, pairs.std, pairs.seen, held)).mean
    moving = steady_motion(PairVelocities(pairs.step_s, measured, pairs.std, pairs.seen, np.zeros_like(held))).mean
    assert abs(still[held, 2].mean()) < 0.6 * abs(moving[held, 2].mean())


def test_marginal_deviation_is_that_of_the_draws() -> None:
    pairs, _ = made(20.0, lost=0.45)
    motion = steady_motion(pairs)
    drawn = motion.draws(2, 4000, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.std(axis=1), motion.std[:, 2], rtol=0.1)


def test_uncertainty_holds_where_all_errors_are_those_of_motion() -> None:
    """Means no calibre error is made here, so nearly all frames must lie within two standard deviations."""
    within = []
    for seed in range(8):
        pairs, way = made(seed=seed, lost=0.45, poor_std=1.0)
        found = estimated(pairs)
        expected = located(way)
        within.append(np.mean(np.abs(found.index - expected) <= 2 * found.std))
    assert np.mean(within) > 0.9


def test_no_travel_is_no_place() -> None:
    pairs, _ = made(10.0)
    still = PairVelocities(pairs.step_s, np.zeros_like(pairs.measured), pairs.std, pairs.seen, pairs.held)
    found = estimated(still)
    assert found.std.min() > 0.2


def test_the_first_half_of_the_way_is_more_than_half_of_the_colon() -> None:
    """The colon is wider there, and a step in the picture is longer."""
    assert float(located(np.array([0.0, 0.5, 1.0]))[1]) > 0.52


def test_location_of_travel_inverts_the_way_in_calibres() -> None:
    location = np.linspace(0, 1, 2001)
    inverse = np.exp(-np.interp(location, places(), mean_profile().log_calibre))
    way = np.concatenate([[0], np.cumsum((inverse[1:] + inverse[:-1]) / 2)])
    np.testing.assert_allclose(located(way), location, atol=1e-4)


def test_a_part_of_the_colon_stays_between_its_ends() -> None:
    pairs, _ = made(40.0)
    found = estimated(pairs, ends=(End(0.3, 0.02), End(0.6, 0.01)))
    assert found.index.min() == pytest.approx(0.3)
    assert found.index.max() == pytest.approx(0.6)
    assert found.std[0] == pytest.approx(0.02, rel=0.3)
    assert found.std[-1] == pytest.approx(0.01, rel=0.3)


def test_the_location_is_the_mean_of_axis_and_path_and_their_distance_counts() -> None:
    """What slides aside while it is drawn back travels too little along its axis, but not along the path."""
    count = 900
    turn = np.zeros((count, 6))
    turn[:, 2] = -0.4
    turn[300:600, 0] = 0.4  # for a third of the time it slides sideways as fast
    pairs = PairVelocities(
        np.full(count, STEP_S), turn, np.full((count, 6), 1e-3), np.ones(count, bool), np.zeros(count, bool)
    )
    travel = travel_of(pairs)
    by_axis = located(np.concatenate([[0.0], np.cumsum(travel.step)]))
    found = estimate_location(travel)
    by_path = 2 * found.index - by_axis
    apart = np.abs(by_axis - by_path)
    assert apart.max() > 0.02
    assert (found.std >= 0.5 * apart).all()
    assert np.abs(by_path - by_axis)[[0, -1]].max() < 1e-9


def test_between_given_ends_both_measures_stay_between_them() -> None:
    pairs, _ = made()
    found = estimated(pairs, ends=(End(0.2, 0.01), End(0.7, 0.01)))
    assert found.index[0] == pytest.approx(0.2)
    assert found.index[-1] == pytest.approx(0.7)
    assert found.index.min() >= 0.2
    assert found.index.max() <= 0.7
