"""The location index by value: made paths whose places are known, ends, and what is not possible."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from made_paths import made_path

from haustra.core.errors import HaustraError
from haustra.path import location_index
from haustra.path.frame_locations import UNKNOWN_STD
from haustra.path.paper_index.curve import MajorPath
from haustra.path.paper_index.location import _along, _drift_std
from haustra.path.parameters import PaperIndexParameters

PARAMETERS = PaperIndexParameters()


def test_reinsertions_and_pauses_add_no_length() -> None:
    """Going back by 8 % and looking around at one place must not stretch the path there."""
    line = np.concatenate([np.linspace(0, 0.5, 300), np.linspace(0.5, 0.42, 60), np.linspace(0.42, 1, 300)])
    around = 0.01 * np.sin(np.linspace(0, 60, len(line)))
    positions = np.stack([line, around, np.zeros(len(line))], axis=1) * 1300
    index = location_index(positions).index
    assert np.abs(index - line).max() < 0.01
    assert index[330] < index[299] - 0.03, "the index follows the scope back"


def test_a_path_that_crosses_itself_is_not_cut_short() -> None:
    angle = np.linspace(0, 3 * np.pi, 900)
    positions = np.stack([np.cos(angle), np.sin(angle), 0.002 * angle], axis=1)
    assert np.abs(location_index(positions).index - angle / angle[-1]).max() < 0.02


def test_the_two_ends_are_0_and_1() -> None:
    index = location_index(made_path(3).positions).index
    assert index[0] == 0.0
    assert index[-1] == 1.0
    assert index.min() >= 0.0
    assert index.max() <= 1.0


def test_poses_that_are_not_finite_lie_between_their_neighbours() -> None:
    path = made_path(4, 40)
    positions = path.positions.copy()
    positions[[0, 100, 101, 102]] = np.nan
    result = location_index(positions)
    assert np.isfinite(result.index).all()
    assert result.index[101] == pytest.approx((result.index[99] + result.index[103]) / 2, abs=1e-3)
    assert "4 poses" in result.warnings[0]


@pytest.mark.parametrize("poses", [np.zeros((5, 3)), np.full((4, 3), 1e6), np.full((3, 3), np.nan), np.ones((1, 3))])
def test_without_motion_nothing_is_known(poses: np.ndarray) -> None:
    result = location_index(poses)
    assert np.isfinite(result.index).all()
    assert (result.std == UNKNOWN_STD).all()
    assert result.path is None
    assert len(result.warnings) == 1


def test_few_poses_are_placed_by_their_distance() -> None:
    assert location_index(np.array([[0, 0, 0], [1, 0, 0.0]])).index.tolist() == [0.0, 1.0]
    index = location_index(np.array([[0, 0, 0], [1, 0, 0], [4, 0, 0.0]])).index
    assert index == pytest.approx([0, 0.25, 1], abs=0.01)


def test_repeated_positions_are_harmless() -> None:
    positions = np.repeat(np.linspace([0, 0, 0], [10, 5, 1], 7), 5, axis=0)
    index = location_index(positions).index
    assert index == pytest.approx(np.repeat(np.linspace(0, 1, 7), 5), abs=0.01)


def test_a_recording_that_ends_where_it_began_is_still_placed() -> None:
    line = np.concatenate([np.linspace(0, 1, 200), np.linspace(1, 0, 200)])
    result = location_index(np.stack([line, 0 * line, 0 * line], axis=1))
    assert np.isfinite(result.index).all()


def test_where_the_end_is_the_beginning_the_whole_path_is_the_measure() -> None:
    """Out by 80 of 100 and back: places are shares of the path, the two ends by definition 0 and 1."""
    points = np.stack([np.linspace(0, 100, 201), np.zeros(201), np.zeros(201)], axis=1)
    path = MajorPath(points, np.linspace(0, 100, 201))
    for end, closed in ((1.9, True), (2.1, False)):
        x = np.concatenate([np.linspace(0, 80, 161), np.linspace(80, end, 157)])
        index = _along(np.stack([x, 0 * x, 0 * x], axis=1), path, PARAMETERS)
        wanted = np.clip(x / (100 if closed else end), 0, 1)
        wanted[-1] = 1.0
        np.testing.assert_allclose(index, wanted, atol=1e-6)


def test_uncertainty_is_that_of_a_bridge_between_known_ends() -> None:
    """Each stretch adds its variance; known at both ends, A steps of variance are a (A - a) / A after a of them."""
    parameters = PaperIndexParameters(relative_error=0.2, correlation_length=0.3, smallest_std=0.01)
    index = np.cumsum(np.abs(np.random.default_rng(0).normal(size=50)))
    index = (index - index[0]) / (index[-1] - index[0])
    index[20:] -= 0.05  # a step back adds as much as one forward
    added = [0.0]
    for a, b in pairwise(index):
        added.append(added[-1] + 0.2**2 * 0.3 * abs(b - a))
    wanted = [np.sqrt(a * (added[-1] - a) / added[-1] + 0.01**2) for a in added]
    np.testing.assert_allclose(_drift_std(index, parameters), wanted, rtol=1e-12)
    assert _drift_std(np.zeros(3), parameters).tolist() == [0.01] * 3


def test_uncertainty_grows_away_from_the_ends() -> None:
    plain = location_index(made_path(5, 40).positions)
    assert plain.std[len(plain.std) // 2] > 3 * plain.std[1]


@pytest.mark.parametrize("bad", [np.zeros((0, 3)), np.zeros((4, 2)), np.zeros(3)])
def test_input_of_the_wrong_shape_is_one_line(bad: np.ndarray) -> None:
    with pytest.raises(HaustraError, match="poses"):
        location_index(bad)
    with pytest.raises(HaustraError, match="smoothing"):
        location_index(np.zeros((3, 3)), replace(PARAMETERS, smoothing=0.0))
    with pytest.raises(HaustraError, match="smoothing"):
        location_index(np.zeros((3, 3)), replace(PARAMETERS, smoothing=1.01))
    assert location_index(np.zeros((3, 3)), replace(PARAMETERS, smoothing=1.0)).path is None
