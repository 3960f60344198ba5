"""A ScopeGuide-like track of inserted length: coarse, with jumps where loops form and go (appendix:scopeguide)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.lab.simulate.timeline import Timeline, bump, ramp, stream


@dataclass(frozen=True)
class Track:
    """Inserted length over time."""

    time_s: FloatArray
    length_cm: FloatArray

    def csv(self) -> str:
        rows = (f"{t:.2f},{length:g}" for t, length in zip(self.time_s, self.length_cm, strict=True))
        return "time_s,length_cm\n" + "\n".join(rows) + "\n"


def make_track(seed: int, timeline: Timeline, arc_mm: FloatArray, anus_mm: float) -> Track:
    """Inserted length over time from the arc position at every frame.

    The colon is gathered on the scope, so the length is a part of the arc; a loop left from the insertion adds to it
    until it is pulled straight early in the withdrawal (the paper's cecum is a quarter of this length for that reason).
    """
    rng = stream(seed, "scopeguide")
    time_s = np.arange(0.0, timeline.end_s + 1e-9, 1.0 / float(rng.choice([1.0, 2.0, 4.0])))
    arc = np.interp(time_s, timeline.times_s, arc_mm)
    length = rng.uniform(0.52, 0.70) * (anus_mm - arc) / 10.0
    length = length + _loops(rng, time_s, timeline)
    length = length + rng.normal(0.0, 0.8, len(time_s))
    outside = (time_s < timeline.enter_s) | (time_s > timeline.stop_s)
    step = float(rng.choice([1.0, 2.0, 5.0]))
    length = np.where(outside, 0.0, np.maximum(length, 0.0))
    return Track(time_s, np.round(length / step) * step)


def _loops(rng: np.random.Generator, time_s: FloatArray, timeline: Timeline) -> FloatArray:
    """Centimetres of scope in loops: built during insertion, straightened early, 0-3 short ones later."""
    withdrawal = timeline.stop_s - timeline.start_s
    first = rng.uniform(12.0, 35.0)
    straight = timeline.start_s + rng.uniform(0.01, 0.12) * withdrawal
    built = np.clip((time_s - timeline.enter_s) / max(timeline.start_s - timeline.enter_s, 1e-6), 0.0, 1.0)
    edge = 0.012 * withdrawal + 0.3
    loops = first * np.where(time_s < timeline.start_s, built, ramp(time_s, timeline.start_s, straight, edge))
    for _ in range(int(rng.integers(0, 4))):
        at = timeline.start_s + rng.uniform(0.1, 0.85) * withdrawal
        loops = loops + rng.choice([-1.0, 1.0], p=[0.3, 0.7]) * rng.uniform(12.0, 25.0) * bump(
            time_s, at, at + rng.uniform(0.02, 0.06) * withdrawal + 1.0
        )
    return np.asarray(loops)
