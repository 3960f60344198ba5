"""A withdrawal on the decoder's grid, by value."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from haustra.anatomy.evidence import (
    cumulative_variance,
    gather_evidence,
    landmark_likelihood,
    without_each_source,
)
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.parameters import DecoderParameters

COUNT = 9
NODES = np.linspace(0, 1, COUNT)
PARAMETERS = DecoderParameters(nodes=COUNT)


def test_time_spent_is_counted_by_location_not_by_order() -> None:
    time_s = np.array([0.0, 2.0, 3.0, 5.0, 6.0])
    index = np.array([0.0, 0.5, 0.25, 0.75, 1.0])  # back and forth
    found = gather_evidence(time_s, index, None, PARAMETERS)
    assert found.seconds is not None
    step = np.gradient(time_s)
    before = {0.0: step[0] / 2, 0.25: step[0] + step[2] / 2, 0.5: step[0] + step[2] + step[1] / 2}
    for location, seconds in before.items():
        assert found.seconds[round(8 * location)] == pytest.approx(seconds)
    assert found.variance is None
    single = gather_evidence(np.array([4.0]), np.array([0.5]), None, PARAMETERS)
    assert single.seconds is not None
    assert single.seconds[-1] == 1.0


def test_likelihoods_on_other_grids_are_interpolated() -> None:
    time_s, index = np.arange(5.0), np.linspace(0, 1, 5)
    bends = np.random.default_rng(0).normal(size=(5, 17))
    found = gather_evidence(time_s, index, None, PARAMETERS, bends=bends, cecum=np.linspace(0, -4, 17))
    np.testing.assert_allclose(found.bends, bends[:, ::2])
    np.testing.assert_allclose(found.unary["cecum"][0], np.linspace(0, -4, COUNT))
    assert not found.unary["cecum"][1:].any(), "the cecum tells of the first boundary alone"


def test_each_source_can_be_left_out() -> None:
    time_s, index = np.arange(5.0), np.linspace(0, 1, 5)
    marks = (Landmark(2, 2.0, 1.0),)
    evidence = gather_evidence(
        time_s, index, np.full(5, 0.1), PARAMETERS, bends=np.zeros((5, 5)), cecum=np.zeros(5), landmarks=marks
    )
    rest = without_each_source(evidence)
    assert list(rest) == ["time", "location", "bends", "landmark", "cecum"]
    assert rest["time"].seconds is None
    assert rest["location"].variance is None
    assert rest["bends"].bends is None
    assert set(rest["landmark"].unary) == {"cecum"}
    assert set(rest["cecum"].unary) == {"landmark"}
    assert rest["cecum"].seconds is evidence.seconds
    bare = gather_evidence(time_s, index, None, PARAMETERS)
    assert list(without_each_source(replace(bare, seconds=None))) == []


def test_the_variance_of_the_length_is_found_again_from_that_of_its_bridge() -> None:
    """var = a (A - a) / A with the cumulative variance a and its total A."""
    a = np.array([0, 0.1, 0.3, 0.5, 1.0, 1.2, 1.5, 1.8, 2.0])
    found = cumulative_variance(NODES, NODES, np.sqrt(a * (2 - a) / 2))
    np.testing.assert_allclose(found, a, atol=1e-5)


def test_a_landmark_is_where_the_camera_was_around_its_time() -> None:
    parameters = replace(PARAMETERS, landmark_width_nodes=2.0, landmark_outlier=1e-3)
    time_s = np.arange(0, 80, 0.5)
    index = np.clip(time_s / 79.5 + 0.1 * np.sin(time_s / 9), 0, 1)
    marks = (Landmark(2, 30.0, 3.0), Landmark(5, 500.0, 2.0))
    found = landmark_likelihood(NODES, time_s, index, marks, parameters)
    assert not found[[0, 2, 3]].any()
    for row, mark in ((1, marks[0]), (4, None)):
        density = np.zeros(COUNT)
        for t, x in zip(time_s, index, strict=True):
            weight = math.exp(-0.5 * ((t - mark.time_s) / mark.std_s) ** 2) if mark else float(t == time_s[-1])
            if weight > 1e-4:
                density += weight * np.exp(-0.5 * ((NODES - x) / (2.0 / 8)) ** 2)
        np.testing.assert_allclose(found[row], np.log(density / density.max() + 1e-3))


def test_a_landmark_without_a_tolerance_leaves_one_node() -> None:
    time_s, index = np.arange(9.0), np.linspace(0, 1, 9)
    found = landmark_likelihood(NODES, time_s, index, (Landmark(3, 4.0),), PARAMETERS)
    assert np.flatnonzero(np.isfinite(found[2])).tolist() == [4]
    assert not found[[0, 1, 3, 4]].any()
