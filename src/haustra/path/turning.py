"""Where the withdrawal starts when it is not given: where the camera turns from going in to coming out (ours).

The paper takes the start from the physician's notes. The camera looks up the colon all the time, so it moves forward
while the scope goes in and backward while it comes out. How large a step is in mm nobody knows, and over minutes the
errors of scale add up: travel summed over time may be deepest a minute before the cecum. Which way a step goes is known
far better. So the turn is sought where the *directedness* of the motion (its net way over the way to and fro, second by
second) changes its mean from in to out, and then at the deepest point near by. How sure the answer is comes from the
draws of the same travel that the location rests on. Pictures that look like the cecum support the draws that start near
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from haustra.path.estimate import Travel
from haustra.poses import FloatArray

# An insertion that is worth the name covers at least this share of the way back, less is a re-insertion; and a
# recording with less than this share of the way in behind its deepest point holds no withdrawal.
SMALLEST_SHARE = 0.25
# The tip waits in the cecum before it is drawn back: the start is the moment it leaves the top by this share of the
# way, not the first moment there. Small, because a slow withdrawal takes seconds for a hundredth of the way.
AT_TOP = 0.005
# Directedness is that of stretches of DIRECTED_S; the deepest point is sought within NEAR_S of where it changes.
DIRECTED_S = 2.0
NEAR_S = 6.0
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
    found = _turns(time_s, travel.step[:, None])[0]
    if not found.has_withdrawal:
        return found
    return _chosen([found, *_turns(time_s, _made_wrong(time_s, travel))], support)


def _chosen(turns: list[TurningPoint], support: Support | None) -> TurningPoint:
    """The first turn, which the travel says, or a drawn one that pictures support more and so make more probable."""
    starts, insertion = np.array([turn.time_s for turn in turns]), np.array([turn.has_insertion for turn in turns])
    says = np.zeros(len(turns)) if support is None else support(starts)
    weight = np.exp(says - says.max())[1:]
    apart = np.where(insertion[:, None] == insertion[1:], np.abs(starts[:, None] - starts[1:]), np.inf)
    chance, nearly = ((apart <= tolerance) @ weight / weight.sum() for tolerance in (SAME_S, NEARLY_S))
    best = int(np.where((says > says[0]) | (np.arange(len(turns)) == 0), chance, -1.0).argmax())
    return replace(turns[best], confidence=float(chance[best]), nearly=float(nearly[best]))


def _depth(steps: FloatArray) -> FloatArray:
    """How deep the tip is (n + 1, d): what is drawn back makes it less."""
    return np.concatenate([np.zeros((1, steps.shape[1])), -np.cumsum(steps, axis=0)])


def _turns(time_s: FloatArray, steps: FloatArray) -> list[TurningPoint]:
    """Of each column of steps (n, d)."""
    changes = _changes(time_s, steps)
    return [_turn(time_s, depth, change) for depth, change in zip(_depth(steps).T, changes, strict=True)]


def _changes(time_s: FloatArray, steps: FloatArray) -> FloatArray:
    """When directedness changes its mean (d,): the two means that leave the least of its variance; out after in."""
    stretch = ((time_s[1:] - time_s[0]) // DIRECTED_S).astype(np.intp)
    first = np.flatnonzero(np.diff(stretch, prepend=-1))
    net, gross = (np.add.reduceat(values, first, axis=0) for values in (steps, np.abs(steps)))
    summed = np.cumsum(net / np.maximum(gross, 1e-12), axis=0)
    count = np.arange(1, len(first))[:, None]
    before, after = summed[:-1] / count, (summed[-1] - summed[:-1]) / (len(first) - count)
    explained = count * (len(first) - count) * np.square(after - before)
    if len(first) == 1:  # too short for a change
        return np.full(steps.shape[1], time_s[0])
    return time_s[first[np.argmax(np.where(after > before, explained, 0.0), axis=0) + 1]]


def _turn(time_s: FloatArray, depth: FloatArray, change_s: float) -> TurningPoint:
    """The turn near a change of direction; where there is hardly a way in before it the recording begins with it."""
    near = slice(*np.searchsorted(time_s, [change_s - NEAR_S, change_s + NEAR_S]).tolist())
    top = near.start + int(np.argmax(depth[near]))
    way_in, way_out = depth[top] - depth[: top + 1].min(), depth[top] - depth[top:].min()
    if way_in < SMALLEST_SHARE * way_out:
        return TurningPoint(float(time_s[0]), 0.0, False)
    left = np.flatnonzero(depth[top:] < depth[top] - AT_TOP * max(way_in, way_out))
    start_s = float(time_s[top + left[0] - 1] if len(left) else time_s[-1])
    return TurningPoint(start_s, 0.0, True, has_withdrawal=bool(way_out >= SMALLEST_SHARE * way_in))


def _made_wrong(time_s: FloatArray, travel: Travel) -> FloatArray:
    """Steps (n, DRAWS) with the errors that they may have; the same ones on every call."""
    rng = np.random.default_rng(0)
    block = ((time_s[1:] - time_s[0]) // BLOCK_S).astype(np.intp)
    scale = np.exp(rng.normal(0.0, SCALE_ERROR, (block[-1] + 1, DRAWS)))
    return travel.draws(DRAWS, rng) * scale[block]
