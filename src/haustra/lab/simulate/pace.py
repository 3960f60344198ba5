"""Arc position of the tip over time: uneven speed, pauses, re-insertions, and the insertion before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d

from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS
from haustra.lab.simulate.operator_style import Pace
from haustra.lab.simulate.timeline import Timeline, bump, noise, ramp, stream

SLOWEST_SHARE = 0.45  # no segment is passed in less than this part of what an even speed would take


def plan_progress(
    boundaries_mm: FloatArray,
    seed: int,
    timeline: Timeline,
    still: Sequence[tuple[float, float]],
    slow: Sequence[tuple[float, float]],
    pace: Pace,
) -> FloatArray:
    """Arc position at the knots: b6 -> b0 during insertion, b0 -> b6 during withdrawal, out of the body after it.

    The tip rests in the intervals `still` (biopsies) and is slower in `slow` (where it slides along the wall).
    """
    rng = stream(seed, "progress")
    b = np.asarray(boundaries_mm, dtype=np.float64)
    knots = timeline.knots_s
    arc = np.full_like(knots, b[0])
    between = (knots > timeline.start_s - 1e-9) & (knots < timeline.stop_s + 1e-9)
    arc[between] = _withdraw(rng, b, knots[between], still, slow, pace)
    before = knots < timeline.start_s - 1e-9
    if timeline.start_s > timeline.enter_s and before.any():
        arc[before] = _insert(rng, b, knots[before], timeline)
    gone = knots > timeline.stop_s + 1e-9
    arc[gone] = b[-1] + 60.0 * (knots[gone] - timeline.stop_s) ** 2
    return arc


def _withdraw(
    rng: np.random.Generator,
    b: FloatArray,
    times: FloatArray,
    still: Sequence[tuple[float, float]],
    slow: Sequence[tuple[float, float]],
    pace: Pace,
) -> FloatArray:
    """From the first boundary at the first time to the last one at the last, exactly."""
    duration = times[-1] - times[0]
    length = np.diff(b) / (b[-1] - b[0])
    share = np.array(pace.time_share) * np.exp(np.array(pace.time_spread) * rng.standard_normal(len(SEGMENTS)))
    share = np.maximum(share / share.sum(), SLOWEST_SHARE * length)
    ends = np.cumsum(share / share.sum())
    segment = np.minimum(np.searchsorted(ends, (times - times[0]) / duration, side="right"), len(SEGMENTS) - 1)
    low, high = pace.speed_spread
    uneven = low if low == high else float(rng.uniform(low, high))
    speed = (length / share)[segment] * np.exp(uneven * noise(rng, times, 2.0, 1)[:, 0])
    speed = gaussian_filter1d(speed, 0.7 / (times[1] - times[0]), mode="nearest") * _pauses(rng, times)
    for start, end in still:
        speed = speed * (1 - 0.97 * ramp(times, start, end, 0.5))
    for start, end in slow:
        speed = speed * (1 - 0.65 * ramp(times, start, end, 0.4))
    speed = speed * (0.05 + 0.95 * ramp(times, times[0] + 0.4, times[-1] - 0.4, 0.4))
    travelled = np.r_[0.0, np.cumsum((speed[1:] + speed[:-1]) / 2 * np.diff(times))]
    arc = b[0] + (b[-1] - b[0]) * travelled / travelled[-1]
    return arc - _reinsertions(rng, times, arc, b)


def _pauses(rng: np.random.Generator, times: FloatArray) -> FloatArray:
    """Factor of the speed: the scope rests now and then while the operator looks or cleans."""
    factor = np.ones_like(times)
    at = times[0] + rng.exponential(12.0)
    while at < times[-1]:
        end = at + rng.uniform(0.8, 4.0)
        factor *= 1 - rng.uniform(0.85, 1.0) * ramp(times, at, end, 0.5)
        at = end + 1.0 + rng.exponential(14.0)
    return np.maximum(factor, 0.02)


def _reinsertions(rng: np.random.Generator, times: FloatArray, arc: FloatArray, b: FloatArray) -> FloatArray:
    """How far the scope is pushed in again, 2 to 8 cm at a time, never past the place where it started."""
    back = np.zeros_like(times)
    at = times[0] + rng.uniform(4.0, 20.0)
    while at < times[-1]:
        depth = rng.uniform(20.0, 80.0)
        end = at + 2 * depth / rng.uniform(10.0, 22.0)
        if end > times[-1] - 1.0:
            break
        window = bump(times, at, end)
        inside = window > 0
        room = np.min(((arc - b[0]) / np.maximum(window, 1e-6))[inside])
        if 0.9 * room > 20.0:
            back += min(depth, 0.9 * room) * window
        at = end + rng.exponential(22.0)
    return back


def _insert(rng: np.random.Generator, b: FloatArray, knots: FloatArray, timeline: Timeline) -> FloatArray:
    """From anus to cecum: quick, to and fro, with long struggles at the bends; at rest in the cecum when it ends."""
    enter, start = timeline.enter_s, timeline.start_s
    rest = min(0.5, 0.1 * (start - enter))
    share = np.clip((knots - enter) / (start - rest - enter), 0.0, 1.0)
    speed = np.exp(0.9 * noise(rng, knots, 1.5, 1)[:, 0]) * ramp(share, 0.02, 0.98, 0.02)
    travelled = np.cumsum(speed)
    arc = b[-1] - (b[-1] - b[0]) * travelled / travelled[-1]
    at = enter + rng.uniform(1.0, 4.0)
    while at < start - 2.0:
        end = min(at + rng.uniform(1.5, 5.0), start - 0.6)
        window = bump(knots, at, end)
        room = np.min(((b[-1] - arc) / np.maximum(window, 1e-6))[window > 0])
        arc = arc + min(rng.uniform(20.0, 90.0), 0.9 * room) * window
        at = end + rng.exponential(4.0)
    return np.where(knots < enter, b[-1] + 60.0 * (enter - knots) ** 2, arc)
