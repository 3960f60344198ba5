"""Progress along the viewing axis and the estimate of the location, against plain transcriptions."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.path.calibre import location_of_travel, mean_profile, places
from haustra.path.estimate import (
    AXIS_S,
    DOUBT,
    DOUBT_S,
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
    errors = [motion.draws(k, 7, again) for k in range(3)]
    for d in range(7):
        off = sum(axis[:, k] * errors[k][:, d] for k in range(3)) * pairs.step_s
        np.testing.assert_allclose(drawn[:, d], travel.step + off)


def test_shares_of_the_way_stay_between_the_ends() -> None:
    assert _shares(np.array([1.0, -2.0, 4.0, 2.0, -1.0])).tolist() == pytest.approx([0, 0.25, 0, 0.75, 1, 1])
    assert _shares(np.array([2.0, 2.0])).tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("ends", [(End(0.0, 0.02), End(1.0, 0.02)), (End(0.3, 0.01), End(0.8, 0.05))])
def test_the_location_is_the_mean_of_both_measures(ends: tuple[End, End]) -> None:
    travel, profile = travel_of(made()), mean_profile()
    first, last = ends[0].location, ends[1].location
    by_axis = location_of_travel(_shares(travel.step), profile.log_calibre, first, last)
    wide = np.interp(by_axis, places(), profile.log_calibre) - profile.log_calibre.mean()
    T_w_c = travel.poses(np.exp(wide[1:]))
    by_path = first + (last - first) * location_index(T_w_c[:, :3, 3]).index
    found = estimate_location(travel, ends)
    np.testing.assert_allclose(found.index, (by_axis + by_path) / 2)
    np.testing.assert_allclose(found.T_w_c, T_w_c)
    spread = np.mean((_draws(travel, profile, ends) - by_axis[:, None]) ** 2, axis=1)
    np.testing.assert_allclose(found.std, np.sqrt(spread + (by_axis - by_path) ** 2 / 4 + SMALLEST_STD**2))
    assert np.abs(by_axis - by_path).max() > 0.005
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


def test_what_the_network_doubts_is_an_error_in_common() -> None:
    pairs = made()
    seen, stated = np.arange(COUNT) < 30, pairs.std.copy()
    stated[10:20] *= 20
    stated[25] = np.nan
    doubting = travel_of(replace(pairs, seen=seen, stated=stated))
    back = np.abs(doubting._axis).sum(axis=1) * 0.05 * pairs.step_s
    wanted = np.where((np.arange(COUNT) >= 10) & (np.arange(COUNT) < 20), np.sqrt(20.0**2 - 1) * back, 0.0)
    np.testing.assert_allclose(doubting._doubt, wanted, atol=1e-12)
    assert not travel_of(pairs)._doubt.any(), "a network that states nothing"

    trusting = travel_of(replace(pairs, seen=seen))
    more = doubting.draws(4000, np.random.default_rng(1)) - trusting.draws(4000, np.random.default_rng(1))
    np.testing.assert_allclose(more.std(axis=1), DOUBT * wanted, rtol=0.1, atol=1e-9)
    alike = np.exp(-float(np.median(pairs.step_s)) / DOUBT_S)
    assert np.corrcoef(more[12], more[13])[0, 1] == pytest.approx(alike, abs=0.05)


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
