"""Rotation uncertainty across gaps, the dominant path error.

Between clear frames the camera's rotation is known to a fraction of a degree. In a gap it swings against the wall or
blurs what it sees. The sum of what the network predicts for the pairs in a gap goes with the error of the gap's
rotation (rank correlation 0.6 to 0.7 over 240 gaps of simulated recordings and of the foreign pair) and is far too
large where nothing is seen: the error saturates at how far a scope turns in a gap. Where the scope goes far in a gap
the colon bends, too, unseen.
"""

from __future__ import annotations

import numpy as np

from haustra.core.arrays import FloatArray, Mask
from haustra.path.parameters import GapRotationParameters
from haustra.path.velocities import PairVelocities


def gap_rotation_std(pairs: PairVelocities, marked: Mask, parameters: GapRotationParameters) -> FloatArray:
    """Standard deviation (n,), radians, of the rotation between each marked sample and the marked one before.

    0 where only clear pairs lie between the two, and for samples that are not marked.
    """
    floor, most, scale = np.radians([parameters.floor_deg, parameters.range_deg, parameters.scale_deg])
    predicted = np.linalg.norm(pairs.predicted_std[:, 3:], axis=1) * pairs.step_s
    predicted = _filled(np.where(pairs.clear, np.nan, predicted), float(scale))
    at = np.flatnonzero(marked)
    summed = np.concatenate([[0.0], np.cumsum(np.where(pairs.clear, 0.0, predicted))])[at]
    across = np.diff(summed, prepend=summed[:1])
    result = np.zeros(len(marked))
    result[at] = np.where(across > 0, floor + most * -np.expm1(-across / scale), 0.0)
    return result


def with_unseen_bends(
    std: FloatArray, index: FloatArray, marked: Mask, parameters: GapRotationParameters
) -> FloatArray:
    """Rotation uncertainty (n,) across gaps with that of the colon's bends, by how much of the colon each gap spans."""
    at = np.flatnonzero(marked)
    spanned = np.zeros(len(marked))
    spanned[at] = np.abs(np.diff(index[at], prepend=index[at[:1]]))
    return np.where(std > 0, np.hypot(std, parameters.unseen_bends_rad * spanned), 0.0)


def _filled(predicted: FloatArray, scale: float) -> FloatArray:
    """Unmeasured pairs in a gap take the mean of their neighbours, or `scale` if neither was measured."""
    around = np.concatenate([[np.nan], predicted, [np.nan]])
    known = np.isfinite(around)
    values = np.where(known, around, 0.0)
    count = known[:-2].astype(np.intp) + known[2:]
    between = np.where(count > 0, (values[:-2] + values[2:]) / np.maximum(count, 1), scale)
    return np.where(known[1:-1], values[1:-1], between)
