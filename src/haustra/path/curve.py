"""The major travelling path (paper, fig:location_index): the camera's way without its zigzag and its to-and-fro.

A spline through the positions in the order of time counts every re-insertion twice. So the positions are first put in
the order of progress: the shortest way through the trajectory, which may change from one passage to another where they
meet, leaves out re-insertions; then spline and projection take turns, as for a principal curve. Lengths in here are
shares of the path's own length: nothing depends on the scale of the trajectory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_smoothing_spline
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from haustra.path.project import assign
from haustra.poses import FloatArray, arc_of

# The best 5-fold accuracy on Set 2 of a simulated cohort (benchmarks.place_cohort --tune); flat from 0.04 to 0.07.
DEFAULT_SMOOTHING = 0.055
STEP = 0.005  # spacing of nodes and of curve points
JOIN = 0.015  # two passages closer than this are the same place of the lumen
REACH = 0.08  # to-and-fro within this distance is left out; a wider loop is part of the way
MAX_NODES = 2500
ROUNDS = 4


@dataclass(frozen=True)
class MajorPath:
    """Points evenly spaced along the path and their distance from its beginning, in the units of the trajectory."""

    points: FloatArray
    arc: FloatArray

    @property
    def length(self) -> float:
        return float(self.arc[-1])


def major_travelling_path(positions: FloatArray, *, smoothing: float = DEFAULT_SMOOTHING) -> MajorPath:
    """The B-spline along which the camera travelled.

    `smoothing` is the paper's gamma made free of scale: bends with a wavelength below this share of the path's length
    are looking around, not travelling.
    """
    length = _coarse_length(positions)
    for _ in range(2):
        nodes, _ = travel_nodes(positions, STEP * length)
        path = _evenly(_shortest_way(nodes, JOIN * length, REACH * length), STEP * length)
        length = path.length
    for _ in range(ROUNDS):
        path = _refit(nodes, path, smoothing)
    return path


def travel_nodes(positions: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    """One node each time the camera has moved by `step`, and the frame (a fraction where frames are sparse) it is at.

    Standing still adds nothing and the frame rate does not matter.
    """
    kept = _moved_by(positions, step)
    nodes, at = _no_wider_than(positions, kept, step)
    while len(nodes) > MAX_NODES:
        step *= 1.5
        kept = kept[_moved_by(positions[kept], step)]
        nodes, at = _no_wider_than(positions, kept, step)
    return nodes, at


def _moved_by(positions: FloatArray, step: float) -> NDArray[np.intp]:
    kept, limit = [0], step * step
    rows = positions.tolist()
    x, y, z = rows[0]
    for i, (a, b, c) in enumerate(rows):
        if (a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2 >= limit:
            kept.append(i)
            x, y, z = a, b, c
    if kept[-1] != len(rows) - 1:
        kept.append(len(rows) - 1)
    return np.array(kept)


def _no_wider_than(positions: FloatArray, kept: NDArray[np.intp], step: float) -> tuple[FloatArray, FloatArray]:
    corners = positions[kept]
    pieces = np.maximum(np.ceil(np.linalg.norm(np.diff(corners, axis=0), axis=1) / (1.5 * step)), 1)
    count = np.concatenate([[0.0], np.cumsum(pieces)])
    every = np.arange(count[-1] + 1)
    # Up to the last frame before a kept one the camera was still within a step: the way lies between those two frames.
    left = np.interp(every, count, np.arange(len(kept)))
    after = np.ceil(left - 1e-9).astype(np.intp)
    at = np.where(after == left, kept[after], kept[after] - 1 + (left - np.floor(left)))
    return _interpolate(every, count, corners), at


def _coarse_length(positions: FloatArray) -> float:
    """A first guess: the way in steps of a part of the extent, which is seen from both ends and so has no axes."""
    extent = sum(float(np.linalg.norm(positions - positions[end], axis=1).max()) for end in (0, -1)) / 2
    corners = positions[_moved_by(positions, extent / 40)]
    return float(np.linalg.norm(np.diff(corners, axis=0), axis=1).sum())


def _shortest_way(nodes: FloatArray, join: float, reach: float) -> FloatArray:
    """The shortest way from the first to the last node over consecutive nodes and over passages that meet."""
    n = len(nodes)
    pairs = cKDTree(nodes).query_pairs(join, output_type="ndarray")
    pairs = pairs[pairs[:, 1] <= _last_within(nodes, reach)[pairs[:, 0]]]
    i = np.concatenate([pairs[:, 0], np.arange(n - 1)])
    j = np.concatenate([pairs[:, 1], np.arange(1, n)])
    cost = np.linalg.norm(nodes[i] - nodes[j], axis=1) + 1e-9 * join
    graph = coo_matrix((cost, (i, j)), shape=(n, n)).tocsr()
    before = dijkstra(graph, directed=False, indices=[0], return_predecessors=True)[1][0]
    way = [n - 1]
    while way[-1] != 0:
        way.append(int(before[way[-1]]))
    return nodes[way[::-1]]


def _last_within(nodes: FloatArray, reach: float) -> NDArray[np.intp]:
    """For each node the last one before the trajectory first leaves the ball of radius `reach` around it."""
    n = len(nodes)
    last = np.empty(n, dtype=np.intp)
    for i in range(n):
        outside = np.einsum("ij,ij->i", nodes[i:] - nodes[i], nodes[i:] - nodes[i]) > reach * reach
        last[i] = i + np.argmax(outside) - 1 if outside.any() else n - 1
    return last


def _refit(nodes: FloatArray, path: MajorPath, smoothing: float) -> MajorPath:
    """One turn: place every node on the path, then a smoothing B-spline through the mean position at each place."""
    place = assign(nodes, path.points)
    step = path.arc[1]
    cell = np.rint(place / step).astype(np.intp)
    cell -= cell.min()
    count = np.bincount(cell)
    mean = np.stack([np.bincount(cell, nodes[:, k]) for k in range(3)], axis=1)[count > 0] / count[count > 0][:, None]
    at = np.flatnonzero(count) * step / path.length
    # With weights that sum to 1 the spline keeps 1 / (1 + lam * w^4) of a wave of angular frequency w.
    lam = (smoothing / (2 * np.pi)) ** 4
    spline = make_smoothing_spline(at, mean, w=np.full(len(at), at[-1] / len(at)), lam=lam)
    return _evenly(spline(np.linspace(at[0], at[-1], 2 * len(count))), step)


def _evenly(points: FloatArray, step: float) -> MajorPath:
    arc = arc_of(points)
    even = np.linspace(0.0, arc[-1], max(round(arc[-1] / step), 1) + 1)
    return MajorPath(_interpolate(even, arc, points), even)


def _interpolate(at: FloatArray, known: FloatArray, values: FloatArray) -> FloatArray:
    return np.stack([np.interp(at, known, values[:, k]) for k in range(3)], axis=1)
