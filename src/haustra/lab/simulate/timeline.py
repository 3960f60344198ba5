"""When what happens in a recording: outside, insertion, withdrawal, outside again; and the random streams of a seed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError

# Every part of a recording draws from its own stream, so that a change in one part leaves the others as they were.
STREAMS = ("timeline", "progress", "look", "episodes", "biopsies", "water", "outside", "scopeguide", "video", "slip")
SHORTEST_S = 2.0


def stream(seed: int, name: str) -> np.random.Generator:
    """The generator of one named part of the recording of `seed`."""
    return np.random.default_rng([seed, 1000 + STREAMS.index(name)])


@dataclass(frozen=True)
class Timeline:
    """Phases of a recording in seconds from its first frame; `start_s` and `stop_s` bound the withdrawal."""

    rate_hz: float
    frames: int
    enter_s: float
    start_s: float
    stop_s: float

    @property
    def times_s(self) -> FloatArray:
        return np.arange(self.frames) / self.rate_hz

    @property
    def knots_s(self) -> FloatArray:
        """Knots of the operator's signals: finer than the frames, every frame on one of them, a second to spare."""
        per_frame = math.ceil(40.0 / self.rate_hz)
        margin = math.ceil(self.rate_hz) * per_frame
        return np.arange(-margin, self.frames * per_frame + margin) / (self.rate_hz * per_frame)

    @property
    def end_s(self) -> float:
        return (self.frames - 1) / self.rate_hz

    def phase(self, time_s: float) -> str:
        """before (outside), insertion, withdrawal or after (outside)."""
        moment = round(time_s * self.rate_hz)
        if moment < round(self.enter_s * self.rate_hz):
            return "before"
        if moment < round(self.start_s * self.rate_hz):
            return "insertion"
        return "withdrawal" if moment <= round(self.stop_s * self.rate_hz) else "after"


def make_timeline(seed: int, seconds: float, rate_hz: float, insertion_s: float = 0.0) -> Timeline:
    """Lay out the phases; `seconds` holds the withdrawal and the moments outside the body that follow it.

    Start and stop fall on frames, so that the location index of those frames is exactly 0 and 1.
    """
    if not seconds >= SHORTEST_S:
        raise HaustraError(f"{seconds:g} seconds are too short for a withdrawal: give at least {SHORTEST_S:g}")
    if not (insertion_s == 0 or insertion_s >= SHORTEST_S):
        raise HaustraError(f"an insertion of {insertion_s:g} seconds is too short: give 0 or at least {SHORTEST_S:g}")
    if not 5 <= rate_hz <= 60:
        raise HaustraError(f"{rate_hz:g} frames a second cannot be simulated: choose 5 to 60, for example 15 or 30")
    rng = stream(seed, "timeline")
    after_s = min(rng.uniform(0.6, 5.0), 0.07 * seconds) * (rng.random() < 0.8)
    before_s = min(rng.uniform(1.0, 6.0), 0.12 * insertion_s)
    start = round(insertion_s * rate_hz)
    frames = start + round(seconds * rate_hz)
    stop = frames - 1 - round(after_s * rate_hz)
    enter = min(round(before_s * rate_hz), start)
    return Timeline(rate_hz, frames, enter / rate_hz, start / rate_hz, stop / rate_hz)


def ramp(time_s: NDArray[Any] | float, start_s: float, end_s: float, edge_s: float) -> FloatArray:
    """1 from start to end, falling to 0 over `edge_s` on both sides with a continuous slope."""
    time_s = np.asarray(time_s, dtype=np.float64)
    inside = np.minimum(time_s - (start_s - edge_s), (end_s + edge_s) - time_s) / edge_s
    inside = np.clip(inside, 0.0, 1.0)
    return inside * inside * (3.0 - 2.0 * inside)


def bump(time_s: NDArray[Any], start_s: float, end_s: float) -> FloatArray:
    """A smooth excursion: 0 outside, 1 half-way."""
    share = np.clip((time_s - start_s) / (end_s - start_s), 0.0, 1.0)
    return np.sin(np.pi * share) ** 2


def noise(rng: np.random.Generator, times_s: FloatArray, correlation_s: float, size: int) -> NDArray[Any]:
    """Smooth random signals of unit spread over evenly spaced times, one column each."""
    sigma = correlation_s / (times_s[1] - times_s[0])
    smooth = gaussian_filter1d(rng.standard_normal((len(times_s), size)), sigma, axis=0, mode="wrap")
    return np.asarray(smooth * math.sqrt(2.0 * math.sqrt(math.pi) * sigma))
