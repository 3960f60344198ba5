"""How far two readings of the same recordings agree: Cohen's kappa for each segment, boundaries in seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.intervals import segment_numbers
from haustra.core.arrays import FloatArray, Mask
from haustra.core.vocabulary import SEGMENTS
from haustra.results.annotations import START, STOP

Numbers = NDArray[np.int64]
_NAMES = (*SEGMENTS, STOP)


@dataclass(frozen=True, eq=False)
class Reading:
    """One reader's recording: the segment of each frame by its number (0: none), and the seven times as far as they
    are known."""

    time_s: FloatArray
    number: Numbers
    times_s: Mapping[str, float]


@dataclass(frozen=True)
class Difference:
    """Seconds between two readers, regardless of who was first; `count` recordings where both have this time."""

    count: int
    median_s: float | None
    largest_s: float | None


@dataclass(frozen=True)
class Agreement:
    """`seconds` of all recordings that either reader counts to the withdrawal. A kappa is None where it is undefined:
    neither reader names the segment, or both name nothing else."""

    seconds: float
    overall: float | None
    segments: Mapping[str, float | None]
    boundaries: Mapping[str, Difference]


def reading_of(table: pl.DataFrame, summary: Mapping[str, Any]) -> Reading:
    """What the table and the summary of a result say."""
    withdrawal = summary["withdrawal"]
    entered = {boundary["segment"]: float(boundary["entered_s"]) for boundary in summary["boundaries"]}
    times = {START: float(withdrawal["start_s"]), **entered, STOP: float(withdrawal["end_s"])}
    return Reading(table["time_s"].to_numpy(), segment_numbers(table).astype(np.int64), times)


def agreement(pairs: Sequence[tuple[Reading, Reading]]) -> Agreement:
    """Over all frames of all recordings together; a frame outside a reader's withdrawal is in no segment of theirs."""
    joined = [_joined(a, b) for a, b in pairs]
    a, b = (np.concatenate([pair[k] for pair in joined] or [np.zeros(0, np.int64)]) for k in (0, 1))
    seconds = sum(_seconds(*pair) for pair in pairs)
    return Agreement(
        seconds=seconds,
        overall=kappa(a, b),
        segments={name: kappa(a == k, b == k) for k, name in enumerate(SEGMENTS, 1)},
        boundaries={name: _difference(name, pairs) for name in _NAMES},
    )


def kappa(a: Numbers | Mask, b: Numbers | Mask) -> float | None:
    """Cohen's kappa of two namings; None where chance alone makes them the same."""
    if not a.size:
        return None
    kinds = np.union1d(a, b)
    expected = float(sum(np.mean(a == kind) * np.mean(b == kind) for kind in kinds))
    return None if expected == 1 else (float(np.mean(a == b)) - expected) / (1 - expected)


def _joined(a: Reading, b: Reading) -> tuple[Numbers, Numbers]:
    """Both namings of the frames that either has."""
    times = np.union1d(a.time_s, b.time_s)
    found = []
    for reading in (a, b):
        number = np.zeros(len(times), np.int64)
        number[np.searchsorted(times, reading.time_s)] = reading.number
        found.append(number)
    return found[0], found[1]


def _seconds(a: Reading, b: Reading) -> float:
    times = np.union1d(a.time_s, b.time_s)
    return float(times[-1] - times[0]) if times.size else 0.0


def _difference(name: str, pairs: Sequence[tuple[Reading, Reading]]) -> Difference:
    known = [abs(a.times_s[name] - b.times_s[name]) for a, b in pairs if name in a.times_s and name in b.times_s]
    if not known:
        return Difference(0, None, None)
    return Difference(len(known), float(np.median(known)), max(known))
