"""The location estimate: motion weighted by its uncertainty, gaps, calibre, and a predicted uncertainty that holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_pairs import made_pairs

from haustra.path.calibre import location_of_travel, mean_profile
from haustra.path.frame_locations import UNKNOWN_STD, End, FrameLocations, whole_colon
from haustra.path.location_estimate import estimate_location
from haustra.path.parameters import PathParameters
from haustra.path.smoother import smooth_velocities
from haustra.path.travel import estimate_travel
from haustra.path.velocities import PairVelocities

STEP_S = 1 / 15
PARAMETERS = PathParameters()
WHOLE = whole_colon(PARAMETERS.location.end_std)


def made(
    seconds: float = 120.0,
    *,
    seed: int = 0,
    noise: float = 0.05,
    lost: float = 0.0,
    low_quality_noise: float = 2.0,
) -> tuple[PairVelocities, np.ndarray]:
    """A withdrawal along z at 0.4 a second, to and fro, with `lost` of the time in gaps of 2 s; and the distance."""
    rng = np.random.default_rng(seed)
    count = round(seconds / STEP_S)
    keep = np.exp(-STEP_S / PARAMETERS.smoother.memory_s)
    wander = np.zeros((count, 6))
    for i in range(1, count):
        wander[i] = keep * wander[i - 1] + np.sqrt(1 - keep**2) * rng.standard_normal(6)
    velocity = wander * [0.1, 0.1, 0.5, 0.05, 0.05, 0.05] + [0, 0, -0.4, 0, 0, 0]
    clear = np.ones(count, bool)
    for start in range(30, count - 60, 60):
        if lost and rng.random() < 2 * lost:
            clear[start : start + 30] = False
    std = np.where(clear[:, None], noise, low_quality_noise) * np.array([1, 1, 1, 0.1, 0.1, 0.1])
    measured = velocity + std * rng.standard_normal((count, 6))
    travelled = np.concatenate([[0.0], np.cumsum(-velocity[:, 2] * STEP_S)])
    return made_pairs(measured, step_s=STEP_S, noise_std=std, clear=clear), travelled


def located(travelled: np.ndarray) -> np.ndarray:
    """The location after a distance in calibres in the mean colon."""
    profile = mean_profile(PARAMETERS.calibre)
    return location_of_travel(np.clip(travelled / travelled[-1], 0, 1), profile.locations, profile.log_calibre)


def estimated(
    pairs: PairVelocities,
    ends: tuple[End, End] = WHOLE,
    parameters: PathParameters = PARAMETERS,
    *,
    length_known: bool = True,
) -> FrameLocations:
    return estimate_location(estimate_travel(pairs, parameters), ends, parameters, length_known=length_known)


def smoothed(pairs: PairVelocities, **changed: Any) -> np.ndarray:
    return smooth_velocities(replace(pairs, **changed), PARAMETERS.smoother).mean


def straight(count: int = 900) -> PairVelocities:
    """Drawn straight back at an even pace, measured without any error."""
    measured = np.zeros((count, 6))
    measured[:, 2] = -0.4
    return made_pairs(measured, noise_std=1e-4)


def test_exact_motion_gives_the_location_through_the_calibre_prior() -> None:
    pairs, travelled = made(noise=1e-4)
    found = estimated(pairs)
    # Progress is counted along the averaged viewing axis: what turns away from it is not travelled.
    assert np.abs(found.index - located(travelled)).mean() < 0.01
    assert found.index[0] == pytest.approx(0.0)
    assert found.index[-1] == pytest.approx(1.0)


def test_a_measurement_counts_by_its_uncertainty() -> None:
    pairs, _ = made()
    wrong = pairs.measured.copy()
    wrong[600:630, 2] += 5.0
    uncertain = pairs.noise_std.copy()
    uncertain[600:630] = 50.0
    trusted, ignored = smoothed(pairs, measured=wrong), smoothed(pairs, measured=wrong, noise_std=uncertain)
    assert trusted[605:625, 2].mean() - ignored[605:625, 2].mean() > 3.0


def test_one_pair_that_is_far_off_counts_for_little() -> None:
    pairs, _ = made()
    wrong = pairs.measured.copy()
    wrong[700, 2] += 20.0
    assert abs(smoothed(pairs, measured=wrong)[700, 2] - smoothed(pairs)[700, 2]) < 1.0


def test_low_quality_frames_inside_gaps_tell_what_they_know() -> None:
    errors = {}
    for noise in (0.3, 1e3):
        error = []
        for seed in range(6):
            pairs, travelled = made(seed=seed, lost=0.45, low_quality_noise=noise)
            error.append(np.abs(estimated(pairs).index - located(travelled)).mean())
        errors[noise] = float(np.mean(error))
    assert errors[0.3] < 0.6 * errors[1e3]


def test_missing_measurements_are_bridged_and_less_certain() -> None:
    pairs, _ = made(lost=0.45)
    unmeasured = replace(pairs, measured=np.where(pairs.clear[:, None], pairs.measured, np.nan))
    posterior = smooth_velocities(unmeasured, PARAMETERS.smoother)
    assert np.isfinite(posterior.mean).all()
    std = posterior.deviations(2, 500, np.random.default_rng(0)).std(axis=1)
    assert std[~pairs.clear].mean() > 3 * std[pairs.clear].mean()


def test_the_scope_is_held_while_an_instrument_is_out() -> None:
    pairs, _ = made(lost=0.45)
    gaps, measured = ~pairs.clear, np.where(pairs.clear[:, None], pairs.measured, np.nan)
    held, free = smoothed(pairs, measured=measured, instrument=gaps), smoothed(pairs, measured=measured)
    assert abs(held[gaps, 2].mean()) < 0.6 * abs(free[gaps, 2].mean())


def test_uncertainty_holds_where_all_errors_are_those_of_motion() -> None:
    """No calibre error is made here, so nearly all frames must lie within two standard deviations."""
    within = []
    for seed in range(8):
        pairs, travelled = made(seed=seed, lost=0.45, low_quality_noise=1.0)
        found = estimated(pairs)
        within.append(np.mean(np.abs(found.index - located(travelled)) <= 2 * found.std))
    assert np.mean(within) > 0.9


def test_what_was_never_withdrawn_is_spread_evenly_and_unknown() -> None:
    pairs, _ = made(20.0)
    ends = End(0.1, 0.1), End(0.6, 0.1)
    for measured in (np.zeros_like(pairs.measured), -pairs.measured):
        found = estimated(replace(pairs, measured=measured), ends)
        np.testing.assert_allclose(found.index, np.linspace(0.1, 0.6, len(measured) + 1))
        assert set(found.std) == {UNKNOWN_STD}


def test_a_part_of_the_colon_stays_between_its_ends_and_is_as_certain_there_as_they_are() -> None:
    pairs, _ = made(40.0)
    found = estimated(pairs, (End(0.3, 0.02), End(0.6, 0.01)))
    assert (found.index[0], found.index[-1]) == pytest.approx((0.3, 0.6))
    assert (found.index.min(), found.index.max()) == pytest.approx((0.3, 0.6))
    assert found.std[0] == pytest.approx(0.02, rel=0.3)
    assert found.std[-1] == pytest.approx(0.01, rel=0.3)


def test_the_less_is_known_of_the_calibre_the_less_is_known_of_the_middle() -> None:
    """Motion and ends are known: what is left is how the calibre of this colon differs from the mean colon's."""
    ends, std = (End(0.0, 0.0), End(1.0, 0.0)), []
    for spread in (0.0, 0.06, 0.12):
        parameters = replace(PARAMETERS, calibre=replace(PARAMETERS.calibre, spread=spread, taper_spread=0.0))
        std.append(estimated(straight(), ends, parameters, length_known=False).std)
        assert std[-1][[0, -1]] == pytest.approx(PARAMETERS.location.smallest_std, rel=0.01)
    middle = [float(one[450]) for one in std]
    assert middle[1] > 3 * middle[0]
    assert middle[2] == pytest.approx(2 * middle[1], rel=0.1)


def test_where_the_length_is_known_what_is_missing_lies_in_the_gap() -> None:
    """The prior expects 45 +- 11 calibres; 24 were found, and nothing was measured for a fifth of the time."""
    parameters = replace(PARAMETERS, length_prior=replace(PARAMETERS.length_prior, mean=45.0, std=11.0))
    pairs, _ = made(60.0)
    measured = pairs.measured.copy()
    measured[400:580] = np.nan
    pairs = replace(pairs, measured=measured, clear=np.isfinite(measured[:, 0]))
    unknown, known = (
        np.diff(estimated(pairs, parameters=parameters, length_known=known).index[[400, 580]])[0]
        for known in (False, True)
    )
    assert known > unknown + 0.2


def test_the_location_lies_between_axis_and_path_and_their_distance_counts() -> None:
    """What slides aside while it is drawn back travels less along its axis than along the path."""
    sliding = straight().measured.copy()
    sliding[300:600, 0] = 0.4  # for a third of the time it slides sideways as fast
    found = estimated(made_pairs(sliding, noise_std=1e-3), length_known=False)
    by_axis = located(np.arange(901.0))
    per_second = np.where((np.arange(900) >= 300) & (np.arange(900) < 600), np.sqrt(2), 1.0)
    by_path = np.concatenate([[0.0], np.cumsum(per_second * np.diff(by_axis))])
    by_path /= by_path[-1]
    apart = np.abs(by_path - by_axis)
    assert apart.max() > 0.02
    np.testing.assert_allclose(found.index, (by_axis + by_path) / 2, atol=0.004)
    assert (found.std >= 0.45 * apart).all()
