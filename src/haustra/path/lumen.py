"""The lumen across gaps: before and after one the camera sees the same lumen, and so knows how it has turned.

Half of the gaps are turned through unseen: what the network says of their frames is off by as much as the camera
turned. But the clear frames on either side show where the lumen lies, and the colon bends little from one to the other:
the turn (but for the roll) is the one that makes both the same direction. Each counts by its own uncertainty.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from haustra.path.steady import PairVelocities
from haustra.path.turns import turn_doubts
from haustra.poses import FloatArray

# How far off the turn is by the lumen on either axis, radians squared: at least; by how far aside the lumen lies, where
# it is seen in part; by how far the dark part spreads beyond a round one; by the second; and by the way, in calibres,
# along which the colon bends. Gaps of 35 simulated recordings that report nothing allow half of most of these; those of
# another origin, where the lumen lies twice as far aside, do not.
LEAST = np.radians(5.0) ** 2
BY_ASIDE = np.radians(15.0) ** 2
BY_SPREAD = np.radians(60.0) ** 2
ROUND = 0.2
BY_SECOND = np.radians(20.0) ** 2
BY_WAY = np.radians(20.0) ** 2
# Of the variance of a turn this share is roll, of which the lumen tells nothing.
ROLL = 0.15


def turned_by_lumen(velocity: FloatArray, pairs: PairVelocities) -> tuple[FloatArray, FloatArray]:
    """Velocities (n, 6) whose turns across gaps agree with the lumen, and by what share: (n + 1,)."""
    share = np.zeros(len(velocity) + 1)
    if pairs.lumen is None:
        return velocity, share
    shown = np.asarray(np.isfinite(pairs.lumen).all(axis=1), np.bool_)
    doubt, result = turn_doubts(pairs, shown), velocity.copy()
    for first, last in pairwise(np.flatnonzero(shown).tolist()):
        within = slice(first, last)
        if pairs.seen[within].any():
            continue
        step_s = pairs.step_s[within]
        way = velocity[within, :3].T @ step_s
        variance = _lumen_variance(pairs.lumen[[first, last]], float(step_s.sum()), float(np.linalg.norm(way)))
        own = 0.5 * (1 - ROLL) * doubt[last] ** 2
        share[last] = own / (own + variance)
        middle = (last - first) // 2
        turns = Rotation.from_rotvec(velocity[within, 3:] * step_s[:, None]).as_matrix()
        corrected = _corrected(turns, pairs.lumen[[first, last], :2], share[last], middle)
        result[first + middle, 3:] = corrected / step_s[middle]
    return result, share


def left_in_doubt(doubt: FloatArray, share: FloatArray) -> FloatArray:
    """Deviations of turns of which the lumen tells `share`."""
    return np.asarray(doubt * np.sqrt(ROLL + (1 - ROLL) * (1 - share)))


def _lumen_variance(lumen: FloatArray, seconds: float, way: float) -> float:
    """Of the turn between two pictures by where the lumen (2, 3) lies in them, on either axis."""
    aside = np.square(lumen[:, :2]).sum()
    wide = np.square(np.maximum(lumen[:, 2] - ROUND, 0.0)).sum()
    return float(LEAST + BY_ASIDE * aside + BY_SPREAD * wide + BY_SECOND * seconds + BY_WAY * way**2)


def _corrected(turns: FloatArray, lumen: FloatArray, share: float, middle: int) -> FloatArray:
    """The turn of the `middle` pair of a gap with which all of them make up `share` of what the lumens are apart.

    In the middle, because nobody knows where: the path before and behind the gap is the same.
    """
    before, behind = np.concatenate([lumen, np.ones((2, 1))], axis=1)
    until = reduce(np.matmul, turns[:middle], np.eye(3))
    seen = reduce(np.matmul, turns[middle:], until) @ behind
    axis = np.cross(seen, before)
    size = float(np.linalg.norm(axis))
    more = Rotation.from_rotvec(share * np.arctan2(size, seen @ before) * axis / max(size, 1e-12)).as_matrix()
    return np.asarray(Rotation.from_matrix(until.T @ more @ until @ turns[middle]).as_rotvec())
