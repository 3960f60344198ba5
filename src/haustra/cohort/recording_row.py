"""One recording's row of recordings.csv and its small curve on the cohort page, from its summary and its frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS
from haustra.results.table import SCOPEGUIDE_COLUMN, column

CURVE_POINTS = 64
# Columns of recordings.csv, in their order; a recording that failed has only the first two and `error`.
ROW: dict[str, type[pl.DataType]] = {
    "recording": pl.String,
    "state": pl.String,
    "withdrawal_start_s": pl.Float64,
    "withdrawal_end_s": pl.Float64,
    "extent": pl.String,
    "start_source": pl.String,
    "start_confidence": pl.Float64,
    "withdrawal_time_s": pl.Float64,
    "net_time_s": pl.Float64,
    "frames": pl.Int64,
    "frames_kept": pl.Int64,
    "dropped_share": pl.Float64,
    "noninformative_share": pl.Float64,
    "cecum_seen": pl.Boolean,
    **{f"{name}_time_s": pl.Float64 for name in SEGMENTS},
    **{f"{name}_speed_percent_per_min": pl.Float64 for name in SEGMENTS},
    "findings": pl.Int64,
    "segment_accuracy": pl.Float64,
    "average_segment_error": pl.Float64,
    "max_segment_error": pl.Float64,
    "scopeguide_mae": pl.Float64,
    "warnings": pl.String,
    "error": pl.String,
}


def row_of(summary: Mapping[str, Any], frames: pl.DataFrame) -> dict[str, Any]:
    """A row of recordings.csv; every figure of it stands in the summary as well."""
    withdrawal = summary["withdrawal"]
    segments: Mapping[str, Mapping[str, Any]] = withdrawal["segments"]
    total = float(withdrawal["duration_s"])
    dropped, noninformative = float(withdrawal["dropped_share"]), float(withdrawal["noninformative_share"])
    return {
        "withdrawal_start_s": withdrawal["start_s"],
        "withdrawal_end_s": withdrawal["end_s"],
        "extent": withdrawal["extent"],
        "start_source": withdrawal["start_source"],
        "start_confidence": withdrawal["start_confidence"],
        "withdrawal_time_s": total,
        "net_time_s": withdrawal["net_s"],
        "frames": frames.height,
        "frames_kept": int(frames["kept"].sum()),
        "dropped_share": dropped if total > 0 else None,
        "noninformative_share": noninformative if total > 0 else None,
        "cecum_seen": summary["cecum"] is not None,
        "findings": summary["findings"]["count"],
        "scopeguide_mae": _scopeguide_mae(frames),
        **{f"{name}_time_s": segments[name]["time_s"] for name in SEGMENTS},
        **{f"{name}_speed_percent_per_min": segments[name]["speed_percent_per_min"] for name in SEGMENTS},
        "warnings": " | ".join(str(warning) for warning in summary["warnings"]),
    }


def _scopeguide_mae(frames: pl.DataFrame) -> float | None:
    """Mean distance from the location index that the inserted length gives (paper, appendix:scopeguide)."""
    if SCOPEGUIDE_COLUMN not in frames.columns:
        return None
    mean: float | None = frames.select((pl.col("location_index") - pl.col(SCOPEGUIDE_COLUMN)).abs().mean()).item()
    return mean


def curve_of(frames: pl.DataFrame) -> tuple[float, ...]:
    """Location index at times evenly spread over the withdrawal: enough to draw a small curve."""
    time_s, index = column(frames, "time_s"), column(frames, "location_index")
    known: FloatArray = np.isfinite(index)
    if not known.any():
        return ()
    wanted = np.linspace(time_s[0], time_s[-1], CURVE_POINTS)
    return tuple(round(float(value), 3) for value in np.interp(wanted, time_s[known], index[known]))
