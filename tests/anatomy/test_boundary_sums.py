"""The sums of the decoder by trying every vector of boundaries on a small grid, and its evidence by value."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from haustra.anatomy import boundary_sums, decoder, load_template
from haustra.anatomy.boundary_sums import MISREAD, Evidence, boundary_marginals
from haustra.anatomy.decoder import (
    _added_variance,
    _decided_by,
    _given,
    _probabilities,
    _spread,
    decode_segments,
    gather,
)
from haustra.anatomy.decoder_priors import DurationPrior, length_prior
from haustra.anatomy.landmarks import Landmark

GRID = 9
AT = np.linspace(0, 1, GRID)
DURATIONS = DurationPrior(np.array([20.0, 60.0, 60.0, 40.0, 50.0, 40.0]), 0.4, 5.0)
LENGTHS = length_prior(load_template("paper-set2"))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary_sums, "NODES", GRID)
    monkeypatch.setattr(decoder, "NODES", GRID)


def made(*, timed: bool = True, location: bool = True, bends: bool = False, marks: bool = True) -> Evidence:
    rng = np.random.default_rng(0)
    seconds = np.concatenate([[0], np.cumsum(rng.uniform(20, 50, GRID - 1))])
    variance = np.concatenate([[0], np.cumsum(rng.uniform(0, 0.002, GRID - 1))])
    said = {"landmark": rng.normal(size=(5, GRID)), "cecum": rng.normal(size=(5, GRID))} if marks else {}
    says = rng.normal(size=(5, GRID)) if bends else None
    return Evidence(seconds if timed else None, variance if location else None, says, said)


def every_vector(evidence: Evidence, extra: np.ndarray) -> tuple[np.ndarray, float]:
    """Marginals and the sum over all x_1 < ... < x_5, one by one."""
    marginals, total = np.zeros((5, GRID)), 0.0
    scales = LENGTHS.log_scales() if evidence.variance is not None else [0.0]
    for inner in itertools.combinations(range(1, GRID - 1), 5):
        ends = (0, *inner, GRID - 1)
        fixed = sum(extra[k, place] for k, place in enumerate(inner))
        for scale in scales:
            log = fixed
            for k, (a, b) in enumerate(itertools.pairwise(ends)):
                span = AT[b] - AT[a]
                if evidence.seconds is not None:
                    log += float(DURATIONS.log_density(k, np.array([evidence.seconds[b] - evidence.seconds[a]]))[0])
                if evidence.variance is not None:
                    error = (evidence.variance[b] - evidence.variance[a]) / span**2
                    var = LENGTHS.log_std[k] ** 2 + math.log1p(error)
                    off = scale + math.log(span) - LENGTHS.log_mean[k]
                    log += -0.5 * math.log(var) - math.log(span) - 0.5 * off**2 / var
            total += math.exp(log)
            for k, place in enumerate(inner):
                marginals[k, place] += math.exp(log)
    return marginals / marginals.sum(axis=1, keepdims=True), total


@pytest.mark.parametrize("location", [True, False])
@pytest.mark.parametrize("timed", [True, False])
def test_marginals_are_those_of_all_boundary_vectors(location: bool, timed: bool) -> None:
    evidence = made(timed=timed, location=location)
    wanted, _ = every_vector(evidence, sum(evidence.marks.values()))
    np.testing.assert_allclose(boundary_marginals(evidence, LENGTHS, DURATIONS), wanted, atol=1e-9)


def test_bends_count_by_how_probable_they_make_the_rest() -> None:
    evidence = made(bends=True)
    assert evidence.bends is not None
    given = sum(evidence.marks.values())
    plain, plain_sum = every_vector(evidence, given)
    bent, bent_sum = every_vector(evidence, given + evidence.bends)
    doubt = MISREAD * plain_sum / (MISREAD * plain_sum + (1 - MISREAD) * bent_sum)
    wanted = doubt * plain + (1 - doubt) * bent
    np.testing.assert_allclose(boundary_marginals(evidence, LENGTHS, DURATIONS), wanted, atol=1e-9)
    assert 0.001 < doubt < 0.99


def test_each_source_is_worth_what_is_lost_without_it() -> None:
    evidence = made(bends=True)
    marginals = boundary_marginals(evidence, LENGTHS, DURATIONS)
    found = _decided_by(evidence, LENGTHS, DURATIONS, marginals)
    one, other = evidence.marks["landmark"], evidence.marks["cecum"]
    left = {
        "time": boundary_marginals(
            Evidence(None, evidence.variance, evidence.bends, evidence.marks), LENGTHS, DURATIONS
        ),
        "location": boundary_marginals(
            Evidence(evidence.seconds, None, evidence.bends, evidence.marks), LENGTHS, DURATIONS
        ),
        "bends": boundary_marginals(
            Evidence(evidence.seconds, evidence.variance, None, evidence.marks), LENGTHS, DURATIONS
        ),
        "landmark": boundary_marginals(
            Evidence(evidence.seconds, evidence.variance, evidence.bends, {"cecum": other}), LENGTHS, DURATIONS
        ),
        "cecum": boundary_marginals(
            Evidence(evidence.seconds, evidence.variance, evidence.bends, {"landmark": one}), LENGTHS, DURATIONS
        ),
    }
    gain = {name: np.maximum(np.log(_spread(p) / _spread(marginals)), 1e-6) for name, p in left.items()}
    assert set(found) == set(gain)
    for name, value in gain.items():
        np.testing.assert_allclose(found[name], value / sum(gain.values()))


def test_spread_is_the_deviation_and_that_of_a_cell() -> None:
    p = np.random.default_rng(1).dirichlet(np.ones(GRID), 5)
    for row, found in zip(p, _spread(p), strict=True):
        mean = sum(w * x for w, x in zip(row, AT, strict=True))
        var = sum(w * (x - mean) ** 2 for w, x in zip(row, AT, strict=True))
        assert found == pytest.approx(math.sqrt(var + (1 / 8) ** 2 / 12))


def test_a_frame_is_behind_a_boundary_with_its_cumulated_probability() -> None:
    p = np.sort(np.random.default_rng(2).dirichlet(np.ones(GRID), 5), axis=0)
    index = np.array([0.0, 0.3, 0.55, 1.0, np.nan])
    found = _probabilities(index, p)
    assert np.isnan(found[4]).all()
    for x, row in zip(index[:4], found, strict=False):
        passed = [1.0, *(float(np.interp(x, AT, np.cumsum(q) - q / 2)) for q in p), 0.0]
        share = np.maximum(-np.diff(passed), 0)
        np.testing.assert_allclose(row, share / share.sum())


def test_variance_grows_along_the_way_as_that_of_a_bridge() -> None:
    """var = a (A - a) / A; from the variances of a bridge the a are found again."""
    a = np.array([0, 0.1, 0.3, 0.5, 1.0, 1.2, 1.5, 1.8, 2.0])
    found = _added_variance(AT, AT, np.sqrt(a * (2 - a) / 2))
    np.testing.assert_allclose(found, a, atol=1e-5)


def test_a_landmark_is_where_the_camera_was_about_its_time() -> None:
    time_s = np.arange(0, 80, 0.5)
    index = np.clip(time_s / 79.5 + 0.1 * np.sin(time_s / 9), 0, 1)
    marks = (Landmark(2, 30.0, 3.0), Landmark(5, 500.0, 2.0))
    found = _given(AT, time_s, index, marks)
    assert not found[[0, 2, 3]].any()
    for row, mark in ((1, marks[0]), (4, None)):
        density = np.zeros(GRID)
        for t, x in zip(time_s, index, strict=True):
            weight = math.exp(-0.5 * ((t - mark.time_s) / mark.std_s) ** 2) if mark else float(t == time_s[-1])
            if weight > 1e-4:
                density += weight * np.exp(-0.5 * ((AT - x) / (1.5 / 8)) ** 2)
        np.testing.assert_allclose(found[row], np.log(density / density.max() + 1e-6))


def test_evidence_on_the_grid() -> None:
    time_s = np.array([0.0, 2.0, 3.0, 5.0, 6.0])
    index = np.array([0.0, 0.5, 0.25, 0.75, 1.0])
    cecum = np.linspace(0, -4, 17)
    found = gather(time_s, index, None, None, (Landmark(1, 3.0),), cecum)
    step = np.gradient(time_s)
    behind = {0.0: step[0] / 2, 0.25: step[0] + step[2] / 2, 0.5: step[0] + step[2] + step[1] / 2}
    for place, seconds in behind.items():
        assert found.seconds[round(8 * place)] == pytest.approx(seconds)
    assert found.variance is None
    np.testing.assert_allclose(found.marks["cecum"][0], np.linspace(0, -4, GRID))
    assert not found.marks["cecum"][1:].any()
    assert set(found.marks) == {"landmark", "cecum"}
    bends = np.random.default_rng(0).normal(size=(5, 17))
    np.testing.assert_allclose(gather(time_s, index, None, bends, ()).bends, bends[:, ::2])
    assert gather(np.array([4.0]), np.array([0.5]), None, None, ()).seconds[-1] == 1.0


def test_what_is_decoded_is_read_off_the_marginals() -> None:
    time_s = np.arange(0, 120.0)
    index = time_s / 119
    template = load_template("paper-set2")
    found = decode_segments(time_s, index, np.full(120, 0.02), template, durations=DURATIONS)
    evidence = gather(time_s, index, np.full(120, 0.02), None, ())
    marginals = boundary_marginals(evidence, LENGTHS, DURATIONS)
    for k, p in enumerate(marginals):
        middle = float(np.interp(0.5, np.cumsum(p), AT))
        assert found.boundaries[k] == pytest.approx(middle)
        for j, place in enumerate((middle - found.spread[k], middle, middle + found.spread[k])):
            first = next((t for t, x in zip(time_s, index, strict=True) if x >= place), time_s[-1])
            assert found.entered_s[k, j] == first
    np.testing.assert_allclose(found.spread, _spread(marginals))
    assert found.segments.tolist() == (found.probabilities.argmax(axis=1) + 1).tolist()
