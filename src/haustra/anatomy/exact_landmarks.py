"""Hard constraints on the decoder: a landmark without a tolerance fixes its boundary to one frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from haustra.anatomy.landmarks import Landmark
from haustra.core.arrays import FloatArray
from haustra.core.times import nearest
from haustra.core.vocabulary import SEGMENTS


def exact_rows(time_s: FloatArray, landmarks: Sequence[Landmark]) -> dict[int, int]:
    """By boundary, the first row after it: the frame nearest to the time of each exact landmark."""
    given = [landmark for landmark in landmarks if landmark.exact]
    rows = nearest(time_s, np.array([landmark.time_s for landmark in given], dtype=np.float64))
    return {landmark.boundary: int(row) for landmark, row in zip(given, rows, strict=True)}


def with_coinciding(rows: Mapping[int, int], missing: Sequence[str]) -> dict[int, int]:
    """The same rows, and those of the boundaries that coincide with one of them: the segment in between is missing."""
    all_rows = dict(rows)
    for boundary, row in rows.items():
        while boundary > 1 and SEGMENTS[boundary - 1] in missing:
            boundary -= 1
            all_rows[boundary] = row
    return all_rows


def exact_nodes(index: FloatArray, rows: Mapping[int, int], count: int) -> dict[int, int]:
    """By boundary, its node on a grid of `count`: in order, with at least one node for each segment in between.

    Where the scope was pushed back in between two landmarks, their locations are out of order. The rows, not these
    nodes, then decide which frame lies in which segment.
    """
    most, room = count - 1 - len(SEGMENTS), 0
    nodes = {}
    for boundary, row in sorted(rows.items()):
        room = int(np.clip(round(float(index[row]) * (count - 1)) - boundary, room, most))
        nodes[boundary] = room + boundary
    return nodes


def constrain_probabilities(probabilities: FloatArray, rows: Mapping[int, int]) -> FloatArray:
    """Segment probabilities (n, segments) in which each boundary of `rows` is passed at its row, once and for good."""
    if not rows:
        return probabilities
    passed = np.flip(np.cumsum(np.flip(probabilities, axis=1), axis=1), axis=1)  # the boundary before each segment
    for boundary, row in rows.items():
        passed[:row, boundary:] = 0.0
        passed[row:, : boundary + 1] = 1.0
    exact = -np.diff(passed, axis=1, append=0.0)
    return np.where(np.isfinite(probabilities), np.maximum(exact, 0.0), np.nan)


def constrain_segments(segment: NDArray[np.int64], rows: Mapping[int, int]) -> NDArray[np.int64]:
    """The same for segment numbers; 0 stays 0."""
    constrained = segment.copy()
    for boundary, row in rows.items():
        before, after = constrained[:row], constrained[row:]
        constrained[:row], constrained[row:] = np.minimum(before, boundary), np.maximum(after, boundary + 1)
    return np.where(segment > 0, constrained, 0)
