"""Segments by the template, their probabilities, and the figures of a withdrawal."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.anatomy import load_template, segment_probabilities, segments_of
from haustra.anatomy.template import Template
from haustra.anatomy.withdrawal import withdrawal_figures

TEMPLATE = load_template("paper-set2")


def test_segments_are_those_of_the_template() -> None:
    index = np.array([0.0, 0.06, 0.062, 0.3, 0.5, 0.8, 0.95, 1.0, np.nan])
    assert segments_of(index, TEMPLATE).tolist() == [1, 1, 2, 3, 4, 5, 6, 6, 0]


def test_probabilities_sum_to_one_and_are_never_negative() -> None:
    rng = np.random.default_rng(0)
    p = segment_probabilities(rng.uniform(size=500), rng.uniform(0, 0.4, 500), TEMPLATE)
    assert np.abs(p.sum(axis=1) - 1).max() < 1e-12
    assert p.min() >= 0
    assert np.isnan(segment_probabilities(np.array([np.nan]), np.array([0.1]), TEMPLATE)).all()


def test_probabilities_match_colons_drawn_from_the_template() -> None:
    rng = np.random.default_rng(5)
    lengths = np.maximum(rng.multivariate_normal(TEMPLATE.mean, TEMPLATE.covariance, 40_000, method="svd"), 0)
    bounds = np.cumsum(lengths / lengths.sum(axis=1, keepdims=True), axis=1)[:, :5]
    for x in (0.1, 0.43, 0.7):
        segment = (x + rng.normal(0, 0.05, len(bounds)) > bounds.T).sum(axis=0)
        expected = np.bincount(segment, minlength=6) / len(bounds)
        assert segment_probabilities(np.array([x]), np.array([0.05]), TEMPLATE)[0] == pytest.approx(expected, abs=0.015)


def test_a_template_without_spread_and_a_sure_index_leave_no_doubt() -> None:
    sure = Template("sure", TEMPLATE.mean, np.zeros(6), np.zeros((6, 6)), ())
    p = segment_probabilities(np.array([0.03, 0.3, 0.99]), np.full(3, 1e-4), sure)
    assert p.argmax(axis=1).tolist() == [0, 2, 5]
    assert p.max(axis=1) == pytest.approx(1)


def test_more_uncertainty_gives_flatter_probabilities() -> None:
    low, high = (segment_probabilities(np.array([0.32]), np.array([s]), TEMPLATE).max() for s in (0.01, 0.2))
    assert high < low


def test_withdrawal_figures_count_time_speed_and_what_was_not_seen() -> None:
    time_s = np.arange(0, 60, 0.5)
    index = np.clip(time_s / 60, 0, 1)
    segment = np.where(time_s < 30, 1, 2)
    unseen = (time_s >= 30) & (time_s < 45)
    figures = withdrawal_figures(time_s, index, segment, dropped=unseen | (time_s < 6), noninformative=unseen)
    assert figures.duration_s == pytest.approx(60)
    assert figures.noninformative_share == pytest.approx(0.25)
    assert figures.segments["cecum"].time_s == pytest.approx(30)
    assert figures.segments["cecum"].speed_percent_per_min == pytest.approx(100, rel=0.03)
    assert figures.segments["ascending"].noninformative_share == pytest.approx(0.5)
    assert figures.segments["cecum"].noninformative_share == 0
    assert figures.segments["cecum"].dropped_share == pytest.approx(0.2)
    assert figures.segments["rectum"].speed_percent_per_min is None


def test_withdrawal_figures_of_nothing_are_zero() -> None:
    nobody = np.zeros(3, dtype=bool)
    none = withdrawal_figures(
        np.arange(3.0), np.full(3, np.nan), np.zeros(3, dtype=np.int64), dropped=nobody, noninformative=nobody
    )
    assert none.duration_s == 0
