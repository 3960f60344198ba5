"""Projection on a path, continuous in time: a Viterbi search over places that do not jump, then the nearest point.

The nearest point alone may jump where the path comes near itself; the camera cannot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from haustra.core.arrays import FloatArray
from haustra.path.parameters import PaperIndexParameters


def assign(nodes: FloatArray, points: FloatArray, parameters: PaperIndexParameters) -> FloatArray:
    """Place of every node along `points` (evenly spaced), as arc length from the first point; may be negative.

    Viterbi: of all sequences of places that never jump, the one with the smallest sum of squared distances.
    """
    step = float(np.linalg.norm(points[1] - points[0]))
    extra, longer = _lengthen(points, parameters.extension)
    states = _best_sequence(nodes, longer, step, parameters.jump_cost)
    return refine(nodes, longer, states.astype(np.float64) * step, step, window=2) - extra * step


def project(
    positions: FloatArray, nodes: FloatArray, at: FloatArray, points: FloatArray, parameters: PaperIndexParameters
) -> FloatArray:
    """Place of every pose along `points`; `nodes` are the poses thinned to steps of travel, at the frames `at`."""
    step = float(np.linalg.norm(points[1] - points[0]))
    extra, longer = _lengthen(points, parameters.extension)
    rough = np.interp(np.arange(len(positions)), at, assign(nodes, points, parameters)) + extra * step
    return refine(positions, longer, rough, step, window=3) - extra * step


def _lengthen(points: FloatArray, extension: float) -> tuple[int, FloatArray]:
    """The path with a straight continuation at both ends, and the number of points in front of the first."""
    extra = max(round(extension * len(points)), 2)
    return extra, np.concatenate([_beyond(points[:6][::-1], extra)[::-1], points, _beyond(points[-6:], extra)])


def _beyond(tail: FloatArray, count: int) -> FloatArray:
    direction = (tail[-1] - tail[0]) / max(len(tail) - 1, 1)
    return tail[-1] + np.arange(1, count + 1)[:, None] * direction


def _best_sequence(nodes: FloatArray, points: FloatArray, step: float, jump_cost: float) -> NDArray[np.intp]:
    """The cheapest sequence of points, one a node.

    From node to node the place may change by half more than the nodes are apart; what exceeds their distance costs.
    """
    n, m = len(nodes), len(points)
    stride = float(np.median(np.linalg.norm(np.diff(nodes, axis=0), axis=1))) / step
    band = int(np.ceil(1.5 * stride)) + 1
    moves = np.arange(-band, band + 1)
    move_cost = jump_cost * np.maximum(np.abs(moves) - stride, 0.0)[:, None] ** 2
    total = cdist(nodes, points, "sqeuclidean") / step**2
    padded = np.full(m + 2 * band, np.inf)
    options = np.lib.stride_tricks.sliding_window_view(padded, m)
    for k in range(1, n):
        padded[band:-band] = total[k - 1]
        total[k] += (options + move_cost).min(axis=0)
    return _trace_back(total, move_cost[:, 0])


def _trace_back(total: FloatArray, move_cost: FloatArray) -> NDArray[np.intp]:
    """From the best last state back along the moves that led to it: cheaper than to note every move on the way."""
    n, m = total.shape
    band = len(move_cost) // 2
    states = np.empty(n, dtype=np.intp)
    states[-1] = total[-1].argmin()
    for k in range(n - 1, 0, -1):
        low, high = max(states[k] - band, 0), min(states[k] + band + 1, m)
        moves = move_cost[low - states[k] + band : high - states[k] + band]
        states[k - 1] = low + (total[k - 1, low:high] + moves).argmin()
    return states


def refine(positions: FloatArray, points: FloatArray, place: FloatArray, step: float, window: int) -> FloatArray:
    """The nearest point of the polyline within `window` steps of the given place, for all positions at once."""
    around = np.clip(np.rint(place / step).astype(np.intp), 0, len(points) - 1)
    best = np.full(len(positions), np.inf)
    result = np.empty(len(positions))
    for offset in range(-window, window):
        first = np.clip(around + offset, 0, len(points) - 2)
        a, edge = points[first], points[first + 1] - points[first]
        along = np.einsum("ij,ij->i", positions - a, edge) / np.maximum(np.einsum("ij,ij->i", edge, edge), 1e-300)
        along = np.clip(along, 0.0, 1.0)
        miss = positions - a - along[:, None] * edge
        distance = np.einsum("ij,ij->i", miss, miss)
        closer = distance < best
        best[closer] = distance[closer]
        result[closer] = (first[closer] + along[closer]) * step
    return result
