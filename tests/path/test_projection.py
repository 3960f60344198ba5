"""Nodes, projection and the major travelling path by value: against brute force and on paths known in closed form."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.path.paper_index.curve import MOST_POINTS, major_travelling_path, travel_nodes
from haustra.path.paper_index.project import _best_sequence, _lengthen, assign, project, refine
from haustra.path.parameters import PaperIndexParameters

PARAMETERS = PaperIndexParameters()
MOST = PARAMETERS.most_nodes


def bent(count: int = 60) -> np.ndarray:
    """Points of a helix, evenly spaced."""
    angle = np.linspace(0, 2.5, count)
    return np.stack([10 * np.cos(angle), 10 * np.sin(angle), 2 * angle], axis=1)


def nearest_place(x: np.ndarray, points: np.ndarray, step: float) -> float:
    """The nearest point of the polyline, edge by edge, as a distance along it."""
    best, place = math.inf, 0.0
    for k in range(len(points) - 1):
        edge = points[k + 1] - points[k]
        along = min(max(float((x - points[k]) @ edge / (edge @ edge)), 0.0), 1.0)
        distance = math.dist(x, points[k] + along * edge)
        if distance < best:
            best, place = distance, (k + along) * step
    return place


@pytest.mark.parametrize("off", [0.0, 0.8])
def test_refining_finds_the_nearest_point_of_the_polyline(off: float) -> None:
    rng = np.random.default_rng(0)
    points = bent()
    step = float(np.linalg.norm(points[1] - points[0]))
    true = rng.uniform(0, len(points) - 1, 25)
    positions = np.stack([np.interp(true, np.arange(len(points)), points[:, k]) for k in range(3)], axis=1)
    positions += off * rng.normal(size=positions.shape)
    found = refine(positions, points, true * step, step, window=len(points))
    wanted = [nearest_place(x, points, step) for x in positions]
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_refining_looks_no_further_than_its_window() -> None:
    line = np.stack([np.arange(20.0), np.zeros(20), np.zeros(20)], axis=1)
    x = np.array([[10.25, 1.0, 0.0]])
    for window, place, wanted in ((2, 10.0, 10.25), (2, 6.0, 8.0), (3, 6.0, 9.0), (2, 15.0, 13.0), (1, 0.0, 1.0)):
        assert refine(x, line, np.array([place]), 1.0, window)[0] == pytest.approx(wanted)
    beyond = np.array([[-3.0, 0, 0], [25.0, 0, 0]])
    assert refine(beyond, line, np.array([-3.0, 25.0]), 1.0, 2).tolist() == [0.0, 19.0]


def test_nodes_beside_a_path_are_placed_at_their_foot_and_beyond_its_ends() -> None:
    line = np.stack([np.linspace(0, 50, 101), np.zeros(101), np.zeros(101)], axis=1)
    at = np.linspace(-1.5, 51.5, 54)
    nodes = np.stack([at, 0.3 * np.sin(at), np.full(54, 0.2)], axis=1)
    np.testing.assert_allclose(assign(nodes, line, PARAMETERS), at, atol=1e-9)


def test_the_place_does_not_jump_where_the_path_comes_near_itself() -> None:
    """There and back on two lines 0.4 apart; nodes lie between them, nearer to the wrong one for a while."""
    there = np.stack([np.arange(0, 40, 0.5), np.zeros(80), np.zeros(80)], axis=1)
    points = np.concatenate([there, np.array([[40.2, 0.2, 0.0]]), there[::-1] + np.array([0, 0.4, 0])])
    nodes = there.copy()
    nodes[20:24, 1] = 0.35
    np.testing.assert_allclose(assign(nodes, points, PARAMETERS), nodes[:, 0], atol=0.3)


def test_a_path_goes_straight_on_at_both_ends() -> None:
    """By the direction of its first and last six points, for a twenty-fifth of its length, two points at least."""
    for count, extra in ((100, 4), (30, 2)):
        points = bent(count)
        found, longer = _lengthen(points, 0.04)
        assert (found, len(longer)) == (extra, count + 2 * extra)
        np.testing.assert_array_equal(longer[extra:-extra], points)
        for k in range(1, extra + 1):
            np.testing.assert_allclose(longer[extra - k], points[0] - k * (points[5] - points[0]) / 5)
            np.testing.assert_allclose(longer[-extra - 1 + k], points[-1] + k * (points[-1] - points[-6]) / 5)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_sequence_of_places_by_trying_all(seed: int) -> None:
    """Squared distances in steps, and 0.05 times the square of what a move is longer than the nodes are apart."""
    rng = np.random.default_rng(seed)
    points = np.stack([np.arange(10.0), np.sin(np.arange(10.0)), np.zeros(10)], axis=1)
    nodes = points[rng.integers(0, 10, 4)] + 0.3 * rng.normal(size=(4, 3))
    nodes[1] = nodes[0] + 0.4 * rng.normal(size=3)
    nodes[2] = nodes[1] + 0.4 * rng.normal(size=3)
    step = 1.5
    stride = float(np.median([math.dist(nodes[k], nodes[k + 1]) for k in range(3)])) / step
    widest = math.ceil(1.5 * stride) + 1

    def cost(places: tuple[int, ...]) -> float:
        moves = [abs(b - a) for a, b in itertools.pairwise(places)]
        if max(moves) > widest:
            return math.inf
        far = sum(math.dist(node, points[place]) ** 2 for node, place in zip(nodes, places, strict=True)) / step**2
        return far + sum(0.05 * max(move - stride, 0.0) ** 2 for move in moves)

    best = min(itertools.product(range(10), repeat=4), key=cost)
    assert tuple(_best_sequence(nodes, points, step, 0.05)) == best
    assert widest < 9


def test_every_frame_is_projected_between_its_nodes() -> None:
    points = bent(200)
    step = float(np.linalg.norm(points[1] - points[0]))
    true = np.linspace(0, 199, 1500)
    positions = np.stack([np.interp(true, np.arange(200), points[:, k]) for k in range(3)], axis=1)
    nodes, at = travel_nodes(positions, step, MOST)
    np.testing.assert_allclose(project(positions, nodes, at, points, PARAMETERS), true * step, atol=1e-6)


def test_a_node_each_time_the_camera_has_moved_by_a_step() -> None:
    still = [0, 0, 0, 0.5, 0.99, 1.0, 1.5, 1.2, 2.0, 2.0, 2.7]
    nodes, at = travel_nodes(np.stack([still, np.zeros(11), np.zeros(11)], axis=1), 1.0, MOST)
    assert nodes[:, 0].tolist() == [0.0, 1.0, 2.0, 2.7]
    assert at.tolist() == [0, 5, 8, 10]


def test_a_jump_is_filled_with_nodes_no_wider_apart_than_one_and_a_half_steps() -> None:
    x = np.array([0.0, 1.0, 2.5, 2.5, 2.5, 5.51])
    nodes, at = travel_nodes(np.stack([x, np.zeros(6), np.zeros(6)], axis=1), 1.0, MOST)
    np.testing.assert_allclose(nodes[:, 0], [0, 1, 2.5, 2.5 + 3.01 / 3, 2.5 + 2 * 3.01 / 3, 5.51])
    np.testing.assert_allclose(at, [0, 1, 2, 4 + 1 / 3, 4 + 2 / 3, 5])


def test_there_are_never_more_nodes_than_fit() -> None:
    line = np.stack([np.arange(9000.0), np.zeros(9000), np.zeros(9000)], axis=1)
    nodes, _ = travel_nodes(line, 1.0, 1000)
    assert 500 < len(nodes) <= 1000
    assert nodes[-1, 0] == 8999.0


def line_with_waves(wavelength: float, height: float) -> np.ndarray:
    x = np.linspace(0, 1, 2001)
    return np.stack([x, height * np.sin(2 * np.pi * x / wavelength), 0 * x], axis=1)


def test_waves_at_the_smoothing_length_keep_half_their_height() -> None:
    """1 / (1 + lam w^4) is a half where w is 2 pi / smoothing; half as long a wave keeps a seventeenth."""
    for wavelength, kept in ((0.3, 1 / (1 + (0.1 / 0.3) ** 4)), (0.1, 0.5)):
        path = major_travelling_path(line_with_waves(wavelength, 0.004), replace(PARAMETERS, smoothing=0.1))
        middle = (path.points[:, 0] > 0.25) & (path.points[:, 0] < 0.75)
        assert np.abs(path.points[middle, 1]).max() == pytest.approx(0.004 * kept, rel=0.35)


def test_points_of_the_path_are_even_and_its_length_is_theirs() -> None:
    path = major_travelling_path(bent(2000))
    steps = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
    np.testing.assert_allclose(np.diff(path.arc), path.arc[1], rtol=1e-9)
    np.testing.assert_allclose(steps, path.arc[1], rtol=0.02)
    assert path.length == path.arc[-1] == pytest.approx(2.5 * math.hypot(10, 2), rel=0.01)
    assert len(path.points) == pytest.approx(200, abs=3), "one point each 0.005 of the length"


@pytest.mark.parametrize(("wide", "share"), [(0.05, 0.0), (0.15, 1.0)])
def test_a_small_circle_is_left_out_and_a_wide_loop_is_part_of_the_way(wide: float, share: float) -> None:
    """Half way the camera goes round once; within 0.08 of the length that is looking around."""
    angle = np.linspace(0, 2 * np.pi, 400)
    circle = np.stack([0.5 + wide / 2 * np.sin(angle), wide / 2 * (1 - np.cos(angle)), 0 * angle], axis=1)
    line = np.stack([np.linspace(0, 1, 1001), np.zeros(1001), np.zeros(1001)], axis=1)
    path = major_travelling_path(np.concatenate([line[:500], circle, line[501:]]))
    assert (path.length - 1) / (np.pi * wide) == pytest.approx(share, abs=0.4)


def test_poses_that_lie_about_at_random_are_a_small_path_or_none() -> None:
    """A thousand of them once took gigabytes and minutes: the path had 200,000 points."""
    few, many = (np.random.default_rng(1).normal(0, 1, (count, 3)) for count in (60, 1000))
    assert len(major_travelling_path(few).points) <= MOST_POINTS + 1
    with pytest.raises(HaustraError, match="no path leads along them"):
        major_travelling_path(many)
