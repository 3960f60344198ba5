"""Where the withdrawal starts when it is not given: the deepest point that the camera reached (ours).

The paper takes the start from the physician's notes. The camera looks up the colon all the time, so it moves forward
while the scope goes in and backward while it comes out: forward motion summed over time is the depth of the tip, and
its highest point is the cecum. Half of an insertion is blur and wall, so what happens in the gaps decides how sure
the answer is: motions between frames err by a third of their size, a gap by as much as the scope can move in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.poses import FloatArray

# An insertion that is worth the name covers at least this share of the way back, less is a re-insertion; and a
# recording with less than this share of the way in behind its deepest point holds no withdrawal.
SMALLEST_SHARE = 0.25
# The tip waits in the cecum before it is drawn back: the start is the moment it leaves the top by this share of the
# way, not the first moment there. Small, because a slow withdrawal takes seconds for a hundredth of the way.
AT_TOP = 0.005
# A hand forgets its speed: the speed at the edge of a gap, over EDGE_S of known motion, goes on for MEMORY_S on
# average. Fitted to 60 simulated movements with gaps; straight on through a gap of 3 s errs more than standing still.
EDGE_S = 0.3
MEMORY_S = 0.7
# How sure we are: the motion is made wrong, as estimated motion is, again and again. Each stretch of BLOCK_S has a
# scale of its own, each gap moves on by a share of what the usual speed covers in it (0.5 was seen on the same
# movements; more, because to be sure and wrong is worse than to be unsure). Answers within SAME_S are the same.
DRAWS = 200
BLOCK_S = 5.0
SCALE_ERROR = 0.3
GAP_ERROR = 0.7
SAME_S = 5.0
TOO_SHORT_S = 5.0

Frames = NDArray[np.intp]


@dataclass(frozen=True)
class TurningPoint:
    """`confidence` is the chance, 0 to 1, that the start is right to five seconds."""

    time_s: float
    confidence: float
    has_insertion: bool


def withdrawal_start(time_s: FloatArray, forward: FloatArray) -> TurningPoint:
    """The start of the withdrawal from times (n,) of kept frames and the forward motion (n,) that led to each.

    Motion that is not finite is unknown: a gap.
    """
    known = np.isfinite(forward)
    if len(time_s) < 2 or time_s[-1] - time_s[0] < TOO_SHORT_S or not np.any(forward[known]):
        return TurningPoint(float(time_s[0]) if len(time_s) else 0.0, 0.0, False)
    filled = _fill_gaps(time_s, forward)
    depth = np.cumsum(filled)
    start, has_insertion = _turn(time_s, depth)
    if depth.max() - depth[-1] < SMALLEST_SHARE * (depth.max() - depth[0]):
        return TurningPoint(start, 0.0, has_insertion)
    drawn = [_turn(time_s, np.cumsum(wrong)) for wrong in _made_wrong(time_s, filled, known)]
    same = [abs(other - start) <= SAME_S and kind == has_insertion for other, kind in drawn]
    return TurningPoint(start, float(np.mean(same)), has_insertion)


def _turn(time_s: FloatArray, depth: FloatArray) -> tuple[float, bool]:
    """Time of the turn, and whether there was an insertion before it."""
    top = int(np.argmax(depth))
    way_in, way_out = depth[top] - depth[: top + 1].min(), depth[top] - depth[top:].min()
    if way_in < SMALLEST_SHARE * way_out:
        return float(time_s[0]), False
    left = np.flatnonzero(depth[top:] < depth[top] - AT_TOP * max(way_in, way_out))
    return float(time_s[top + left[0] - 1] if len(left) else time_s[-1]), True


def _fill_gaps(time_s: FloatArray, forward: FloatArray) -> FloatArray:
    """Forward motion with its gaps filled: the speeds at both edges die away towards the middle."""
    known = np.isfinite(forward)
    step = np.diff(time_s, prepend=time_s[0])
    filled = np.where(known, forward, 0.0)
    way, clock = np.cumsum(filled), np.cumsum(np.where(known, step, 0.0))
    after = np.flatnonzero(~known[1:]) + 1
    before = after - 1
    first: Frames = np.searchsorted(time_s, time_s[before] - EDGE_S)
    last: Frames = np.searchsorted(time_s, time_s[after] + EDGE_S, side="right") - 1
    speed = _mean_speed(way, clock, first, before) + _mean_speed(way, clock, after, last)
    filled[after] = speed * MEMORY_S * -np.expm1(-step[after] / 2 / MEMORY_S)
    return filled


def _mean_speed(way: FloatArray, clock: FloatArray, first: Frames, last: Frames) -> FloatArray:
    """Between two frames, over the time in which the motion is known; 0 where there is none."""
    seen_s = clock[last] - clock[first]
    return np.divide(way[last] - way[first], seen_s, out=np.zeros_like(seen_s), where=seen_s > 0)


def _made_wrong(time_s: FloatArray, filled: FloatArray, known: NDArray[np.bool_]) -> Iterator[FloatArray]:
    """The forward motion with the errors of scale and of gaps that it may have; the same ones on every call."""
    rng = np.random.default_rng(0)
    step = np.diff(time_s, prepend=time_s[0])
    moving = known & (step > 0)
    usual_speed = np.sqrt(np.mean((filled[moving] / step[moving]) ** 2))
    gap_error = np.where(known, 0.0, GAP_ERROR * usual_speed * step)
    block = ((time_s - time_s[0]) // BLOCK_S).astype(np.intp)
    for _ in range(DRAWS):
        scale = np.exp(rng.normal(0.0, SCALE_ERROR, block[-1] + 1))
        yield filled * scale[block] + gap_error * rng.normal(size=len(filled))
