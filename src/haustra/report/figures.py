"""What the report page draws, as plain numbers out of the table of frames. Pure: no files, no page."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl

from haustra.anatomy.findings import SAME_BIOPSY_S
from haustra.anatomy.places import Located, segment_numbers
from haustra.poses import FloatArray
from haustra.table import PROBABILITY_COLUMNS, SCOPEGUIDE_COLUMN
from haustra.terms import Reason
from haustra.times import runs

CURVE_POINTS: Final = 3000
PATH_POINTS: Final = 1500


def sample_period_s(table: pl.DataFrame) -> float:
    """Seconds that one row stands for; time stamps vary, the median does not."""
    steps = np.diff(table["time_s"].to_numpy())
    return float(np.median(steps)) if len(steps) else 1.0 / 15.0


def curve(table: pl.DataFrame, *, points: int = CURVE_POINTS) -> dict[str, list[Any]]:
    """Location over time with its band of one standard deviation, thinned so that an hour still opens at once.

    A thinned point shows the mean of its bin, but the band keeps the widest reach inside it: thinning may not make
    the result look more certain than it is.
    """
    located = table.filter(pl.col("location_index").is_not_null() & pl.col("location_index").is_finite())
    spread = pl.col("location_std").fill_null(0.0).fill_nan(0.0)
    guided = [SCOPEGUIDE_COLUMN] if SCOPEGUIDE_COLUMN in table.columns else []
    thin = (
        located.with_columns(
            _bin(located, points), lo=pl.col("location_index") - spread, hi=pl.col("location_index") + spread
        )
        .group_by("bin", maintain_order=True)
        .agg(
            pl.col("time_s", "location_index", *guided, *PROBABILITY_COLUMNS).mean(),
            pl.col("lo").min(),
            pl.col("hi").max(),
            pl.col("segment").mode().min(),
        )
    )
    probability = np.nan_to_num(thin.select(pl.col(PROBABILITY_COLUMNS).fill_null(0.0)).to_numpy())
    guide = {SCOPEGUIDE_COLUMN: rounded(thin[SCOPEGUIDE_COLUMN].to_numpy(), 4)} if guided else {}
    return guide | {
        "t": rounded(thin["time_s"].to_numpy(), 3),
        "loc": rounded(thin["location_index"].to_numpy(), 4),
        "lo": rounded(np.clip(thin["lo"].to_numpy(), 0.0, 1.0), 4),
        "hi": rounded(np.clip(thin["hi"].to_numpy(), 0.0, 1.0), 4),
        "seg": _places(thin),
        "p": [rounded(row, 3) for row in probability],
    }


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
        join_s = SAME_BIOPSY_S if reason == Reason.BIOPSY else max(0.2, length_s / 1000)
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
        "seg": _places(thin),
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
                "speed_percent_per_min": figure.speed_percent_per_min,
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


def _places(table: pl.DataFrame) -> list[int]:
    """Places of the segments in their order, -1 where there is none."""
    return (segment_numbers(table) - 1).tolist()


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
