"""What cecum scores say about the end of the cecum and the start of the withdrawal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from haustra.anatomy.cecum import best_view, cecum_likelihood, start_log_likelihood
from haustra.anatomy.grid import TABULATED
from haustra.anatomy.parameters import CecumParameters
from haustra.quality.cecum_classifier import CecumScores

PARAMETERS = CecumParameters()


@pytest.mark.parametrize(("inside", "outside"), [(0.95, 0.05), (0.3, 0.02)])
def test_the_cecum_ends_where_frames_cease_to_stand_out(inside: float, outside: float) -> None:
    time_s = np.arange(0.0, 100.0)
    index = time_s / 99
    scores = CecumScores(time_s, np.where(index < 0.1, inside, outside))
    found = cecum_likelihood(scores, time_s, index, PARAMETERS)
    assert found is not None
    assert np.linspace(0, 1, TABULATED)[found.argmax()] == pytest.approx(0.1, abs=0.02)
    assert (found[60] < -1.0) == (inside > 0.5), "where no frame is surely a cecum, standing out means little"


def test_each_frame_before_the_end_counts_by_its_capped_excess() -> None:
    """By the formula, frame by frame, with parameters of our own; frames without a location are bridged."""
    parameters = replace(PARAMETERS, weight=0.7, threshold=0.5, strongest_for=0.8, strongest_against=0.4)
    rng = np.random.default_rng(1)
    probability = np.concatenate([[0.0, 1.0], rng.random(28)])
    times = np.sort(rng.uniform(0, 100, 30))
    time_s = np.arange(0, 101.0)
    index = (time_s / 100) ** 1.5
    index[40:45] = np.nan
    found = cecum_likelihood(CecumScores(times, probability), time_s, index, parameters)
    assert found is not None
    chance = np.clip(probability, 1e-4, 1 - 1e-4)
    log_odds = np.log(chance) - np.log(1 - chance)
    known = np.isfinite(index)
    at = np.interp(times, time_s[known], index[known])
    wanted = []
    for place in np.linspace(0, 1, TABULATED):
        excess = [o - np.median(log_odds) - 0.5 for o, x in zip(log_odds, at, strict=True) if x < place]
        wanted.append(0.7 * chance.max() ** 2 * sum(min(max(value, -0.4), 0.8) for value in excess))
    np.testing.assert_allclose(found, np.array(wanted) - max(wanted), atol=1e-12)


def test_few_frames_or_no_location_say_nothing() -> None:
    time_s, index = np.arange(50.0), np.linspace(0, 1, 50)
    fewest = PARAMETERS.fewest_frames
    few, enough = (CecumScores(np.arange(float(n)), np.full(n, 0.5)) for n in (fewest - 1, fewest))
    assert cecum_likelihood(few, time_s, index, PARAMETERS) is None
    assert cecum_likelihood(enough, time_s, index, PARAMETERS) is not None
    assert cecum_likelihood(enough, time_s, np.full(50, np.nan), PARAMETERS) is None


def test_the_best_view_is_early_and_certain_enough() -> None:
    scores = CecumScores(np.array([3.0, 10.0, 90.0]), np.array([0.5, 0.93, 0.97]))
    assert best_view(scores, 40.0, PARAMETERS) == (10.0, 0.93)
    assert best_view(scores, 10.0, PARAMETERS) == (10.0, 0.93)
    assert best_view(scores, 3.0, PARAMETERS) == (3.0, 0.5)
    assert best_view(scores, 2.9, PARAMETERS) is None
    assert best_view(CecumScores(np.array([3.0]), np.array([0.499])), 40.0, PARAMETERS) is None
    assert best_view(CecumScores(np.empty(0), np.empty(0)), 40.0, PARAMETERS) is None


def test_a_start_near_views_of_the_cecum_is_more_likely() -> None:
    scores = CecumScores(np.array([100.0, 104.0, 110.0, 400.0]), np.array([0.95, 0.9, 0.45, 0.8]))
    found = start_log_likelihood(scores, np.array([60.0, 103.0, 250.0, 400.0]), PARAMETERS)
    assert found.argmax() == 1
    assert found[0] > found[2]
    assert found[3] > found[2], "one view elsewhere counts, but less than two"


def test_the_start_is_a_gaussian_around_each_view_with_outliers() -> None:
    parameters = replace(PARAMETERS, weight=0.5, start_std_s=20.0, start_outlier=0.1)
    scores = CecumScores(np.array([100.0, 104.0, 110.0, 400.0]), np.array([0.95, 0.9, 0.45, 0.8]))
    near = np.exp(-0.5 * ((103.0 - np.array([100.0, 104.0, 400.0])) / 20) ** 2)
    wanted = 0.5 * np.log(0.1 + 0.9 * near) @ np.array([0.9, 0.8, 0.6])
    assert start_log_likelihood(scores, np.array([103.0]), parameters)[0] == pytest.approx(wanted)


@pytest.mark.parametrize("probability", [np.full(20, 0.49), np.empty(0)])
def test_without_a_view_of_the_cecum_all_starts_are_alike(probability: np.ndarray) -> None:
    scores = CecumScores(np.arange(float(len(probability))), probability)
    assert start_log_likelihood(scores, np.array([0.0, 7.0, 19.0]), PARAMETERS).tolist() == [0.0, 0.0, 0.0]
