"""The location index of a trajectory: share of the major travelling path passed at each pose (fig:location_index)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.path.frame_locations import UNKNOWN_STD
from haustra.path.paper_index.curve import MajorPath, major_travelling_path, travel_nodes
from haustra.path.paper_index.project import project
from haustra.path.parameters import DEFAULTS, PaperIndexParameters


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


def location_index(positions: NDArray[Any], parameters: PaperIndexParameters = DEFAULTS.paper_index) -> LocationIndex:
    """Position along the major travelling path, 0 at the first pose and 1 at the last, shape (n, 3) -> (n,).

    Poses that are not finite are interpolated between their neighbours. Without any motion the index is spread evenly
    and its standard deviation says that nothing is known.
    """
    positions = _checked(positions, parameters.smoothing)
    finite = np.isfinite(positions).all(axis=1)
    known = positions[finite]
    if len(known) < 2 or not _moves(known):
        why = "one usable pose" if len(known) == 1 else "no usable pose" if not len(known) else "the camera never moves"
        even = np.linspace(0.0, 1.0, len(positions)) if len(positions) > 1 else np.zeros(len(positions))
        return LocationIndex(even, np.full(len(positions), UNKNOWN_STD), None, (f"{why}: no place can be determined",))
    path = major_travelling_path(known, parameters)
    index = _along(known, path, parameters)
    std = _drift_std(index, parameters)
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


def _along(positions: FloatArray, path: MajorPath, parameters: PaperIndexParameters) -> FloatArray:
    """Index of all poses: the first pose is at 0 and the last at 1; what lies beyond the two is clipped."""
    nodes, at = travel_nodes(positions, float(path.arc[1]), parameters.most_nodes)
    place = project(positions, nodes, at, path.points, parameters)
    first, last = place[0], place[-1]
    if abs(last - first) < parameters.closed * path.length:  # it ends where it began: the whole path is the measure
        first, last = 0.0, path.length
    index = np.clip((place - first) / (last - first), 0.0, 1.0)
    index[0], index[-1] = 0.0, 1.0
    return index


def _drift_std(index: FloatArray, parameters: PaperIndexParameters) -> FloatArray:
    """Standard deviation of slow scale drift: a Brownian bridge between the two known ends.

    A model of the usual error of such paths, not a measurement: `path.location_estimate` has the one that is computed
    from the recording.
    """
    stretch = np.abs(np.diff(index, prepend=index[0]))
    added = np.cumsum(parameters.relative_error**2 * parameters.correlation_length * stretch)
    bridge = added * (added[-1] - added) / max(float(added[-1]), 1e-300)
    return np.sqrt(np.maximum(bridge, 0.0) + parameters.smallest_std**2)
