"""What a recording holds, as `haustra info` tells it. Nothing about the patient is read from the file's texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.video.clock import RESTART_S
from haustra.video.joined_source import Part
from haustra.video.picture import Picture, find_picture
from haustra.video.problems import Problems
from haustra.video.recording import Recording
from haustra.video.stream_source import GAP_S

Seconds = NDArray[np.float64]


@dataclass(frozen=True)
class Description:
    """Facts about a recording, and what is wrong with it."""

    width: int
    height: int
    duration_s: float
    frames: int
    frame_rate: float
    variable_rate: bool
    interlaced: bool
    codec: str
    start_time_s: float
    picture: Picture
    problems: list[str]
    parts: tuple[Part, ...] = ()


def describe(recording: Recording) -> Description:
    """Goes through the file once without decoding (frame count, rate, cuts), then finds the picture by seeking."""
    stamps = list(recording.source.stamps())
    known = np.array([stamp for stamp in stamps if stamp is not None], np.float64)
    restarts = np.flatnonzero(np.diff(known) < -RESTART_S) + 1  # joined files: each has its own clock
    times = np.unique(known)
    steps = np.diff(times)
    step = float(np.median(steps)) if steps.size else 1.0 / recording.frame_rate
    if known.size == len(stamps) and known.size > 1 and not restarts.size:
        duration_s = float(times[-1]) + step
    else:
        duration_s = len(stamps) / recording.frame_rate
    problems = Problems()
    for number in restarts:
        problems.restart(float(number) / recording.frame_rate)
    _report(recording, times, duration_s, problems)
    return Description(
        width=recording.width,
        height=recording.height,
        duration_s=duration_s,
        frames=len(stamps),
        frame_rate=len(stamps) / duration_s if duration_s else recording.frame_rate,
        variable_rate=_is_variable(steps, step),
        interlaced=recording.interlaced,
        codec=recording.codec,
        start_time_s=recording.start_time_s,
        picture=find_picture(recording, problems),
        problems=problems.lines,
        parts=recording.parts,
    )


def _is_variable(steps: Seconds, step: float) -> bool:
    """More than one step in a hundred is off by more than rounding to the millisecond explains."""
    return bool(steps.size and np.mean(np.abs(steps - step) > 0.1 * step + 0.0015) > 0.01)


def _report(recording: Recording, times: Seconds, duration_s: float, problems: Problems) -> None:
    for i in np.flatnonzero(np.diff(times) > GAP_S):
        problems.gap(float(times[i]), float(times[i + 1]))
    problems.cut_off(duration_s, recording.duration_s)
