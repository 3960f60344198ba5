"""Segments by the template, their probabilities, and the figures of a withdrawal."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from haustra.anatomy import load_template, segment_probabilities, segments_of
from haustra.anatomy.template import Template
from haustra.anatomy.withdrawal_figures import withdrawal_figures
from haustra.core.vocabulary import SEGMENTS

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


def test_without_a_stated_spread_no_segment_has_a_probability() -> None:
    p = segment_probabilities([0.5, 0.9], [np.nan, 0.05], TEMPLATE)
    assert np.isnan(p[0]).all()
    assert p[1].sum() == pytest.approx(1)


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
    assert figures.dropped_share == pytest.approx(0.35)
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


def test_where_no_segment_is_named_nothing_is_known_of_any() -> None:
    nobody, time_s = np.zeros(30, dtype=bool), np.arange(30.0)
    part = withdrawal_figures(time_s, time_s / 29, np.zeros(30, dtype=np.int64), dropped=nobody, noninformative=nobody)
    assert part.duration_s == 30
    assert {(one.time_s, one.net_s, one.share_of_time) for one in part.segments.values()} == {(None, None, None)}


def test_a_frame_on_a_boundary_belongs_to_the_segment_that_begins_there() -> None:
    bounds = TEMPLATE.boundaries
    assert segments_of(bounds, TEMPLATE).tolist() == [1, 2, 3, 4, 5, 6, 6]
    assert segments_of(np.nextafter(bounds[1:6], 0), TEMPLATE).tolist() == [1, 2, 3, 4, 5]
    assert segments_of(np.array([-0.1, 1.1, np.inf]), TEMPLATE).tolist() == [1, 6, 0]


def phi(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))


def plain_probabilities(x: float, std: float, inner: np.ndarray) -> np.ndarray:
    """The error is normal: the camera is behind a boundary b with probability Phi((x - b) / std)."""
    behind = [1.0, *(phi((x - b) / std) for b in inner), 0.0]
    return -np.diff(behind)


def test_probabilities_without_spread_are_those_of_the_normal_distribution() -> None:
    sure = Template("sure", TEMPLATE.mean, np.zeros(6), np.zeros((6, 6)), ())
    rng = np.random.default_rng(2)
    index, std = rng.random(300), np.exp(rng.uniform(np.log(0.01), np.log(0.4), 300))
    found = segment_probabilities(index, std, sure)
    wanted = [plain_probabilities(x, s, sure.boundaries[1:6]) for x, s in zip(index, std, strict=True)]
    np.testing.assert_allclose(found, wanted, atol=0.02)
    assert np.abs(found - wanted).mean() < 0.002


def test_a_stated_error_beyond_the_table_counts_as_its_least_or_greatest() -> None:
    sure = Template("sure", TEMPLATE.mean, np.zeros(6), np.zeros((6, 6)), ())
    x = round(TEMPLATE.boundaries[2] * 250) / 250  # where the table needs no interpolation
    for std, used in ((0.0, 0.002), (0.002, 0.002), (0.4, 0.4), (3.0, 0.4)):
        found = segment_probabilities(np.array([x]), np.array([std]), sure)[0]
        np.testing.assert_allclose(found, plain_probabilities(x, used, sure.boundaries[1:6]), atol=1e-9)


def test_an_index_beyond_the_ends_counts_as_the_end() -> None:
    found = segment_probabilities([-0.2, 0.0, 1.0, 1.3], [0.05] * 4, TEMPLATE)
    np.testing.assert_array_equal(found[[0, 3]], found[[1, 2]])
    assert found[0, 0] > 0.8
    assert found[3, 5] > 0.8


def test_a_drawn_length_below_zero_is_an_empty_segment() -> None:
    """A cecum of 0.061 +- 0.2 is often empty and never behind the first frame."""
    root = np.array([0.2, -0.2, 0, 0, 0, 0])
    wide = Template("wide", np.array([0.06, 0.5, 0.11, 0.11, 0.11, 0.11]), np.abs(root), np.outer(root, root), ())
    nodes, weights = np.polynomial.hermite_e.hermegauss(101)
    lengths = np.maximum(wide.mean + nodes[:, None] * root, 0)
    first = lengths[:, 0] / lengths.sum(axis=1)
    wanted = sum(w * (1 - phi((0.02 - b) / 0.05)) for w, b in zip(weights / weights.sum(), first, strict=True))
    assert segment_probabilities(np.array([0.02]), np.array([0.05]), wide)[0, 0] == pytest.approx(wanted, abs=0.015)


def test_boundaries_vary_as_the_template_along_one_direction_by_quadrature() -> None:
    """Only ascending and transverse vary, against each other: one boundary moves, by a normal of known spread."""
    root = np.array([0, 0.05, -0.05, 0, 0, 0])
    moving = Template("moving", TEMPLATE.mean, np.abs(root), np.outer(root, root), ())
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    for x, std in ((0.2, 0.02), (0.25, 0.03), (0.1, 0.1)):
        wanted = np.zeros(6)
        for z, weight in zip(nodes, weights / weights.sum(), strict=True):
            wanted += weight * plain_probabilities(x, std, np.cumsum(TEMPLATE.mean + z * root)[:5])
        found = segment_probabilities(np.array([x]), np.array([std]), moving)[0]
        np.testing.assert_allclose(found, wanted, atol=0.01)


def plain_seconds(time_s: np.ndarray, mask: np.ndarray) -> float:
    """Each frame of the mask lasts until the next frame, and the last one as long as the middle of all."""
    steps = sorted(b - a for a, b in itertools.pairwise(time_s))
    middle = len(steps) // 2
    last = steps[middle] if len(steps) % 2 else (steps[middle - 1] + steps[middle]) / 2
    return sum(time_s[i + 1] - time_s[i] if i + 1 < len(time_s) else last for i in np.flatnonzero(mask))


@pytest.mark.parametrize("seed", range(3))
def test_withdrawal_figures_against_a_plain_count(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time_s, index = np.cumsum(rng.uniform(0.1, 2.0, 200 + seed)), rng.random(200 + seed)
    segment = segments_of(index, TEMPLATE)
    dropped = rng.random(len(index)) < 0.4
    unseen = dropped & (rng.random(len(index)) < 0.5)
    figures = withdrawal_figures(time_s, index, segment, dropped=dropped, noninformative=unseen)
    total = plain_seconds(time_s, segment > 0)
    assert figures.duration_s == pytest.approx(total)
    assert figures.noninformative_share == pytest.approx(plain_seconds(time_s, unseen) / total)
    for k, name in enumerate(SEGMENTS, 1):
        one, here = figures.segments[name], segment == k
        spent, passed = plain_seconds(time_s, here), max(index[here]) - min(index[here])
        assert (one.time_s, one.share_of_time) == pytest.approx((spent, spent / total))
        assert one.speed_percent_per_min == pytest.approx(100 * passed / (spent / 60))
        assert one.noninformative_share == pytest.approx(plain_seconds(time_s, here & unseen) / spent)
        assert one.dropped_share == pytest.approx(plain_seconds(time_s, here & dropped) / spent)


def test_frames_without_a_place_have_no_part_in_the_figures() -> None:
    time_s, index = np.arange(6.0), np.array([np.nan, 0.0, 0.02, 0.04, 0.06, np.nan])
    nobody = np.zeros(6, bool)
    figures = withdrawal_figures(time_s, index, segments_of(index, TEMPLATE), dropped=nobody, noninformative=nobody)
    assert figures.duration_s == 4.0
    assert figures.segments["cecum"].speed_percent_per_min == pytest.approx(100 * 0.06 / (4 / 60))
    assert figures.as_dict()["segments"]["rectum"] == {
        "time_s": 0.0, "net_s": 0.0, "share_of_time": 0.0, "speed_percent_per_min": None, "noninformative_share": None,
        "dropped_share": None,
    }  # fmt: skip
