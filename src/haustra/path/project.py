"""Continuous projection on a path: the nearest point may jump where the path comes near itself, the camera may not."""

from __future__ import annotations

import numpy as np

from haustra.poses import FloatArray

# Per node (one step of travel) the place changes by at most this many steps; faster than one step costs a little.
_BAND = 3
_PULL = 0.05
_EXTRA = 0.04  # straight continuation at both ends, as a share of the path


def assign(nodes: FloatArray, points: FloatArray) -> FloatArray:
    """Place of every node along `points` (evenly spaced), in units of length from the first point; may be negative.

    Viterbi: of all sequences of places that never jump, the one with the smallest sum of squared distances.
    """
    step = float(np.linalg.norm(points[1] - points[0]))
    extra, longer = _lengthen(points)
    states = _best_sequence(nodes, longer, step)
    return refine(nodes, longer, states * step, step, window=2) - extra * step


def project(positions: FloatArray, nodes: FloatArray, at: FloatArray, points: FloatArray) -> FloatArray:
    """Place of every pose along `points`; `nodes` are the poses thinned to steps of travel, at the frames `at`."""
    step = float(np.linalg.norm(points[1] - points[0]))
    extra, longer = _lengthen(points)
    rough = np.interp(np.arange(len(positions)), at, assign(nodes, points)) + extra * step
    return refine(positions, longer, rough, step, window=3) - extra * step


def _lengthen(points: FloatArray) -> tuple[int, FloatArray]:
    """The path with a straight continuation at both ends, and the number of points in front of the first."""
    extra = max(round(_EXTRA * len(points)), 2)
    return extra, np.concatenate([_beyond(points[:6][::-1], extra)[::-1], points, _beyond(points[-6:], extra)])


def _beyond(tail: FloatArray, count: int) -> FloatArray:
    direction = (tail[-1] - tail[0]) / max(len(tail) - 1, 1)
    return tail[-1] + np.arange(1, count + 1)[:, None] * direction


def _best_sequence(nodes: FloatArray, points: FloatArray, step: float) -> np.ndarray:
    n, m = len(nodes), len(points)
    moves = np.arange(-_BAND, _BAND + 1)
    move_cost = _PULL * np.maximum(np.abs(moves) - 1, 0.0) ** 2
    came_from = np.empty((n, m), dtype=np.int8)
    padded = np.full(m + 2 * _BAND, np.inf)
    options = np.lib.stride_tricks.sliding_window_view(padded, 2 * _BAND + 1)
    every = np.arange(m)
    best = _squared(nodes[0], points) / step**2
    for k in range(1, n):
        padded[_BAND:-_BAND] = best
        cost = options + move_cost
        choice = cost.argmin(axis=1)
        came_from[k] = choice - _BAND
        best = cost[every, choice] + _squared(nodes[k], points) / step**2
        best -= best.min()
    states = np.empty(n, dtype=np.intp)
    states[-1] = best.argmin()
    for k in range(n - 1, 0, -1):
        states[k - 1] = states[k] + came_from[k, states[k]]
    return states


def _squared(node: FloatArray, points: FloatArray) -> FloatArray:
    difference = points - node
    return np.einsum("ij,ij->i", difference, difference)


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
