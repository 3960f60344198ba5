"""Change-point search for the start of the withdrawal, where it is not given (ours).

The paper takes the start from the physician's notes. The camera looks up the colon all the time, so it moves forward
while the scope goes in and backward while it comes out. The scale of a step is unknown and drifts: over minutes the
errors add up, and the summed travel may be deepest a minute before the cecum. The sign of a step is known far better.
So the change point is searched in the *directedness* of the motion (net over gross distance in short windows), by two
means that leave the least variance, and refined to the deepest point nearby. The confidence comes from draws of the
same travel that the location rests on; pictures that look like the cecum give weight to draws that start near them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.path.parameters import WithdrawalStartParameters
from haustra.path.travel import Travel

# Log-likelihood (n,) of pictures for starts (n,) in seconds.
PictureSupport = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class StartEstimate:
    """`confidence` is the probability that the start is right to 5 s, `nearly_confidence` that it is to 20 s."""

    time_s: float
    confidence: float
    has_insertion: bool
    has_withdrawal: bool = True
    nearly_confidence: float = 0.0


def withdrawal_start(
    time_s: FloatArray, travel: Travel, support: PictureSupport | None, parameters: WithdrawalStartParameters
) -> StartEstimate:
    """The start of the withdrawal from the times (n + 1,) of samples and the travel between them."""
    if not np.any(travel.step):
        return StartEstimate(float(time_s[0]), 0.0, False)
    found = _starts(time_s, travel.step[:, None], parameters)[0]
    if not found.has_withdrawal:
        return found
    drawn = _starts(time_s, _drawn_steps(time_s, travel, parameters), parameters)
    return _most_probable([found, *drawn], support, parameters)


def _most_probable(
    starts: list[StartEstimate], support: PictureSupport | None, parameters: WithdrawalStartParameters
) -> StartEstimate:
    """The first of them, which is that of the mean travel, or a drawn one that pictures support more.

    The probability of a start is the weight of the draws that agree with it.
    """
    times, insertion = np.array([start.time_s for start in starts]), np.array([start.has_insertion for start in starts])
    log_weight = np.zeros(len(starts)) if support is None else support(times)
    weight = np.exp(log_weight - log_weight.max())[1:]
    apart = np.where(insertion[:, None] == insertion[1:], np.abs(times[:, None] - times[1:]), np.inf)
    same, nearly = (
        (apart <= tolerance) @ weight / weight.sum() for tolerance in (parameters.same_s, parameters.nearly_s)
    )
    eligible = (log_weight > log_weight[0]) | (np.arange(len(starts)) == 0)
    best = int(np.where(eligible, same, -1.0).argmax())
    return replace(starts[best], confidence=float(same[best]), nearly_confidence=float(nearly[best]))


def _starts(time_s: FloatArray, steps: FloatArray, parameters: WithdrawalStartParameters) -> list[StartEstimate]:
    """The start in each column of steps (n, d)."""
    depths = np.concatenate([np.zeros((1, steps.shape[1])), -np.cumsum(steps, axis=0)])
    changes = _change_points(time_s, steps, parameters.window_s)
    return [_start_near(time_s, depth, change, parameters) for depth, change in zip(depths.T, changes, strict=True)]


def _change_points(time_s: FloatArray, steps: FloatArray, window_s: float) -> FloatArray:
    """When the mean of the directedness changes from in to out (d,): the split that explains most of its variance."""
    window = ((time_s[1:] - time_s[0]) // window_s).astype(np.intp)
    first = np.flatnonzero(np.diff(window, prepend=-1))
    net, gross = (np.add.reduceat(values, first, axis=0) for values in (steps, np.abs(steps)))
    summed = np.cumsum(net / np.maximum(gross, 1e-12), axis=0)
    count = np.arange(1, len(first))[:, None]
    before, after = summed[:-1] / count, (summed[-1] - summed[:-1]) / (len(first) - count)
    explained = count * (len(first) - count) * np.square(after - before)
    if len(first) == 1:  # too short for a change
        return np.full(steps.shape[1], time_s[0])
    return time_s[first[np.argmax(np.where(after > before, explained, 0.0), axis=0) + 1]]


def _start_near(
    time_s: FloatArray, depth: FloatArray, change_s: float, parameters: WithdrawalStartParameters
) -> StartEstimate:
    """When the tip leaves the deepest point near a change; the first sample where hardly any insertion precedes it."""
    near_s = parameters.near_s
    near = slice(*np.searchsorted(time_s, [change_s - near_s, change_s + near_s]).tolist())
    top = near.start + int(np.argmax(depth[near]))
    way_in, way_out = depth[top] - depth[: top + 1].min(), depth[top] - depth[top:].min()
    if way_in < parameters.smallest_share * way_out:
        return StartEstimate(float(time_s[0]), 0.0, False)
    left = np.flatnonzero(depth[top:] < depth[top] - parameters.left_share * max(way_in, way_out))
    start_s = float(time_s[top + left[0] - 1] if len(left) else time_s[-1])
    return StartEstimate(start_s, 0.0, True, has_withdrawal=bool(way_out >= parameters.smallest_share * way_in))


def _drawn_steps(time_s: FloatArray, travel: Travel, parameters: WithdrawalStartParameters) -> FloatArray:
    """Steps (n, draws) with the errors of the travel and of its scale; the same ones on every call."""
    rng = np.random.default_rng(0)
    block = ((time_s[1:] - time_s[0]) // parameters.block_s).astype(np.intp)
    scale = np.exp(rng.normal(0.0, parameters.scale_error, (block[-1] + 1, parameters.draws)))
    return travel.draws(parameters.draws, rng) * scale[block]
