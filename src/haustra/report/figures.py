"""Data series of the report's charts, computed from the table of frames. Pure: no files, no page."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.frame_places import Located
from haustra.anatomy.intervals import segment_numbers, segment_runs
from haustra.anatomy.parameters import DEFAULT
from haustra.anatomy.withdrawal_figures import pace
from haustra.core.arrays import FloatArray
from haustra.core.times import runs
from haustra.core.vocabulary import Reason
from haustra.results.table import PROBABILITY_COLUMNS, SCOPEGUIDE_COLUMN, column

CURVE_POINTS: Final = 3000
PATH_POINTS: Final = 1500
LONGEST_BRIDGE_S: Final = 1.0


def sample_period_s(table: pl.DataFrame) -> float:
    """Seconds that one row stands for; time stamps vary, the median does not."""
    steps = np.diff(table["time_s"].to_numpy())
    return float(np.median(steps)) if len(steps) else 1.0 / 15.0


def curve(table: pl.DataFrame, *, points: int = CURVE_POINTS) -> dict[str, list[Any]]:
    """Location over time with its band of one standard deviation, thinned so that an hour still opens at once.

    Of each bin the lowest and the highest sample are kept, so that a spike of one sample is drawn; the band keeps the
    widest reach in it: thinning may not make the result look more certain than it is. Where no frame has a location, or
    none was taken for more than a second, an empty point breaks the line.
    """
    time_s, index = column(table, "time_s"), column(table, "location_index")
    rows = _drawn_rows(index, points)
    drawn = _with_breaks(time_s, index, rows)
    spread = np.nan_to_num(column(table, "location_std"))
    low, high = (np.clip(_reach(index + side * spread, rows, side), 0.0, 1.0) for side in (-1, 1))
    probability = np.nan_to_num(table.select(pl.col(PROBABILITY_COLUMNS).cast(pl.Float64).fill_null(0.0)).to_numpy())

    def points_of(values: FloatArray) -> list[float | None]:
        return [None if k is None or not np.isfinite(values[k]) else round(float(values[k]), 4) for _, k in drawn]

    guided = SCOPEGUIDE_COLUMN in table.columns
    guide = {SCOPEGUIDE_COLUMN: points_of(column(table, SCOPEGUIDE_COLUMN)[rows])} if guided else {}
    return guide | {
        "t": [round(at_s, 3) for at_s, _ in drawn],
        "loc": points_of(index[rows]),
        "lo": points_of(low),
        "hi": points_of(high),
        "p": [rounded(probability[0 if k is None else rows[k]], 3) for _, k in drawn],
    }


def _drawn_rows(index: FloatArray, points: int) -> NDArray[np.intp]:
    """Rows with a location: all, or of each of `points` / 2 bins the lowest and the highest, in the order of time."""
    known = np.flatnonzero(np.isfinite(index))
    if len(known) <= points:
        return known
    bins = np.array_split(known, points // 2)
    ends = [[part[np.argmin(index[part])], part[np.argmax(index[part])]] for part in bins]
    return np.unique(np.array(ends, np.intp))


def _with_breaks(time_s: FloatArray, index: FloatArray, rows: NDArray[np.intp]) -> list[tuple[float, int | None]]:
    """Times and places in `rows`, with an empty point at either side of a hole."""
    missing = np.cumsum(~np.isfinite(index))
    jumps = np.cumsum(np.diff(time_s, prepend=time_s[:1]) > LONGEST_BRIDGE_S)
    holes = set((np.flatnonzero(np.diff(missing[rows]) + np.diff(jumps[rows])) + 1).tolist())
    drawn: list[tuple[float, int | None]] = []
    for k, row in enumerate(rows.tolist()):
        if k in holes:
            drawn += [(float(time_s[rows[k - 1]]), None), (float(time_s[row]), None)]
        drawn.append((float(time_s[row]), k))
    return drawn


def _reach(values: FloatArray, rows: NDArray[np.intp], side: int) -> FloatArray:
    """The lowest (`side` -1) or highest value from each drawn row to the next one, its own included."""
    if not len(rows):
        return np.empty(0)
    widest = np.where(np.isfinite(values), values, -side * np.inf)
    until_next = (np.minimum if side < 0 else np.maximum).reduceat(widest, rows)
    since_last = np.append(values[rows[0]], until_next[:-1])
    return np.minimum(until_next, since_last) if side < 0 else np.maximum(until_next, since_last)


def segment_lane(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The stretches in one segment, as in segments.csv; `again` where the scope was pushed back in."""
    return [
        {"segment": run.segment - 1, "start": run.start_s, "end": run.end_s, "again": run.re_entered}
        for run in segment_runs(column(table, "time_s"), segment_numbers(table))
    ]


def dropped(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Stretches of dropped frames with their reason, in the order of time.

    A biopsy is one stretch with its seconds before and after; blinks too short to be drawn apart are joined.
    """
    if table.is_empty():
        return []
    length_s = table["time_s"][-1] - table["time_s"][0]
    rows = table.filter(~pl.col("kept")).with_columns(
        pl.col("reason").cast(pl.String).fill_null("").replace({Reason.FORCEPS.value: Reason.BIOPSY.value})
    )
    spans = []
    for (reason,), part in rows.group_by(["reason"], maintain_order=True):
        join_s = DEFAULT.findings.same_biopsy_s if reason == Reason.BIOPSY else max(0.2, length_s / 1000)
        for start, end in spans_of(part["time_s"].to_numpy(), join_s, sample_period_s(table)):
            spans.append({"start": start, "end": end, "reason": reason, "biopsy": reason == Reason.BIOPSY})
    return sorted(spans, key=lambda span: span["start"])


def spans_of(time_s: FloatArray, join_s: float, period_s: float) -> list[tuple[float, float]]:
    """Start and end of stretches whose frames are at most `join_s` (or one sample) apart."""
    apart_s = max(join_s, 1.5 * period_s)
    return [(round(float(run[0]), 3), round(float(run[-1]) + period_s, 3)) for run in runs(time_s, apart_s)]


def path_points(table: pl.DataFrame, *, points: int = PATH_POINTS) -> dict[str, list[Any]]:
    """The camera path of the kept frames, centred, of unit size, its widest side towards the viewer.

    The scale of a single camera is free, so the page shows a shape and no lengths.
    """
    rows = table.filter(pl.all_horizontal(pl.col("tx", "ty", "tz").is_finite()) & pl.col("kept"))
    thin = rows.with_columns(_bin(rows, points)).unique("bin", keep="first", maintain_order=True)
    xyz = _facing(thin.select("tx", "ty", "tz").to_numpy().astype(np.float64))
    return {
        "t": rounded(thin["time_s"].to_numpy(), 3),
        "xyz": [rounded(point, 4) for point in xyz],
    }


def segment_figures(located: Located) -> list[dict[str, Any]]:
    """Per segment: time, share of the colon per minute, share of frames dropped, mean probability where named."""
    figures = []
    for name, figure in located.figures.segments.items():
        sure = located.table.filter(pl.col("segment") == name)[f"p_{name}"].fill_nan(None).mean()
        figures.append(
            {
                "segment": name,
                "time_s": figure.time_s,
                "net_s": figure.net_s,
                "speed_percent_per_min": figure.speed_percent_per_min,
                "pace": pace(figure.speed_percent_per_min),
                "share_dropped": figure.dropped_share,
                "mean_probability": sure,
            }
        )
    return figures


def rounded(values: FloatArray, digits: int) -> list[float]:
    """Short numbers for the page; what is not a number is drawn at 0."""
    return [round(float(value), digits) for value in np.nan_to_num(values)]


def percent(share: float) -> str:
    """As everywhere on the page: a space that does not break before the sign."""
    return f"{100 * share:.0f}\u00a0%"


def _bin(table: pl.DataFrame, points: int) -> pl.Expr:
    """Which of `points` equal spans of rows a row belongs to."""
    return (pl.int_range(pl.len()) * min(points, max(table.height, 1)) // max(table.height, 1)).alias("bin")


def _facing(xyz: FloatArray) -> FloatArray:
    """Centre, scale to a radius of 1 and turn (never mirror) so that the two widest directions lie in the page."""
    if len(xyz) < 2:
        return np.zeros_like(xyz)
    centred = xyz - (xyz.min(axis=0) + xyz.max(axis=0)) / 2
    _, _, axes = np.linalg.svd(centred - centred.mean(axis=0), full_matrices=False)
    if len(axes) == 3:
        # As on the colon map: the path starts at the left and ends below (y points down).
        axes[0] *= -np.sign(axes[0] @ centred[0]) or 1.0
        axes[1] *= np.sign(axes[1] @ centred[-1]) or 1.0
        axes[2] *= np.sign(np.linalg.det(axes)) or 1.0
        centred = centred @ axes.T
    radius = np.linalg.norm(centred, axis=1).max()
    return centred / radius if radius > 0 else centred
