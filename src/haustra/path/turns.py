"""How far off the turn across a gap may be: what a path is wrong by, and where.

Between clear frames the camera's turns are known to a fraction of a degree. In a gap it swings against the wall or
blurs what it sees; how much of that was seen is told by what the network states of the pairs in it. Their sum goes with
the error of the gap's turn (rank correlation 0.6 to 0.7 over 240 gaps of simulated recordings and of another origin),
and is far too large where nothing is seen: a turn is never off by more than the scope turns in a gap. Where the scope
goes far in a gap the colon bends, too, and nobody saw it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haustra.path.steady import PairVelocities
from haustra.poses import FloatArray

# Radians. Set on gaps of simulated recordings that report nothing: those with a sum of 20 degrees are off by 14, of 150
# by 35, of 600 by 40, beyond that by 50.
LEAST = np.radians(3.0)
MOST = np.radians(45.0)
REACHED_AT = np.radians(110.0)
# Radians by the whole colon that a gap spans. Of 1202 gaps of 35 recordings that report nothing, the 102 that span 0.03
# to 0.05 of it are off by 47 degrees (stated without bends 37, with them 46), the 73 longer ones by 68 (41 and 67).
BENT = 12.0


def turn_doubts(pairs: PairVelocities, kept: NDArray[np.bool_]) -> FloatArray:
    """Deviation (n,) in radians of the turn between each kept sample and the kept one before; 0 for all others."""
    stated = pairs.std if pairs.stated is None else pairs.stated
    of_pair = _filled(np.where(pairs.seen, np.nan, np.linalg.norm(stated[:, 3:], axis=1) * pairs.step_s))
    of_pair = np.where(pairs.seen, 0.0, of_pair)
    at = np.flatnonzero(kept)
    summed = np.concatenate([[0.0], np.cumsum(of_pair)])[at]
    across = np.diff(summed, prepend=summed[:1])
    result = np.zeros(len(kept))
    result[at] = np.where(across > 0, LEAST + MOST * -np.expm1(-across / REACHED_AT), 0.0)
    return result


def with_unseen_bends(doubt: FloatArray, index: FloatArray, kept: NDArray[np.bool_]) -> FloatArray:
    """Deviations (n,) of turns across gaps with those of the colon's bends, by how much of it (`index`) they span."""
    at = np.flatnonzero(kept)
    spanned = np.zeros(len(kept))
    spanned[at] = np.abs(np.diff(index[at], prepend=index[at[:1]]))
    return np.where(doubt > 0, np.hypot(doubt, BENT * spanned), 0.0)


def _filled(of_pair: FloatArray) -> FloatArray:
    """Not every pair in a gap is asked: one that was not is as its neighbours are, and unseen where those are too."""
    around = np.concatenate([[np.nan], of_pair, [np.nan]])
    said = np.isfinite(around)
    values = np.where(said, around, 0.0)
    count = said[:-2].astype(np.intp) + said[2:]
    between = np.where(count > 0, (values[:-2] + values[2:]) / np.maximum(count, 1), REACHED_AT)
    return np.where(said[1:-1], values[1:-1], between)
