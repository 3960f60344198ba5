"""Priors of the decoder by value: lengths as shares of a sum, durations as Student-t."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import haustra
from haustra.anatomy import load_template
from haustra.anatomy.decoder_priors import DurationPrior, LengthPrior, duration_prior_of, length_prior, load_durations
from haustra.anatomy.template import Template

TEMPLATE = load_template("paper-set2")


def test_scales_reach_over_the_spread_of_the_sum() -> None:
    """Of six independent log-normal lengths: the logarithm of the mean sum, 2.5 of its relative deviations around."""
    log_mean, log_std = np.log([0.1, 0.2, 0.2, 0.2, 0.2, 0.1]), np.array([0.5, 0.3, 0.2, 0.4, 0.1, 0.6])
    means = [math.exp(m + s**2 / 2) for m, s in zip(log_mean, log_std, strict=True)]
    variances = [(math.exp(s**2) - 1) * math.exp(2 * m + s**2) for m, s in zip(log_mean, log_std, strict=True)]
    total, spread = sum(means), math.sqrt(sum(variances)) / sum(means)
    found = LengthPrior(log_mean, log_std).log_totals()
    np.testing.assert_allclose(found, [math.log(total) + k * 2.5 / 4 * spread for k in range(-4, 5)])


@pytest.mark.parametrize("name", ["paper-set2", "paper-set3"])
def test_shares_of_the_prior_have_the_mean_and_spread_of_the_template(name: str) -> None:
    """On the draws that it was fitted on."""
    template = load_template(name)
    prior = length_prior(template)
    z = np.random.default_rng(0).standard_normal((8000, 6))
    raw = np.exp(prior.log_mean + prior.log_std * (z - z.mean(axis=0)))
    share = raw / raw.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(share.mean(axis=0), template.mean, rtol=0.002)
    np.testing.assert_allclose(share.std(axis=0), template.std, rtol=0.02)


def test_an_empty_segment_and_a_template_without_spread_have_a_prior() -> None:
    mean = np.array([0.0, 0.2, 0.2, 0.2, 0.2, 0.2])
    prior = length_prior(Template("x", mean, np.zeros(6), np.zeros((6, 6)), ()))
    share = np.exp(prior.log_mean) / np.exp(prior.log_mean).sum()
    assert share == pytest.approx([0.001, *[0.2] * 5], abs=2e-3)
    assert prior.log_std.min() >= 0.02
    wild = length_prior(Template("x", TEMPLATE.mean, np.full(6, 3.0), np.zeros((6, 6)), ()))
    assert wild.log_std.max() <= 1.5


@pytest.mark.parametrize("segment", [0, 3])
def test_durations_have_student_logarithms(segment: int) -> None:
    prior = DurationPrior(np.array([20.0, 60.0, 60.0, 40.0, 50.0, 40.0]), 0.4, 5.0)
    seconds = np.array([1.0, 10.0, 40.0, 300.0])
    at = np.log(seconds / prior.median_s[segment]) / 0.4
    wanted = np.log(stats.t.pdf(at, 5.0) / 0.4 / seconds)  # density of the logarithm, then per second
    np.testing.assert_allclose(prior.log_density(segment, seconds), wanted)


def test_a_duration_prior_has_the_quartiles_of_its_data() -> None:
    seconds = np.exp(np.random.default_rng(0).normal(3.5, 0.6, (41, 6)))
    seconds[0, 0] = 0.0
    prior = duration_prior_of(seconds)
    logs = np.log(np.maximum(seconds, 1.0))
    half = [(np.percentile(column, 75) - np.percentile(column, 25)) / 2 for column in logs.T]
    unit = stats.t.ppf(0.75, 4)
    assert prior.log_std == pytest.approx(math.sqrt(np.mean(np.square(half))) / unit, rel=1e-3)
    assert prior.freedom == 4.0
    middle, paper = np.median(logs, axis=0), np.log(load_template("paper-set2-time").mean)
    between = (41 * middle + 18 * (paper + np.mean(middle - paper))) / 59
    np.testing.assert_allclose(prior.median_s, np.exp(between))


def test_the_shipped_durations_are_those_of_the_file() -> None:
    value = json.loads((Path(haustra.__file__).parent / "data" / "durations.json").read_text())
    found = load_durations()
    assert found.median_s.tolist() == value["median_s"]
    assert (found.log_std, found.freedom) == (value["log_std"], value["freedom"])
