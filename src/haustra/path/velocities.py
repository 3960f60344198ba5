"""What was seen as velocities of the camera between successive samples, for the estimate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from haustra.chunks import Observations
from haustra.motion import motion_to_T_a_b
from haustra.path.steady import PairVelocities
from haustra.poses import FloatArray
from haustra.terms import INSTRUMENT, Reason

# The usual error of a motion network as a share of the spread of the velocity, between kept frames and beside dropped
# ones (simulated recordings).
ERROR_SEEN = 0.1
ERROR_POOR = 1.0
# Samples that show nothing at all have no motion; the next one is compared with the last that does.
BLIND = (Reason.BLACK, Reason.WHITE, Reason.FROZEN)


def pair_velocities(seen: Observations) -> PairVelocities:
    """Velocities (n - 1, 6) between n samples, in the camera's frame: translation and rotation a second."""
    step_s = np.maximum(np.diff(seen.time_s), 1e-6)
    at = _span_ends(seen.reason)
    measured, std = _spread(*_motions(seen), at, seen.time_s)
    kept = seen.kept[1:] & seen.kept[:-1] & np.isfinite(measured).all(axis=1)
    instrument = np.array([reason in INSTRUMENT for reason in seen.reason], np.bool_)
    held = (instrument[1:] | instrument[:-1]) & ~kept
    return PairVelocities(step_s, measured, _stated(measured, std, kept), kept, held, std, seen.lumen)


def _span_ends(reason: tuple[Reason, ...]) -> NDArray[np.intp]:
    """For each pair of samples the sample whose motion covers it: the next one that shows anything."""
    shows = np.array([name not in BLIND for name in reason], np.bool_)
    after = np.where(shows, np.arange(len(shows)), len(shows))
    return np.minimum(np.minimum.accumulate(after[::-1])[::-1][1:], len(shows) - 1)


def _motions(seen: Observations) -> tuple[FloatArray, FloatArray]:
    """Way and turn (n, 6) that led to each sample, and their deviations; NaN where there is none."""
    known = np.asarray(np.isfinite(seen.motion).all(axis=1), np.bool_)
    moved, std = np.full((2, len(known), 6), np.nan)
    T_a_b = motion_to_T_a_b(seen.motion[known])
    moved[known, :3] = T_a_b[:, :3, 3]
    moved[known, 3:] = Rotation.from_matrix(T_a_b[:, :3, :3]).as_rotvec()
    std[known] = seen.motion_std[known]
    return moved, std


def _spread(
    moved: FloatArray, std: FloatArray, at: NDArray[np.intp], time_s: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """A motion over several samples is spread over them evenly; each then knows less."""
    new = np.diff(at, prepend=-1) > 0
    begins = np.maximum.accumulate(np.where(new, np.arange(len(at)), 0))
    span_s = np.maximum(time_s[at] - time_s[begins], 1e-6)[:, None]
    return moved[at] / span_s, std[at] / span_s * np.sqrt(at - begins)[:, None]


def _stated(measured: FloatArray, std: FloatArray, kept: NDArray[np.bool_]) -> FloatArray:
    """The stated deviations, but never more than the usual ones, which also stand in where a network states none.

    What is stated grows with the motion, and is mostly one error of scale in common: taken at its word for every single
    pair it would draw fast movements towards the mean. The rest of it is part of the travel's uncertainty.
    """
    if not kept.any():
        return std
    usual = np.where(kept[:, None], ERROR_SEEN, ERROR_POOR) * np.maximum(measured[kept].std(axis=0), 1e-9)
    return np.fmin(std, usual)
