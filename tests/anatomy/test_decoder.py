from pathlib import Path

import numpy as np
import pytest

from haustra.anatomy import load_template
from haustra.anatomy.boundary_sums import NODES, boundary_marginals
from haustra.anatomy.decoder import decode_segments, gather
from haustra.anatomy.decoder_priors import DurationPrior, duration_prior_of, length_prior, load_durations
from haustra.anatomy.landmarks import Landmark, parse_landmarks
from haustra.errors import HaustraError

TEMPLATE = load_template("paper-set2")
TIME_S = np.arange(0.0, 300.0, 0.5)
CLOCK = TIME_S / TIME_S[-1]


def test_shares_of_the_length_prior_vary_as_the_template():
    prior = length_prior(TEMPLATE)
    raw = np.exp(prior.log_mean + prior.log_std * np.random.default_rng(1).standard_normal((40000, 6)))
    share = raw / raw.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(share.mean(axis=0), TEMPLATE.mean, atol=0.004)
    np.testing.assert_allclose(share.std(axis=0), TEMPLATE.std, rtol=0.12)


def test_boundaries_by_the_clock_are_those_of_drawn_durations():
    """The sums over the grid against plain simulation: durations drawn, those with the right total kept."""
    durations = DurationPrior(np.array([20.0, 60.0, 60.0, 40.0, 50.0, 40.0]), 0.4, 30.0)
    rng = np.random.default_rng(0)
    drawn = durations.median_s * np.exp(0.4 * rng.standard_t(30.0, (400_000, 6)))
    total = drawn.sum(axis=1)
    fits = drawn[np.abs(total - TIME_S[-1]) < 4.0]
    wanted = np.cumsum(fits, axis=1)[:, :5] / fits.sum(axis=1, keepdims=True)
    decoded = decode_segments(TIME_S, CLOCK, None, TEMPLATE, durations=durations)
    np.testing.assert_allclose(decoded.boundaries, np.median(wanted, axis=0), atol=0.006)
    np.testing.assert_allclose(decoded.spread, wanted.std(axis=0), atol=0.006)


def test_a_certain_location_is_cut_near_the_template_and_an_uncertain_one_spreads():
    sure = decode_segments(TIME_S, CLOCK, np.full(len(CLOCK), 0.003), TEMPLATE)
    bridge = 0.003 + 0.2 * np.sqrt(CLOCK * (1 - CLOCK))
    unsure = decode_segments(TIME_S, CLOCK, bridge, TEMPLATE)
    assert np.abs(sure.boundaries - TEMPLATE.boundaries[1:6]).max() < 0.06
    assert (unsure.spread > sure.spread).all()
    assert np.allclose(sum(sure.decided_by.values()), 1.0)
    assert sure.decided_by["location"].sum() > unsure.decided_by["location"].sum()


def test_probabilities_are_ordered_sum_to_one_and_leave_unknown_places_open():
    index = CLOCK.copy()
    index[:5] = np.nan
    decoded = decode_segments(TIME_S, index, np.full(len(CLOCK), 0.05), TEMPLATE)
    assert np.isnan(decoded.probabilities[:5]).all()
    assert (decoded.segments[:5] == 0).all()
    np.testing.assert_allclose(decoded.probabilities[5:].sum(axis=1), 1.0)
    assert (np.diff(decoded.boundaries) > 0).all()
    assert (np.diff(decoded.segments[5:]) >= 0).all()


def test_the_time_of_a_part_is_not_taken_for_that_of_a_colon():
    """Five minutes in half of the colon: by durations of whole segments more of them would have to lie in it."""
    time_s = np.linspace(0, 300, 200)
    index = np.linspace(0.45, 0.9, 200)
    part, taken_for_whole = (
        decode_segments(time_s, index, np.full(200, 0.02), TEMPLATE, whole=whole) for whole in (False, True)
    )
    assert part.segments[20] == np.searchsorted(np.cumsum(TEMPLATE.mean), index[20]) + 1
    assert "time" not in part.decided_by
    assert np.abs(part.boundaries - np.cumsum(TEMPLATE.mean)[:5]).max() < 0.06
    assert np.abs(taken_for_whole.boundaries - np.cumsum(TEMPLATE.mean)[:5]).max() > 0.1


def test_a_landmark_decides_its_boundary_and_moves_the_others():
    plain = decode_segments(TIME_S, CLOCK, np.full(len(CLOCK), 0.05), TEMPLATE)
    given = decode_segments(
        TIME_S, CLOCK, np.full(len(CLOCK), 0.05), TEMPLATE, landmarks=(Landmark(2, 150.0), Landmark(3, 200.0))
    )
    assert abs(given.boundaries[1] - 0.5) < 0.01
    assert abs(given.boundaries[2] - 0.667) < 0.01
    assert given.boundaries[0] > plain.boundaries[0]
    assert given.boundaries[3] > plain.boundaries[3]
    assert given.decided_by["landmark"][1] > max(0.8, given.decided_by["landmark"][4])


def test_going_back_counts_as_time_in_the_place_gone_back_to():
    there = np.interp(TIME_S, [0, 100, 140, 180, 299.5], [0.0, 0.4, 0.2, 0.4, 1.0])
    seconds = gather(TIME_S, there, None, None, ()).seconds
    assert seconds[0] == pytest.approx(0.0, abs=1.0)
    assert seconds[-1] == pytest.approx(300.0, abs=1.0)
    at = np.linspace(0, 1, NODES)
    assert np.interp(0.4, at, seconds) - np.interp(0.2, at, seconds) == pytest.approx(130.0, abs=3.0)


def test_a_very_long_stay_does_not_break_the_sums():
    evidence = gather(TIME_S * 40, CLOCK, None, None, ())
    marginals = boundary_marginals(evidence, length_prior(TEMPLATE), load_durations())
    assert np.isfinite(marginals).all()
    assert np.allclose(marginals.sum(axis=1), 1.0)


def test_durations_are_fitted_by_quartiles_that_one_long_stay_does_not_move():
    rng = np.random.default_rng(0)
    seconds = 50.0 * np.exp(0.5 * rng.standard_normal((60, 6)))
    usual = duration_prior_of(seconds)
    seconds[0, 2] = 5000.0
    assert duration_prior_of(seconds).log_std == pytest.approx(usual.log_std, rel=0.05)
    assert usual.median_s == pytest.approx(np.full(6, 50.0), rel=0.3)


def test_landmarks_as_users_write_them():
    assert parse_landmarks(["splenic=4:10", "Hepatic=3:05"]) == (Landmark(2, 185.0), Landmark(3, 250.0))
    for wrong, word in (
        (["liver=3:05"], "hepatic"),
        (["hepatic 3:05"], "NAME=TIME"),
        (["hepatic=3:05", "transverse=3:06"], "twice"),
        (["hepatic=4:10", "splenic=3:05"], "order"),
    ):
        with pytest.raises(HaustraError, match=word):
            parse_landmarks(wrong)


def test_landmarks_of_an_annotations_file(tmp_path: Path):
    some, seven = tmp_path / "some.json", tmp_path / "seven.JSON"
    some.write_text('{"splenic": "4:10", "rectum": 400, "stop": 500}')
    seven.write_text('{"times_s": [0, 10, 60, 120, 170, 230, 300]}')
    assert parse_landmarks([str(some), "hepatic=3:05"]) == (Landmark(2, 185.0), Landmark(3, 250.0), Landmark(5, 400.0))
    assert [(mark.boundary, mark.time_s) for mark in parse_landmarks([str(seven)])] == [
        (1, 10.0), (2, 60.0), (3, 120.0), (4, 170.0), (5, 230.0),
    ]  # fmt: skip
    with pytest.raises(HaustraError, match="twice"):
        parse_landmarks([str(some), "descending=4:12"])
    for text, word in (('{"liver": 3}', "liver"), ("[1, 2]", "no times"), ('{"hepatic": -3}', "not a time")):
        some.write_text(text)
        with pytest.raises(HaustraError, match=word):
            parse_landmarks([str(some)])
