"""Caveats for the reader, in sentences, derived from the table; the run's own warnings are shown beside them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl

from haustra.anatomy import SEGMENTS
from haustra.anatomy.frame_places import has_segments
from haustra.anatomy.withdrawal_figures import fastest_stretches
from haustra.core.times import format_time
from haustra.report.figures import percent, sample_period_s, spans_of
from haustra.results.table import HAS_SEGMENT, PROBABILITY_COLUMNS, column

UNSURE_BELOW: Final = 0.6
LONG_DROP_S: Final = 5.0
SHORTEST_S: Final = 1.0
AT_MOST: Final = 4


def uncertain_places(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Sentences with the time they speak of, in the order of time."""
    notes = [*_between_segments(table), *_long_drops(table), *_widest_band(table)]
    return sorted(notes, key=lambda note: float(note["t"]))


def fastest_places(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Where the withdrawal was fastest, and faster than recommended; progress through an unknown part has no speed."""
    if not has_segments(table):
        return []
    found = fastest_stretches(column(table, "time_s"), column(table, "location_index"))
    return [_note(start_s, end_s, _fast_text(start_s, end_s, speed, table)) for start_s, end_s, speed in sorted(found)]


def _fast_text(start_s: float, end_s: float, speed: float, table: pl.DataFrame) -> str:
    rows = table.filter(pl.col("time_s").is_between(start_s, end_s))
    lost_s = rows.filter(~pl.col("kept")).height * sample_period_s(table)
    hidden = f", and {lost_s:.0f} s of it show nothing that can be used" if lost_s >= 1 else ""
    return f"{speed:.0f}\u00a0% of the colon per minute{hidden}."


def _between_segments(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Stretches in which no segment reaches `UNSURE_BELOW`: near a boundary, or where the path itself is uncertain."""
    rows = table.filter(pl.col("location_index").is_finite() & HAS_SEGMENT)
    if rows.is_empty():
        return []
    probability = np.nan_to_num(rows.select(pl.col(PROBABILITY_COLUMNS).fill_null(0.0)).to_numpy())
    time_s = rows["time_s"].to_numpy()
    unsure = probability.max(axis=1) < UNSURE_BELOW
    edges = np.flatnonzero(np.diff(np.concatenate([[False], unsure, [False]]).astype(np.int8)))
    spans = [(a, b) for a, b in edges.reshape(-1, 2) if time_s[b - 1] - time_s[a] >= SHORTEST_S]
    spans = sorted(spans, key=lambda span: time_s[span[0]] - time_s[span[1] - 1])[:AT_MOST]
    return [_span_note(time_s[a], time_s[b - 1], probability[a:b].mean(axis=0)) for a, b in spans]


def _span_note(start_s: float, end_s: float, mean: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    first, second = sorted(np.argsort(mean)[-2:])
    text = (
        f"{SEGMENTS[first].capitalize()} or {SEGMENTS[second]}? No segment reaches {percent(UNSURE_BELOW)} here "
        f"(on average {percent(mean[first])} and {percent(mean[second])})."
    )
    return _note(start_s, end_s, text)


def _long_drops(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Stretches without a single kept frame, whatever the reasons in them."""
    lost = table.filter(~pl.col("kept"))
    if lost.is_empty():
        return []
    spans = [
        span for span in spans_of(lost["time_s"].to_numpy(), 0.0, sample_period_s(table)) if _lasts(span) >= LONG_DROP_S
    ]
    longest = sorted(spans, key=_lasts, reverse=True)[:AT_MOST]
    return [_note(*span, _drop_text(_lasts(span), lost.filter(pl.col("time_s").is_between(*span)))) for span in longest]


def _lasts(span: tuple[float, float]) -> float:
    return span[1] - span[0]


def _drop_text(seconds: float, rows: pl.DataFrame) -> str:
    reasons = ", ".join(sorted({str(reason) for reason in rows["reason"] if reason})) or "no reason given"
    return f"{seconds:.0f} s without a usable frame ({reasons}). The place in between is bridged, not seen."


def _widest_band(table: pl.DataFrame) -> list[dict[str, Any]]:
    rows = table.filter(pl.col("location_std").is_finite())
    if rows.is_empty():
        return []
    worst = rows.row(int(rows["location_std"].arg_max() or 0), named=True)
    text = f"The location is least certain here: ± {percent(worst['location_std'])} of the path (one std. deviation)."
    return [_note(worst["time_s"], worst["time_s"], text)]


def _note(start_s: float, end_s: float, text: str) -> dict[str, Any]:
    first, last = format_time(start_s), format_time(end_s)
    return {"t": round(float(start_s), 3), "when": first if first == last else f"{first} to {last}", "text": text}
