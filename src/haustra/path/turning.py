"""Where the withdrawal starts, when nobody wrote it down: the deepest point that the camera reached (ours).

The paper takes the start from the physician's notes. The camera looks up the colon all the time, so it moves forward
while the scope goes in and backward while it comes out: forward motion summed over time is the depth of the tip, and
its highest point is the cecum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.poses import FloatArray

# An insertion that is worth the name covers at least this share of the way back. Less is a re-insertion.
SMALLEST_INSERTION = 0.25
# The tip waits in the cecum before it is drawn back: the start is the last moment this near (share of the way) to it.
NEAR_TOP = 0.01
# How sure we are: the summed motion is made wrong, as estimated motion is, again and again. Each stretch of BLOCK_S
# has a scale of its own and a drift, and the answer counts as the same within SAME_S.
DRAWS = 200
BLOCK_S = 5.0
SCALE_ERROR = 0.3
DRIFT = 0.15
SAME_S = 5.0
TOO_SHORT_S = 5.0


@dataclass(frozen=True)
class TurningPoint:
    """`confidence` is the chance, 0 to 1, that the start is right to five seconds."""

    time_s: float
    confidence: float
    has_insertion: bool


def withdrawal_start(time_s: FloatArray, forward: FloatArray) -> TurningPoint:
    """The start of the withdrawal from times (n,) of kept frames and the forward motion (n,) that led to each."""
    forward = np.where(np.isfinite(forward), forward, 0.0)
    if len(time_s) < 2 or time_s[-1] - time_s[0] < TOO_SHORT_S or not np.any(forward):
        return TurningPoint(float(time_s[0]) if len(time_s) else 0.0, 0.0, False)
    start, has_insertion = _turn(time_s, np.cumsum(forward))
    drawn = [_turn(time_s, np.cumsum(wrong)) for wrong in _made_wrong(time_s, forward)]
    same = [abs(other - start) <= SAME_S and kind == has_insertion for other, kind in drawn]
    return TurningPoint(start, float(np.mean(same)), has_insertion)


def _turn(time_s: FloatArray, depth: FloatArray) -> tuple[float, bool]:
    """Time of the turn, and whether there was an insertion before it."""
    top = int(np.argmax(depth))
    way_in, way_out = depth[top] - depth[: top + 1].min(), depth[top] - depth[top:].min()
    if way_in < SMALLEST_INSERTION * way_out:
        return float(time_s[0]), False
    near = np.flatnonzero(depth >= depth[top] - NEAR_TOP * max(way_in, way_out))
    return float(time_s[near[-1]]), True


def _made_wrong(time_s: FloatArray, forward: FloatArray) -> list[FloatArray]:
    """The forward motion with errors of scale and drift that last BLOCK_S each; the same ones on every call."""
    rng = np.random.default_rng(0)
    block = ((time_s - time_s[0]) // BLOCK_S).astype(np.int64)
    blocks = int(block[-1]) + 1
    typical = float(np.median(np.abs(forward[forward != 0.0])))
    scale = np.exp(rng.normal(0.0, SCALE_ERROR, (DRAWS, blocks)))
    drift = rng.normal(0.0, DRIFT * typical, (DRAWS, blocks))
    return [forward * s[block] + d[block] for s, d in zip(scale, drift, strict=True)]
