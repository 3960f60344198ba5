"""The major travelling path (paper, fig:location_index): a smoothing B-spline fitted as a principal curve.

A spline through the positions in the order of time counts every re-insertion twice. So the positions are first put in
the order of progress: the shortest path through the trajectory, which may change from one passage to another where
they meet, leaves out re-insertions; then spline and projection alternate, as for a principal curve. Lengths in the
parameters are shares of the path's own length: nothing depends on the scale of the trajectory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_smoothing_spline
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.poses import arc_of
from haustra.path.paper_index.project import assign
from haustra.path.parameters import DEFAULTS, PaperIndexParameters

# A path has about 200 points. Poses that lie about at random make one with a thousand times as many, and the search for
# places takes memory and time with their number.
MOST_POINTS = 1000
FEWEST_PLACES = 5  # that a smoothing spline can be fitted to


@dataclass(frozen=True)
class MajorPath:
    """Points evenly spaced along the path and their distance from its beginning, in the units of the trajectory."""

    points: FloatArray
    arc: FloatArray

    @property
    def length(self) -> float:
        """Length of the whole path."""
        return float(self.arc[-1])


def major_travelling_path(positions: FloatArray, parameters: PaperIndexParameters = DEFAULTS.paper_index) -> MajorPath:
    """The B-spline along which the camera travelled."""
    length = _coarse_length(positions)
    for _ in range(2):
        step = parameters.step * length
        nodes, _ = travel_nodes(positions, step, parameters.most_nodes)
        path = _evenly(_shortest_path(nodes, parameters.join * length, parameters.reach * length), step)
        length = path.length
    for _ in range(parameters.rounds):
        path = _refit(nodes, path, parameters)
    return path


def travel_nodes(positions: FloatArray, step: float, most: int) -> tuple[FloatArray, FloatArray]:
    """One node each time the camera has moved by `step`, and the frame (a fraction where frames are sparse) it is at.

    Standing still adds nothing and the frame rate does not matter. The step grows until there are at most `most` nodes.
    """
    kept = _moved_by(positions, step)
    nodes, at = _no_wider_than(positions, kept, step)
    while len(nodes) > most:
        step *= 1.5
        kept = kept[_moved_by(positions[kept], step)]
        nodes, at = _no_wider_than(positions, kept, step)
    return nodes, at


def _moved_by(positions: FloatArray, step: float) -> NDArray[np.intp]:
    """Frames at which the camera has moved by `step` since the last of them, and the last frame."""
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
    """The kept frames as nodes, with further nodes on straight lines where two are more than 1.5 steps apart."""
    corners = positions[kept]
    pieces = np.maximum(np.ceil(np.linalg.norm(np.diff(corners, axis=0), axis=1) / (1.5 * step)), 1)
    count = np.concatenate([[0.0], np.cumsum(pieces)])
    every = np.arange(count[-1] + 1)
    # Until the last frame before a kept one the camera was within a step: the motion lies between those two frames.
    left = np.interp(every, count, np.arange(len(kept)))
    after = np.ceil(left - 1e-9).astype(np.intp)
    at = np.where(after == left, kept[after], kept[after] - 1 + (left - np.floor(left)))
    return _interpolate(every, count, corners), at


def _coarse_length(positions: FloatArray) -> float:
    """A first guess: the length in steps of 1/40 of the extent (mean over both ends: does not depend on the axes)."""
    extent = sum(float(np.linalg.norm(positions - positions[end], axis=1).max()) for end in (0, -1)) / 2
    corners = positions[_moved_by(positions, extent / 40)]
    return float(np.linalg.norm(np.diff(corners, axis=0), axis=1).sum())


def _shortest_path(nodes: FloatArray, join: float, reach: float) -> FloatArray:
    """Dijkstra from the first to the last node, over consecutive nodes and over passages that meet."""
    n = len(nodes)
    pairs = cKDTree(nodes).query_pairs(join, output_type="ndarray")
    pairs = pairs[pairs[:, 1] <= _last_within(nodes, reach)[pairs[:, 0]]]
    i = np.concatenate([pairs[:, 0], np.arange(n - 1)])
    j = np.concatenate([pairs[:, 1], np.arange(1, n)])
    cost = np.linalg.norm(nodes[i] - nodes[j], axis=1) + 1e-9 * join
    graph = coo_matrix((cost, (i, j)), shape=(n, n)).tocsr()
    before = dijkstra(graph, directed=False, indices=[0], return_predecessors=True)[1][0]
    back = [n - 1]
    while back[-1] != 0:
        back.append(int(before[back[-1]]))
    return nodes[back[::-1]]


def _last_within(nodes: FloatArray, reach: float) -> NDArray[np.intp]:
    """For each node the last one before the trajectory first leaves the ball of radius `reach` around it."""
    n = len(nodes)
    last = np.empty(n, dtype=np.intp)
    for i in range(n):
        outside = np.einsum("ij,ij->i", nodes[i:] - nodes[i], nodes[i:] - nodes[i]) > reach * reach
        last[i] = i + np.argmax(outside) - 1 if outside.any() else n - 1
    return last


def _refit(nodes: FloatArray, path: MajorPath, parameters: PaperIndexParameters) -> MajorPath:
    """One iteration: project every node, then fit a smoothing B-spline to the mean position at each place."""
    place = assign(nodes, path.points, parameters)
    step = path.arc[1]
    cell = np.rint(place / step).astype(np.intp)
    cell -= cell.min()
    count = np.bincount(cell)
    mean = np.stack([np.bincount(cell, nodes[:, k]) for k in range(3)], axis=1)[count > 0] / count[count > 0][:, None]
    at = np.flatnonzero(count) * step / path.length
    if len(at) < FEWEST_PLACES:
        raise HaustraError("the positions lie about at random: no path leads along them")
    # With weights that sum to 1 the spline keeps 1 / (1 + lam * w^4) of a wave of angular frequency w.
    lam = (parameters.smoothing / (2 * np.pi)) ** 4
    spline = make_smoothing_spline(at, mean, w=np.full(len(at), at[-1] / len(at)), lam=lam)
    return _evenly(spline(np.linspace(at[0], at[-1], 2 * len(count))), step)


def _evenly(points: FloatArray, step: float) -> MajorPath:
    """The polyline resampled at even distances near `step`, wider where that would be more than MOST_POINTS."""
    arc = arc_of(points)
    even = np.linspace(0.0, arc[-1], min(max(round(arc[-1] / step), 1), MOST_POINTS) + 1)
    return MajorPath(_interpolate(even, arc, points), even)


def _interpolate(at: FloatArray, known: FloatArray, values: FloatArray) -> FloatArray:
    return np.stack([np.interp(at, known, values[:, k]) for k in range(3)], axis=1)
