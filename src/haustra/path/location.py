"""The location index: how much of the major travelling path lies behind the camera (paper, fig:location_index)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.path.curve import DEFAULT_SMOOTHING, MajorPath, major_travelling_path, travel_nodes
from haustra.path.project import project
from haustra.poses import FloatArray

# The uncertainty model. Each stretch of the way has an error of its own: this share of its length, the same over
# CORRELATED of the path (scale drift is slow). Both ends are known, so the errors are those of a bridge.
RELATIVE_ERROR = 0.15
CORRELATED = 0.15
SMALLEST_STD = 0.003
# Knowing nothing at all is a place anywhere between 0 and 1.
UNKNOWN_STD = 1 / np.sqrt(12.0)


@dataclass(frozen=True)
class LocationIndex:
    """Location index and its standard deviation for every pose; `path` is None when the camera never moved."""

    index: FloatArray
    std: FloatArray
    path: MajorPath | None
    warnings: tuple[str, ...] = ()

    def at(self, time_s: FloatArray, wanted_s: FloatArray) -> FloatArray:
        """f_v of the paper at any times, given the times of the poses."""
        return np.interp(wanted_s, time_s, self.index)


def location_index(positions: NDArray[Any], *, smoothing: float = DEFAULT_SMOOTHING) -> LocationIndex:
    """Position along the major travelling path, 0 at the first pose and 1 at the last, shape (n, 3) -> (n,).

    Poses that are not finite are placed between their neighbours. Without any motion the index is spread evenly and
    its standard deviation says that nothing is known.
    """
    positions = _checked(positions, smoothing)
    finite = np.isfinite(positions).all(axis=1)
    known = positions[finite]
    if len(known) < 2 or not _moves(known):
        why = "one usable pose" if len(known) == 1 else "no usable pose" if not len(known) else "the camera never moves"
        even = np.linspace(0.0, 1.0, len(positions)) if len(positions) > 1 else np.zeros(len(positions))
        return LocationIndex(even, np.full(len(positions), UNKNOWN_STD), None, (f"{why}: no place can be determined",))
    path = major_travelling_path(known, smoothing=smoothing)
    index = _along(known, path)
    std = _uncertainty(index)
    at, every = np.flatnonzero(finite), np.arange(len(positions))
    lost = int((~finite).sum())
    warnings = (f"{lost} poses are not finite: placed between their neighbours",) if lost else ()
    return LocationIndex(np.interp(every, at, index), np.interp(every, at, std), path, warnings)


def _checked(positions: NDArray[Any], smoothing: float) -> FloatArray:
    positions = np.asarray(positions, dtype=np.float64)
    if positions.ndim != 2 or positions.shape[1] != 3:
        raise HaustraError(f"positions have the shape {positions.shape}: (number of poses, 3) is needed")
    if not len(positions):
        raise HaustraError("there are no poses: a location index needs at least one")
    if not 0 < smoothing <= 1:
        raise HaustraError(f"a smoothing of {smoothing:g} is not possible: choose a share of the path in (0, 1]")
    return positions


def _moves(positions: FloatArray) -> bool:
    """Rounding of large coordinates is no motion."""
    extent = float(np.ptp(positions, axis=0).max())
    return extent > 1e-12 * float(np.abs(positions).max())


def _along(positions: FloatArray, path: MajorPath) -> FloatArray:
    """Places of all poses, with the first pose at 0 and the last at 1; what lies beyond the two is at the end."""
    nodes, at = travel_nodes(positions, float(path.arc[1]))
    place = project(positions, nodes, at, path.points)
    first, last = place[0], place[-1]
    if abs(last - first) < 0.02 * path.length:  # the recording ends where it began: the way itself is the measure
        first, last = 0.0, path.length
    index = np.clip((place - first) / (last - first), 0.0, 1.0)
    index[0], index[-1] = 0.0, 1.0
    return index


def _uncertainty(index: FloatArray) -> FloatArray:
    """Standard deviation of a bridge between the two known ends, over the variance that the stretches add."""
    stretch = np.abs(np.diff(index, prepend=index[0]))
    added = np.cumsum(RELATIVE_ERROR**2 * CORRELATED * stretch)
    bridge = added * (added[-1] - added) / max(float(added[-1]), 1e-300)
    return np.sqrt(np.maximum(bridge, 0.0) + SMALLEST_STD**2)
