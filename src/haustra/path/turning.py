"""Where the withdrawal starts when it is not given: the deepest point that the camera reached (ours).

The paper takes the start from the physician's notes. The camera looks up the colon all the time, so it moves forward
while the scope goes in and backward while it comes out: travel summed over time is the depth of the tip, and its
deepest point is the cecum. How sure the answer is comes from the draws of the same travel that the location rests on.
Pictures that look like the cecum support the draws that start near them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from haustra.path.estimate import Travel
from haustra.poses import FloatArray

# An insertion that is worth the name covers at least this share of the way back, less is a re-insertion; and a
# recording with less than this share of the way in behind its deepest point holds no withdrawal.
SMALLEST_SHARE = 0.25
# The tip waits in the cecum before it is drawn back: the start is the moment it leaves the top by this share of the
# way, not the first moment there. Small, because a slow withdrawal takes seconds for a hundredth of the way.
AT_TOP = 0.005
# Beside the errors of the travel each stretch of BLOCK_S has a scale of its own: the way in and the way out pass the
# same places at other calibres. Answers within SAME_S are the same; one within NEARLY_S is off by little of the colon.
DRAWS = 200
BLOCK_S = 5.0
SCALE_ERROR = 0.3
SAME_S = 5.0
NEARLY_S = 20.0

# Starts (n,) in seconds to the logarithm of how well each fits what the pictures show.
Support = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class TurningPoint:
    """`confidence` is the chance, 0 to 1, that the start is right to five seconds, `nearly` that it is to twenty."""

    time_s: float
    confidence: float
    has_insertion: bool
    has_withdrawal: bool = True
    nearly: float = 0.0


def withdrawal_start(time_s: FloatArray, travel: Travel, support: Support | None = None) -> TurningPoint:
    """The start of the withdrawal from the times (n + 1,) of samples and the travel between them."""
    if not np.any(travel.step):
        return TurningPoint(float(time_s[0]), 0.0, False)
    depth = _depth(travel.step[:, None])[:, 0]
    start, has_insertion = _turn(time_s, depth)
    if depth.max() - depth[-1] < SMALLEST_SHARE * (depth.max() - depth[0]):
        return TurningPoint(start, 0.0, has_insertion, has_withdrawal=False)
    drawn = [_turn(time_s, wrong) for wrong in _depth(_made_wrong(time_s, travel)).T]
    return _chosen([(start, has_insertion), *drawn], support)


def _chosen(turns: list[tuple[float, bool]], support: Support | None) -> TurningPoint:
    """The first turn, which the travel says, or a drawn one that pictures support more and so make more probable."""
    starts, insertion = np.array([start for start, _ in turns]), np.array([kind for _, kind in turns])
    says = np.zeros(len(turns)) if support is None else support(starts)
    weight = np.exp(says - says.max())[1:]
    apart = np.where(insertion[:, None] == insertion[1:], np.abs(starts[:, None] - starts[1:]), np.inf)
    chance, nearly = ((apart <= tolerance) @ weight / weight.sum() for tolerance in (SAME_S, NEARLY_S))
    best = int(np.where((says > says[0]) | (np.arange(len(turns)) == 0), chance, -1.0).argmax())
    return TurningPoint(float(starts[best]), float(chance[best]), bool(insertion[best]), nearly=float(nearly[best]))


def _depth(steps: FloatArray) -> FloatArray:
    """How deep the tip is (n + 1, d): what is drawn back makes it less."""
    return np.concatenate([np.zeros((1, steps.shape[1])), -np.cumsum(steps, axis=0)])


def _turn(time_s: FloatArray, depth: FloatArray) -> tuple[float, bool]:
    """Time of the turn, and whether there was an insertion before it."""
    top = int(np.argmax(depth))
    way_in, way_out = depth[top] - depth[: top + 1].min(), depth[top] - depth[top:].min()
    if way_in < SMALLEST_SHARE * way_out:
        return float(time_s[0]), False
    left = np.flatnonzero(depth[top:] < depth[top] - AT_TOP * max(way_in, way_out))
    return float(time_s[top + left[0] - 1] if len(left) else time_s[-1]), True


def _made_wrong(time_s: FloatArray, travel: Travel) -> FloatArray:
    """Steps (n, DRAWS) with the errors that they may have; the same ones on every call."""
    rng = np.random.default_rng(0)
    block = ((time_s[1:] - time_s[0]) // BLOCK_S).astype(np.intp)
    scale = np.exp(rng.normal(0.0, SCALE_ERROR, (block[-1] + 1, DRAWS)))
    return travel.draws(DRAWS, rng) * scale[block]
