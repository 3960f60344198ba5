"""Segment intervals: runs of frames in one segment, flicker removed, and the boundaries between the runs.

So the table of frames, segments.csv and the boundaries in summary.json say the same second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.decoder import Decoded
from haustra.anatomy.exact_landmarks import exact_rows
from haustra.anatomy.landmarks import Landmark
from haustra.anatomy.parameters import DecoderParameters
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import BOUNDARIES, UNSURE, Naming, segment_name, segment_number
from haustra.results.table import PROBABILITY_COLUMNS, column

# Columns of segments.csv. Frames are those of the table of frames; `end_s` is when the next stretch begins.
INTERVALS: dict[str, type[pl.DataType]] = {
    "segment": pl.String,
    "start_s": pl.Float64,
    "end_s": pl.Float64,
    "duration_s": pl.Float64,
    "start_frame": pl.Int64,
    "end_frame": pl.Int64,
    "probability": pl.Float64,
    "kept_share": pl.Float64,
    "re_entered": pl.Boolean,
    "entered_by": pl.String,
}


_UNSURE = -1  # in place of a segment's number


@dataclass(frozen=True)
class SegmentRun:
    """Rows `first` to `last` lie in `segment` (1..6), from `start_s` until the next run begins at `end_s`.

    `re_entered`: the withdrawal had been in this segment, or in one behind it, before.
    """

    segment: int
    first: int
    last: int
    start_s: float
    end_s: float
    re_entered: bool


@dataclass(frozen=True)
class PassedBoundary:
    """Boundary 1 (cecum | ascending) to 5 (sigmoid | rectum), first passed at `entered_s`.

    `between_s` is one standard deviation to either side, None where nothing tells it. `decided_by` has the share of
    each source; `set_by` is who decided: a way of naming, or a person.
    """

    number: int
    entered_s: float
    between_s: tuple[float, float] | None
    set_by: str
    decided_by: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """For summary.json."""
        between = None if self.between_s is None else [round(time_s, 3) for time_s in self.between_s]
        return {
            "segment": BOUNDARIES[self.number - 1].entered,
            "entered_s": round(self.entered_s, 3),
            "between_s": between,
            "set_by": self.set_by,
            "decided_by": {name: round(share, 3) for name, share in self.decided_by.items()},
        }


def steady_segments(time_s: FloatArray, segment: NDArray[np.int64], parameters: DecoderParameters) -> NDArray[np.int64]:
    """Segment numbers without flicker: a short visit takes the segment around it, a longer one is a re-entry."""
    steady = segment.copy()
    while True:
        runs = segment_runs(time_s, steady)
        short = [
            (run.end_s - run.start_s, run)
            for before, run, behind in zip(runs, runs[1:], runs[2:], strict=False)
            if before.segment == behind.segment and _touch(before, run, behind)
        ]
        length_s, shortest = min(short, key=lambda visit: visit[0], default=(np.inf, None))
        if shortest is None or length_s >= parameters.shortest_visit_s:
            return steady
        steady[shortest.first : shortest.last + 1] = steady[shortest.first - 1]


def segment_runs(time_s: FloatArray, segment: NDArray[np.int64]) -> list[SegmentRun]:
    """The runs in the order of time. The last frame of all lasts as long as is usual."""
    if not len(time_s):
        return []
    ends_s = np.append(time_s[1:], time_s[-1] + (float(np.median(np.diff(time_s))) if len(time_s) > 1 else 0.0))
    first = np.flatnonzero(np.diff(segment, prepend=segment[0] - 1))
    last = np.append(first[1:], len(segment)) - 1
    before = np.maximum.accumulate(np.append(0, segment[:-1]))
    return [
        SegmentRun(int(segment[a]), a, b, float(time_s[a]), float(ends_s[b]), bool(before[a] >= segment[a] > 0))
        for a, b in zip(first.tolist(), last.tolist(), strict=True)
        if segment[a]
    ]


def entry_times(time_s: FloatArray, segment: NDArray[np.int64]) -> dict[int, float]:
    """When each boundary 1..5 was first passed; one that lies before the first or behind the last frame never was."""
    named = np.flatnonzero(segment)
    if not len(named):
        return {}
    reached = np.maximum.accumulate(segment)
    passed = range(int(segment[named[0]]), int(reached[-1]))
    return {k: float(time_s[np.argmax(reached > k)]) for k in passed}


def _touch(*runs: SegmentRun) -> bool:
    """No frame without a segment lies between them."""
    return all(one.last + 1 == other.first for one, other in pairwise(runs))


def boundaries_of(
    time_s: FloatArray,
    segment: NDArray[np.int64],
    naming: Naming,
    decoded: Decoded | None = None,
    landmarks: Sequence[Landmark] = (),
    missing: Sequence[str] = (),
) -> tuple[PassedBoundary, ...]:
    """The boundaries that were passed, when, how surely and by whom decided; what was set exactly is always there.

    Segments that are missing are not entered.
    """
    exact = {landmark.boundary: landmark for landmark in landmarks if landmark.exact}
    set_s = {k: float(time_s[row]) for k, row in exact_rows(time_s, landmarks).items()}
    found = []
    for k, entered_s in sorted((entry_times(time_s, segment) | set_s).items()):
        if BOUNDARIES[k - 1].entered in missing:
            continue
        if k in exact:
            found.append(PassedBoundary(k, entered_s, (entered_s, entered_s), exact[k].by, {"landmark": 1.0}))
        elif decoded is None:
            found.append(PassedBoundary(k, entered_s, None, naming.value))
        else:
            low, high = decoded.entered_s[k - 1, ::2].tolist()
            shares = {name: float(by[k - 1]) for name, by in decoded.decided_by.items()}
            found.append(
                PassedBoundary(k, entered_s, (min(low, entered_s), max(high, entered_s)), naming.value, shares)
            )
    return tuple(found)


def intervals_table(table: pl.DataFrame, set_by: Mapping[str, str], otherwise: str) -> pl.DataFrame:
    """segments.csv: a row for each stretch in one segment, from the table of frames.

    `set_by` says who decided when a segment was first entered, `otherwise` who decided all else.
    """
    time_s, segment = column(table, "time_s"), segment_numbers(table)
    segment = np.where((table["segment"] == UNSURE).fill_null(False).to_numpy(), _UNSURE, segment)
    probability = table.select(pl.col(PROBABILITY_COLUMNS).cast(pl.Float64)).to_numpy()
    kept = table["kept"].to_numpy() if "kept" in table.columns else np.ones(table.height, bool)
    frame = table["frame"].to_numpy()
    rows = []
    for run in segment_runs(time_s, segment):
        here, unsure = slice(run.first, run.last + 1), run.segment == _UNSURE
        name = UNSURE if unsure else segment_name(run.segment)
        rows.append(
            {
                "segment": name,
                "start_s": run.start_s,
                "end_s": run.end_s,
                "duration_s": run.end_s - run.start_s,
                "start_frame": int(frame[run.first]),
                "end_frame": int(frame[run.last]),
                "probability": None if unsure else float(np.mean(probability[here, run.segment - 1])),
                "kept_share": float(kept[here].mean()),
                "re_entered": run.re_entered,
                "entered_by": otherwise if unsure or run.re_entered else set_by.get(name, otherwise),
            }
        )
    return pl.DataFrame(rows, schema=INTERVALS).with_columns(pl.selectors.float().fill_nan(None))


def segment_numbers(table: pl.DataFrame) -> NDArray[np.int64]:
    """Segments 1..6 of the rows, 0 where there is none."""
    return np.array([segment_number(name) for name in table["segment"].to_list()], dtype=np.int64)
