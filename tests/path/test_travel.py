"""Progress along the viewing axis and the estimate of the location, against plain transcriptions."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.path.calibre import location_of_travel, mean_profile, places
from haustra.path.doubt import DOUBT_S, lasting, pull_errors, stated_errors
from haustra.path.estimate import (
    AXIS_S,
    DRAWS,
    SMALLEST_STD,
    End,
    _axes,
    _chained,
    _draws,
    _shares,
    estimate_location,
    travel_of,
)
from haustra.path.extent import extent_of
from haustra.path.length import KnownWay, way_between
from haustra.path.location import UNKNOWN_STD, location_index
from haustra.path.steady import PairVelocities, steady_motion
from haustra.terms import Extent

COUNT = 90


def made() -> PairVelocities:
    rng = np.random.default_rng(0)
    step_s = rng.uniform(0.05, 0.09, COUNT)
    velocity = rng.normal(size=(COUNT, 6)) * [0.1, 0.1, 0.1, 0.3, 0.3, 0.3] + [0.05, 0, -0.6, 0, 0.2, 0]
    velocity[40:60, 0] += 0.7  # slides aside
    return PairVelocities(step_s, velocity, np.full((COUNT, 6), 0.05), np.ones(COUNT, bool), np.zeros(COUNT, bool))


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


def test_the_way_back_is_against_the_viewing_axis_averaged_over_time() -> None:
    pairs = made()
    T = _chained(steady_motion(pairs).mean, pairs.step_s)
    width = AXIS_S / np.median(pairs.step_s)
    back = np.empty((COUNT + 1, 3))
    for k in range(COUNT + 1):
        around = np.arange(k - round(4 * width), k + round(4 * width) + 1)
        weight = np.exp(-0.5 * ((around - k) / width) ** 2)
        seen = -T[np.clip(around, 0, COUNT), :3, 2]
        mean = (weight[:, None] * seen).sum(axis=0)
        back[k] = mean / np.linalg.norm(mean)
    found = _axes(T, pairs.step_s)
    for k in range(COUNT):
        np.testing.assert_allclose(found[k], T[k, :3, :3].T @ (back[k] + back[k + 1]) / 2, atol=2e-3)


def test_a_step_is_the_motion_along_the_axis_and_its_draws_are_those_of_the_motion() -> None:
    pairs = made()
    travel, motion = travel_of(pairs), steady_motion(pairs)
    axis = _axes(_chained(motion.mean, pairs.step_s), pairs.step_s)
    wanted = [axis[k] @ motion.mean[k, :3] * pairs.step_s[k] for k in range(COUNT)]
    np.testing.assert_allclose(travel.step, wanted)
    rng, again = np.random.default_rng(5), np.random.default_rng(5)
    drawn = travel.draws(7, rng)
    lasting(pairs.step_s, 7, again)  # nothing is doubted
    errors = [motion.draws(k, 7, again) for k in range(3)]
    for d in range(7):
        off = sum(axis[:, k] * errors[k][:, d] for k in range(3)) * pairs.step_s
        np.testing.assert_allclose(drawn[:, d], travel.step + off)


def test_shares_of_the_way_stay_between_the_ends() -> None:
    assert _shares(np.array([1.0, -2.0, 4.0, 2.0, -1.0])).tolist() == pytest.approx([0, 0.25, 0, 0.75, 1, 1])
    assert _shares(np.array([2.0, 2.0])).tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("ends", [(End(0.0, 0.02), End(1.0, 0.02)), (End(0.3, 0.01), End(0.8, 0.05))])
@pytest.mark.parametrize("known", [True, False])
def test_the_location_is_the_mean_of_both_measures(ends: tuple[End, End], known: bool) -> None:
    profile, (first, last) = mean_profile(), (ends[0].location, ends[1].location)
    unknown = travel_of(made())
    travel = unknown.of_length(way_between(profile, first, last)) if known else unknown
    by_axis = location_of_travel(_shares(travel.step), profile.log_calibre, first, last)
    wide = np.interp(by_axis, places(), profile.log_calibre) - profile.log_calibre.mean()
    T_w_c = travel.poses(np.exp(wide[1:]))
    by_path = first + (last - first) * location_index(T_w_c[:, :3, 3]).index
    found = estimate_location(unknown, ends, known=known)
    np.testing.assert_allclose(found.index, (by_axis + by_path) / 2)
    np.testing.assert_allclose(found.T_w_c, T_w_c)
    spread = np.mean((_draws(travel, profile, ends) - by_axis[:, None]) ** 2, axis=1)
    np.testing.assert_allclose(found.std, np.sqrt(spread + (by_axis - by_path) ** 2 / 4 + SMALLEST_STD**2))
    assert known or np.abs(by_axis - by_path).max() > 0.005
    assert (SMALLEST_STD, AXIS_S, DRAWS) == (0.003, 1.5, 128)


def test_draws_vary_motion_calibre_and_ends() -> None:
    travel, profile, ends = travel_of(made()), mean_profile(), (End(0.3, 0.01), End(0.8, 0.05))
    rng = np.random.default_rng(0)
    calibres = profile.draws(DRAWS, rng)
    first = 0.3 + 0.01 * rng.standard_normal(DRAWS)
    last = 0.8 + 0.05 * rng.standard_normal(DRAWS)
    steps = travel.draws(DRAWS, rng)
    found = _draws(travel, profile, ends)
    assert found.shape == (COUNT + 1, DRAWS)
    for d in (0, 1, DRAWS - 1):
        wanted = location_of_travel(_shares(steps[:, d]), calibres[:, d], first[d], last[d])
        np.testing.assert_allclose(found[:, d], wanted)


def doubting() -> PairVelocities:
    """Ten pairs state far more than they found; what comes after the thirtieth is a gap."""
    pairs = made()
    stated = pairs.std.copy()
    stated[10:20] = 1.0
    return replace(pairs, seen=np.arange(COUNT) < 30, stated=stated)


def test_what_the_network_states_is_an_error_in_common() -> None:
    pairs = doubting()
    doubtful, trusting = travel_of(pairs), travel_of(replace(pairs, stated=None))
    more = doubtful.draws(4000, np.random.default_rng(1)) - trusting.draws(4000, np.random.default_rng(1))
    np.testing.assert_allclose(more.std(axis=1), stated_errors(pairs), rtol=0.1, atol=1e-9)
    alike = np.exp(-float(np.median(pairs.step_s)) / DOUBT_S)
    assert np.corrcoef(more[12], more[13])[0, 1] == pytest.approx(alike, abs=0.05)
    np.testing.assert_allclose(doubtful.step, trusting.step)


def test_in_a_withdrawal_what_is_doubted_is_a_pull() -> None:
    pairs = doubting()
    further = travel_of(pairs, withdrawn=True).step - travel_of(pairs).step
    assert further[10:20].min() > 0.1
    assert np.abs(further[:8]).max() < 0.02
    wider = travel_of(pairs, withdrawn=True).draws(4000, np.random.default_rng(1)).std(axis=1)
    assert (wider[10:20] > 0.9 * (stated_errors(pairs) + pull_errors(pairs))[10:20]).all()
    np.testing.assert_allclose(travel_of(replace(pairs, stated=None), withdrawn=True).step, travel_of(pairs).step)


def test_a_known_way_is_the_posterior_of_steps_whose_sum_is_known() -> None:
    """Against the dense covariance of the draws."""
    travel = travel_of(doubting())
    drawn = travel.draws(40_000, np.random.default_rng(2))
    covariance = np.cov(drawn)
    known = KnownWay(float(travel.step.sum()) + 1.5, 1.5)
    found = travel.of_length(known)
    gain = covariance.sum(axis=1) / (covariance.sum() + known.std**2)
    np.testing.assert_allclose(found.step, travel.step + 1.5 * gain, atol=0.003)
    wanted = np.sqrt(np.diag(covariance) - gain * covariance.sum(axis=1))
    np.testing.assert_allclose(found.draws(4000, np.random.default_rng(3)).std(axis=1), wanted, rtol=0.06)
    moved = np.linalg.norm(np.diff(found.poses()[:, :3, 3], axis=0), axis=1).sum()
    assert moved > np.linalg.norm(np.diff(travel.poses()[:, :3, 3], axis=0), axis=1).sum() + 0.15


def test_what_is_missing_lies_where_the_travel_is_doubted_or_unseen() -> None:
    travel = travel_of(doubting(), withdrawn=True)
    more = travel.of_length(KnownWay(2.0 * float(travel.step.sum()), 0.5)).step - travel.step
    assert more[10:20].mean() > 20 * more[:8].mean()
    blind = replace(doubting(), stated=None, measured=np.where(doubting().seen[:, None], doubting().measured, np.nan))
    unseen = travel_of(blind)
    more = unseen.of_length(KnownWay(2.0 * float(unseen.step.sum()), 0.5)).step - unseen.step
    assert more[40:].mean() > 10 * more[:25].mean()


def test_a_way_that_is_far_too_short_has_larger_errors_than_are_stated() -> None:
    travel = travel_of(made())
    way = float(travel.step.sum())
    stated = travel.draws(2000, np.random.default_rng(0)).sum(axis=0).std()
    near, far = (travel.of_length(KnownWay(factor * way, 0.2 * way)) for factor in (1.1, 3.0))
    assert (
        near.draws(2000, np.random.default_rng(0)).std(axis=1).mean()
        < 1.05 * travel.draws(2000, np.random.default_rng(0)).std(axis=1).mean()
    )
    assert (
        far.draws(2000, np.random.default_rng(0)).std(axis=1).mean()
        > 5 * near.draws(2000, np.random.default_rng(0)).std(axis=1).mean()
    )
    assert far.step.sum() > 2.5 * way > near.step.sum() > way - 4 * stated


def test_what_never_gets_back_is_spread_evenly_and_unknown() -> None:
    pairs = made()
    inserted = PairVelocities(pairs.step_s, -pairs.measured, pairs.std, pairs.seen, pairs.held)
    found = estimate_location(travel_of(inserted), (End(0.1, 0.1), End(0.6, 0.1)))
    np.testing.assert_allclose(found.index, np.linspace(0.1, 0.6, COUNT + 1))
    assert set(found.std) == {UNKNOWN_STD}


def extent(way: float, seconds: float = 60.0, spread: float = 0.1) -> Extent:
    """Of a way that is drawn with two values, `spread` of it apart from the mean."""
    ways = way * np.array([[1 - spread, 1 + spread]])
    step = SimpleNamespace(step=np.full(4, way / 4), step_s=np.full(4, seconds / 4), draws=lambda *_: ways)
    return extent_of(step, begins=True)  # type: ignore[arg-type]


def test_limits_of_the_extent() -> None:
    assert [extent(way) for way in (0.999, 1.0, 23.99, 24.0)] == [
        Extent.UNKNOWN, Extent.PART, Extent.PART, Extent.LIKELY
    ]  # fmt: skip
    assert [extent(170, seconds) for seconds in (4.99, 5.0)] == [Extent.UNKNOWN, Extent.LIKELY]
    assert [extent(170, spread=spread) for spread in (0.5, 0.4999)] == [Extent.UNKNOWN, Extent.LIKELY]
    assert extent(-170) is Extent.UNKNOWN
