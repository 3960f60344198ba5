"""Forward-backward against the plain sum over every vector of boundaries on a small grid."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from haustra.anatomy import load_template
from haustra.anatomy.decoder_priors import DecoderPriors, DurationPrior, length_prior
from haustra.anatomy.parameters import DecoderParameters
from haustra.anatomy.semi_markov import Evidence, boundary_marginals

COUNT = 9
NODES = np.linspace(0, 1, COUNT)
PARAMETERS = DecoderParameters()
DURATIONS = DurationPrior(np.array([20.0, 60.0, 60.0, 40.0, 50.0, 40.0]), 0.4, 5.0)
LENGTHS = length_prior(load_template("paper-set2"))
PRIORS = DecoderPriors(LENGTHS, DURATIONS)


def made(*, timed: bool = True, located: bool = True, bends: bool = False) -> Evidence:
    rng = np.random.default_rng(0)
    seconds = np.concatenate([[0], np.cumsum(rng.uniform(20, 50, COUNT - 1))])
    variance = np.concatenate([[0], np.cumsum(rng.uniform(0, 0.002, COUNT - 1))])
    unary = {"landmark": rng.normal(size=(5, COUNT)), "cecum": rng.normal(size=(5, COUNT))}
    shape = rng.normal(size=(5, COUNT)) if bends else None
    return Evidence(NODES, seconds if timed else None, variance if located else None, shape, unary)


def every_vector(evidence: Evidence, unary: np.ndarray) -> tuple[np.ndarray, float]:
    """Marginals and the sum over all x_1 < ... < x_5, one by one."""
    marginals, total = np.zeros((5, COUNT)), 0.0
    log_totals = LENGTHS.log_totals() if evidence.variance is not None else [0.0]
    for inner in itertools.combinations(range(1, COUNT - 1), 5):
        ends = (0, *inner, COUNT - 1)
        fixed = sum(unary[k, node] for k, node in enumerate(inner))
        for log_total in log_totals:
            log = fixed
            for k, (a, b) in enumerate(itertools.pairwise(ends)):
                span = NODES[b] - NODES[a]
                if evidence.seconds is not None:
                    log += float(DURATIONS.log_density(k, np.array([evidence.seconds[b] - evidence.seconds[a]]))[0])
                if evidence.variance is not None:
                    error = (evidence.variance[b] - evidence.variance[a]) / span**2
                    var = LENGTHS.log_std[k] ** 2 + math.log1p(error)
                    residual = log_total + math.log(span) - LENGTHS.log_mean[k]
                    log += -0.5 * math.log(var) - math.log(span) - 0.5 * residual**2 / var
            total += math.exp(log)
            for k, node in enumerate(inner):
                marginals[k, node] += math.exp(log)
    return marginals / marginals.sum(axis=1, keepdims=True), total


@pytest.mark.parametrize("located", [True, False])
@pytest.mark.parametrize("timed", [True, False])
def test_marginals_are_those_of_all_boundary_vectors(located: bool, timed: bool) -> None:
    evidence = made(timed=timed, located=located)
    wanted, _ = every_vector(evidence, sum(evidence.unary.values()))
    np.testing.assert_allclose(boundary_marginals(evidence, PRIORS, PARAMETERS), wanted, atol=1e-9)


@pytest.mark.parametrize("misread_prior", [0.05, 0.4])
def test_the_shape_of_the_path_counts_by_how_probable_it_makes_the_rest(misread_prior: float) -> None:
    parameters = replace(PARAMETERS, bends_misread=misread_prior)
    evidence = made(bends=True)
    assert evidence.bends is not None
    unary = sum(evidence.unary.values())
    without, without_sum = every_vector(evidence, unary)
    bent, bent_sum = every_vector(evidence, unary + evidence.bends)
    misread = misread_prior * without_sum / (misread_prior * without_sum + (1 - misread_prior) * bent_sum)
    wanted = misread * without + (1 - misread) * bent
    np.testing.assert_allclose(boundary_marginals(evidence, PRIORS, parameters), wanted, atol=1e-9)
    assert 0.001 < misread < 0.99, "both models matter here"


def test_time_that_stands_still_counts_as_the_shortest_stay() -> None:
    evidence = replace(made(located=False), unary={}, seconds=np.array([0, 0, 0, 50, 100, 150, 200, 250, 300.0]))
    brief, long = (
        boundary_marginals(evidence, PRIORS, replace(PARAMETERS, shortest_stay_s=stay_s)) for stay_s in (0.1, 10.0)
    )
    assert np.isfinite(brief).all()
    assert brief[0, 1] < long[0, 1], "a cecum that is left at once is the less likely the shorter that is"
