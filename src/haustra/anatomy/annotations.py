"""The seven times a physician annotates: entering each of the six segments, and the stop (paper, fig:template)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from haustra.errors import HaustraError
from haustra.files import read_json
from haustra.poses import FloatArray
from haustra.terms import SEGMENTS
from haustra.times import parse_time

NAMES = (*SEGMENTS, "stop")


def read_annotations(source: Path) -> FloatArray:
    """Seven times in seconds from a JSON file: an object with the names above, or a list, bare or under `times_s`."""
    value = read_json(source)
    if isinstance(value, dict) and "times_s" in value:
        value = value["times_s"]
    if isinstance(value, dict):
        missing = [name for name in NAMES if name not in value]
        if missing:
            raise HaustraError(f"{source} has no time for {', '.join(missing)}: it needs {', '.join(NAMES)}")
        value = [value[name] for name in NAMES]
    if not isinstance(value, list) or len(value) != len(NAMES):
        raise HaustraError(f"{source} holds no seven times: write an object with {', '.join(NAMES)}")
    times = np.array([seconds_of(entry, source) for entry in value])
    if (np.diff(times) < 0).any() or times[-1] <= times[0]:
        raise HaustraError(f"{source}: the times must not decrease from {NAMES[0]} to {NAMES[-1]}")
    return times


def seconds_of(entry: Any, source: Path) -> float:
    """A time in an annotations file: a number of seconds, or as a user writes it."""
    if isinstance(entry, str):
        return parse_time(entry)
    if isinstance(entry, int | float) and not isinstance(entry, bool) and np.isfinite(entry) and entry >= 0:
        return float(entry)
    raise HaustraError(f"{source}: {entry!r} is not a time: write seconds, MM:SS or HH:MM:SS(.mmm)")


def segments_at(times: FloatArray, wanted_s: FloatArray) -> np.ndarray:
    """Annotated segment 1..6 at each time; 0 before the first and after the last annotated time."""
    segment = np.clip(np.searchsorted(times[1:6], wanted_s, side="right") + 1, 1, 6)
    return np.where((wanted_s < times[0]) | (wanted_s > times[6]), 0, segment)
