"""The seven times a physician annotates: entering each of the six segments, and the stop (paper, fig:template)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.results.annotations import NAMES, START, STOP, read_annotations_file
from haustra.results.folder import SUMMARY, open_summary
from haustra.results.versions import history


def read_annotations(source: Path) -> FloatArray:
    """All seven times in seconds, from a file that has them by name or as a list."""
    given = read_annotations_file(source).times_s
    missing = [name for name in NAMES if name not in given]
    if missing:
        raise HaustraError(f"{source} has no time for {', '.join(missing)}: it needs {', '.join(NAMES)}")
    return np.array([given[name] for name in NAMES])


def reviewed_times(folder: Path) -> FloatArray:
    """The seven times of a result as its readers left it: what they set, and what they accepted by reviewing it."""
    newest = history(folder)[-1].annotations
    summary = open_summary(folder / SUMMARY)
    entered = {row["segment"]: float(row["entered_s"]) for row in summary["boundaries"]}
    times = {START: float(summary["withdrawal"]["start_s"]), STOP: float(summary["withdrawal"]["end_s"]), **entered}
    known = set(NAMES) if newest.reviewed else {START, STOP, *newest.times_s}
    missing = [name for name in NAMES if name not in known or name not in times]
    if missing:
        raise HaustraError(f"{folder}: nobody set {', '.join(missing)}: set them, or mark the recording as reviewed")
    return np.array([times[name] for name in NAMES])


def segments_at(times: FloatArray, wanted_s: FloatArray) -> np.ndarray:
    """Annotated segment 1..6 at each time; 0 before the first and after the last annotated time."""
    segment = np.clip(np.searchsorted(times[1:-1], wanted_s, side="right") + 1, 1, len(times) - 1)
    return np.where((wanted_s < times[0]) | (wanted_s > times[-1]), 0, segment)
