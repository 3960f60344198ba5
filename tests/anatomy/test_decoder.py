from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from haustra.anatomy import load_template
from haustra.anatomy.decoder import decode_segments
from haustra.anatomy.decoder_priors import DecoderPriors, DurationPrior, duration_prior_of, length_prior, load_durations
from haustra.anatomy.evidence import gather_evidence
from haustra.anatomy.landmarks import Landmark, parse_landmarks
from haustra.anatomy.parameters import DecoderParameters
from haustra.anatomy.semi_markov import boundary_marginals
from haustra.core.errors import HaustraError

TEMPLATE = load_template("paper-set2")
PARAMETERS = DecoderParameters()
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
    decoded = decode_segments(TIME_S, CLOCK, None, TEMPLATE, PARAMETERS, durations=durations)
    np.testing.assert_allclose(decoded.boundaries, np.median(wanted, axis=0), atol=0.006)
    np.testing.assert_allclose(decoded.std, wanted.std(axis=0), atol=0.006)


def test_a_certain_location_is_cut_near_the_template_and_an_uncertain_one_spreads():
    sure = decode_segments(TIME_S, CLOCK, np.full(len(CLOCK), 0.003), TEMPLATE, PARAMETERS)
    bridge = 0.003 + 0.2 * np.sqrt(CLOCK * (1 - CLOCK))
    unsure = decode_segments(TIME_S, CLOCK, bridge, TEMPLATE, PARAMETERS)
    assert np.abs(sure.boundaries - TEMPLATE.boundaries[1:6]).max() < 0.06
    assert (unsure.std > sure.std).all()
    assert np.allclose(sum(sure.decided_by.values()), 1.0)
    assert sure.decided_by["location"].sum() > unsure.decided_by["location"].sum()


def test_probabilities_are_ordered_sum_to_one_and_leave_unknown_places_open():
    index = CLOCK.copy()
    index[:5] = np.nan
    decoded = decode_segments(TIME_S, index, np.full(len(CLOCK), 0.05), TEMPLATE, PARAMETERS)
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
        decode_segments(time_s, index, np.full(200, 0.02), TEMPLATE, PARAMETERS, whole=whole) for whole in (False, True)
    )
    assert part.segments[20] == np.searchsorted(np.cumsum(TEMPLATE.mean), index[20]) + 1
    assert "time" not in part.decided_by
    assert np.abs(part.boundaries - np.cumsum(TEMPLATE.mean)[:5]).max() < 0.06
    assert np.abs(taken_for_whole.boundaries - np.cumsum(TEMPLATE.mean)[:5]).max() > 0.1


def test_a_landmark_decides_its_boundary_and_moves_the_others():
    plain = decode_segments(TIME_S, CLOCK, np.full(len(CLOCK), 0.05), TEMPLATE, PARAMETERS)
    marks = (Landmark(2, 150.0), Landmark(3, 200.0))
    moved = decode_segments(TIME_S, CLOCK, np.full(len(CLOCK), 0.05), TEMPLATE, PARAMETERS, landmarks=marks)
    assert abs(moved.boundaries[1] - 0.5) < 0.01
    assert abs(moved.boundaries[2] - 0.667) < 0.01
    assert moved.boundaries[0] > plain.boundaries[0]
    assert moved.boundaries[3] > plain.boundaries[3]
    assert moved.decided_by["landmark"][1] > max(0.8, moved.decided_by["landmark"][4])


def test_a_landmark_with_a_tolerance_gives_way_to_what_else_is_known():
    plain, exact, soft = (
        decode_segments(TIME_S, CLOCK, np.full(len(CLOCK), 0.005), TEMPLATE, PARAMETERS, landmarks=marks)
        for marks in ((), (Landmark(2, 200.0),), (Landmark(2, 200.0, 30.0),))
    )
    assert plain.boundaries[1] < soft.boundaries[1] < exact.boundaries[1]


@given(st.dictionaries(st.integers(1, 5), st.integers(0, 119), min_size=1), st.integers(0, 3))
@settings(max_examples=40)
def test_a_moment_that_is_given_exactly_is_kept_to_the_frame_wherever_it_is(rows, seed):
    rng = np.random.default_rng(seed)
    time_s = np.sort(rng.uniform(0, 300, 120))
    index = np.clip(np.linspace(0, 1, 120) + 0.2 * np.sin(np.linspace(0, 9, 120)), 0, 1)  # the scope is pushed back in
    marks = [Landmark(k, float(time_s[row])) for k, row in zip(sorted(rows), sorted(rows.values()), strict=True)]
    decoded = decode_segments(time_s, index, np.full(120, 0.03), TEMPLATE, PARAMETERS, landmarks=marks)
    assert np.isfinite(decoded.boundaries).all()
    np.testing.assert_allclose(decoded.probabilities.sum(axis=1), 1.0)
    for mark in marks:
        assert (decoded.segments[time_s < mark.time_s] <= mark.boundary).all()
        assert (decoded.segments[time_s >= mark.time_s] > mark.boundary).all()


def test_a_frame_at_the_median_of_a_boundary_has_passed_it_with_probability_one_half():
    decoded = decode_segments(TIME_S, CLOCK, np.full(len(CLOCK), 0.05), TEMPLATE, PARAMETERS)
    passed = np.flip(np.cumsum(np.flip(decoded.probabilities, axis=1), axis=1), axis=1)[:, 1:]
    for k, boundary in enumerate(decoded.boundaries):
        assert np.interp(boundary, CLOCK, passed[:, k]) == pytest.approx(0.5, abs=0.05)


def test_boundaries_are_entered_when_their_median_is_first_reached():
    index = np.interp(TIME_S, [0, 100, 140, 180, 299.5], [0.0, 0.4, 0.2, 0.4, 1.0])  # pushed back in once
    decoded = decode_segments(TIME_S, index, np.full(len(index), 0.02), TEMPLATE, PARAMETERS)
    for k in range(5):
        for j, offset in enumerate((-1, 0, 1)):
            location = decoded.boundaries[k] + offset * decoded.std[k]
            assert decoded.entered_s[k, j] == next(t for t, x in zip(TIME_S, index, strict=True) if x >= location)


def test_a_boundary_on_one_node_is_uncertain_by_the_grid():
    decoded = decode_segments(TIME_S, CLOCK, None, TEMPLATE, PARAMETERS, landmarks=(Landmark(2, 150.0),))
    assert decoded.std[1] == pytest.approx(1 / (PARAMETERS.nodes - 1) / np.sqrt(12))


def test_the_share_of_a_source_is_what_is_lost_without_it():
    std, bends = (
        np.full(len(CLOCK), 0.03),
        -0.5 * ((np.linspace(0, 1, 121) - TEMPLATE.boundaries[1:6, None]) / 0.05) ** 2,
    )
    full = decode_segments(TIME_S, CLOCK, std, TEMPLATE, PARAMETERS, bends=bends)
    without = {
        "time": decode_segments(TIME_S, CLOCK, std, TEMPLATE, PARAMETERS, bends=bends, whole=False),
        "location": decode_segments(TIME_S, CLOCK, None, TEMPLATE, PARAMETERS, bends=bends),
        "bends": decode_segments(TIME_S, CLOCK, std, TEMPLATE, PARAMETERS),
    }
    gain = {source: np.maximum(np.log(rest.std / full.std), 1e-6) for source, rest in without.items()}
    assert full.decided_by.keys() == gain.keys()
    for source, value in gain.items():
        np.testing.assert_allclose(full.decided_by[source], value / sum(gain.values()))


def test_going_back_counts_as_time_in_the_place_gone_back_to():
    there = np.interp(TIME_S, [0, 100, 140, 180, 299.5], [0.0, 0.4, 0.2, 0.4, 1.0])
    seconds = gather_evidence(TIME_S, there, None, PARAMETERS).seconds
    assert seconds[0] == pytest.approx(0.0, abs=1.0)
    assert seconds[-1] == pytest.approx(300.0, abs=1.0)
    at = np.linspace(0, 1, PARAMETERS.nodes)
    assert np.interp(0.4, at, seconds) - np.interp(0.2, at, seconds) == pytest.approx(130.0, abs=3.0)


def test_a_very_long_stay_does_not_break_the_sums():
    evidence = gather_evidence(TIME_S * 40, CLOCK, None, PARAMETERS)
    marginals = boundary_marginals(evidence, DecoderPriors(length_prior(TEMPLATE), load_durations()), PARAMETERS)
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
