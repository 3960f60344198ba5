"""Rotation across gaps from the lumen: the clear frames on both sides see the same lumen.

Half of the gaps hold a rotation that nobody saw: the network's estimates there are off by as much as the camera turned.
But the clear frames beside a gap show where the lumen lies, and the colon bends little from one to the other, so the
rotation (but for the roll) is the one that takes one lumen direction to the other. Both sources are weighted by their
variances.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray
from haustra.path.gap_rotation import gap_rotation_std
from haustra.path.parameters import GapLumenParameters, GapRotationParameters
from haustra.path.velocities import PairVelocities


def align_gaps(
    velocity: FloatArray, pairs: PairVelocities, parameters: GapLumenParameters, rotation: GapRotationParameters
) -> tuple[FloatArray, FloatArray]:
    """Velocities (n, 6) whose rotation across gaps agrees with the lumen, and the weight (n + 1,) that the lumen had.

    The weight stands at the sample after the gap. Unlike the uncertainty of the path, which counts from kept frame to
    kept frame, that of the measured rotation here is from lumen to lumen.
    """
    lumen = pairs.lumen
    weight = np.zeros(len(velocity) + 1)
    shown = np.asarray(np.isfinite(lumen).all(axis=1), np.bool_)
    std, result = gap_rotation_std(pairs, shown, rotation), velocity.copy()
    for first, last in pairwise(np.flatnonzero(shown).tolist()):
        gap = slice(first, last)
        if pairs.clear[gap].any():
            continue
        step_s = pairs.step_s[gap]
        distance = float(np.linalg.norm(velocity[gap, :3].T @ step_s))
        lumen_variance = _lumen_variance(lumen[[first, last]], float(step_s.sum()), distance, parameters)
        measured_variance = 0.5 * (1 - parameters.roll_share) * std[last] ** 2
        weight[last] = measured_variance / (measured_variance + lumen_variance)
        middle = (last - first) // 2
        rotations = Rotation.from_rotvec(velocity[gap, 3:] * step_s[:, None]).as_matrix()
        corrected = _corrected(rotations, lumen[[first, last], :2], weight[last], middle)
        result[first + middle, 3:] = corrected / step_s[middle]
    return result, weight


def remaining_std(std: FloatArray, weight: FloatArray, parameters: GapLumenParameters) -> FloatArray:
    """Standard deviation of a gap's rotation once the lumen has been used with this weight; the roll stays as it is."""
    roll = parameters.roll_share
    return np.asarray(std * np.sqrt(roll + (1 - roll) * (1 - weight)))


def _lumen_variance(lumen: FloatArray, seconds: float, distance: float, parameters: GapLumenParameters) -> float:
    """Variance on each axis of the rotation between two pictures told by their lumens (2, 3), radians squared."""
    off_axis = np.square(lumen[:, :2]).sum()
    spread = np.square(np.maximum(lumen[:, 2] - parameters.round_spread, 0.0)).sum()
    return float(
        np.radians(parameters.floor_deg) ** 2
        + np.radians(parameters.off_axis_deg) ** 2 * off_axis
        + np.radians(parameters.spread_deg) ** 2 * spread
        + np.radians(parameters.per_root_second_deg) ** 2 * seconds
        + np.radians(parameters.per_calibre_deg) ** 2 * distance**2
    )


def _corrected(rotations: FloatArray, lumen: FloatArray, weight: float, middle: int) -> FloatArray:
    """Rotation vector of the `middle` pair of a gap that removes `weight` of the angle between the two lumens.

    All of the correction goes to the middle because nobody knows where in the gap the camera turned; the path before
    and after the gap is the same wherever it is.
    """
    before, after = np.concatenate([lumen, np.ones((2, 1))], axis=1)
    until = reduce(np.matmul, rotations[:middle], np.eye(3))
    seen = reduce(np.matmul, rotations[middle:], until) @ after
    axis = np.cross(seen, before)
    size = float(np.linalg.norm(axis))
    more = Rotation.from_rotvec(weight * np.arctan2(size, seen @ before) * axis / max(size, 1e-12)).as_matrix()
    return np.asarray(Rotation.from_matrix(until.T @ more @ until @ rotations[middle]).as_rotvec())
