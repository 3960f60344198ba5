"""The paper's location index of a withdrawal: kept frames alone, their motions chained, spline and projection.

The paper removes dropped frames and estimates the motion of kept frames as if they were successive. Our observations
hold the motion of each sample from the one before it that shows a picture, kept or not: it is used where that one is
kept. Any other pair of kept frames has dropped frames between it and no motion of its own: the gap is bridged at the
robust speed around it, without rotation (`path.trajectory`). Dropped frames have no pose; their index is interpolated
in time between the kept neighbours.

The paper states no uncertainty. The standard deviation here is that of slow scale drift between two known ends, its
size set on development recordings: it is not measured on the recording at hand, and knows nothing of its gaps.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from haustra.core.arrays import FloatArray, Mask
from haustra.core.vocabulary import BLANK, Basis
from haustra.motion import motion_to_T_a_b
from haustra.path.frame_locations import End, FrameLocations
from haustra.path.paper_index.location import location_index
from haustra.path.parameters import PathParameters
from haustra.path.trajectory import chain
from haustra.results.observations import Observations


def paper_location(seen: Observations, ends: tuple[End, End], parameters: PathParameters) -> FrameLocations:
    """Locations of all samples of a withdrawal, between the ends."""
    kept, time_s = np.flatnonzero(seen.kept), seen.time_s
    T_a_b = np.full((len(kept) - 1, 4, 4), np.nan)
    measured = _measured(seen)[kept[1:]]
    T_a_b[measured] = motion_to_T_a_b(seen.motion[kept[1:]][measured])
    trajectory = chain(T_a_b, time_s[kept], parameters.bridge)
    drift = replace(parameters.paper_index, relative_error=parameters.paper_index.estimated_relative_error)
    found = location_index(trajectory.positions, drift)
    T_w_c = np.full((len(time_s), 4, 4), np.nan)
    T_w_c[kept] = trajectory.T_w_c
    share, std = found.at(time_s[kept], time_s), np.interp(time_s, time_s[kept], found.std)
    first, last = ends
    length = last.location - first.location
    variance = np.square(length * std) + np.square((1 - share) * first.std) + np.square(share * last.std)
    return FrameLocations(first.location + length * share, np.sqrt(variance), T_w_c)


def paper_basis(seen: Observations) -> tuple[Basis, ...]:
    """What the location of each sample rests on; the first one rests on itself."""
    measured = _measured(seen)
    measured[:1] = True
    return tuple(Basis.SEEN if motion else Basis.UNSEEN for motion in measured.tolist())


def _measured(seen: Observations) -> Mask:
    """Kept samples whose motion from the kept one before was measured."""
    shown = np.array([reason not in BLANK for reason in seen.reason], np.bool_)
    kept, rank = np.flatnonzero(seen.kept), np.cumsum(shown)
    result = np.zeros(len(seen.kept), np.bool_)
    result[kept[1:]] = (np.diff(rank[kept]) == 1) & _is_known(seen.motion[kept[1:]])
    return result


def _is_known(motion: FloatArray) -> Mask:
    return np.asarray(np.isfinite(motion).all(axis=1), np.bool_)
