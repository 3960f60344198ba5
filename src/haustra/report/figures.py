"""What the report page draws, as plain numbers out of the table of frames. Pure: no files, no page."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.report.colours import SEGMENT_COLOURS

SEGMENTS: Final = tuple(SEGMENT_COLOURS)
PROBABILITIES: Final = tuple(f"p_{name}" for name in SEGMENTS)
CURVE_POINTS: Final = 3000
PATH_POINTS: Final = 1500
FloatArray = NDArray[np.float64]


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
    thin = (
        located.with_columns(
            _bin(located, points), lo=pl.col("location_index") - spread, hi=pl.col("location_index") + spread
        )
        .group_by("bin", maintain_order=True)
        .agg(
            pl.col("time_s", "location_index", *PROBABILITIES).mean(),
            pl.col("lo").min(),
            pl.col("hi").max(),
            pl.col("kept").any(),
        )
    )
    probability = np.nan_to_num(thin.select(pl.col(PROBABILITIES).fill_null(0.0)).to_numpy())
    return {
        "t": rounded(thin["time_s"].to_numpy(), 3),
        "loc": rounded(thin["location_index"].to_numpy(), 4),
        "lo": rounded(np.clip(thin["lo"].to_numpy(), 0.0, 1.0), 4),
        "hi": rounded(np.clip(thin["hi"].to_numpy(), 0.0, 1.0), 4),
        "seg": [int(i) for i in probability.argmax(axis=1)] if len(probability) else [],
        "p": [rounded(row, 3) for row in probability],
    }


def boundaries(table: pl.DataFrame) -> list[float]:
    """The five location indices where one segment ends and the next begins.

    Each is the threshold that disagrees with the fewest rows: the segment of a row also depends on its own
    uncertainty, so near a boundary the rows may be mixed.
    """
    rows = table.filter(pl.col("location_index").is_finite() & pl.col("segment").is_in(SEGMENTS)).sort("location_index")
    location = rows["location_index"].to_numpy()
    order = np.array([SEGMENTS.index(name) for name in rows["segment"]], dtype=np.intp)
    cuts = []
    for k in range(1, len(SEGMENTS)):
        before = order < k
        wrong = np.concatenate([[0], np.cumsum(~before)]) + before.sum() - np.concatenate([[0], np.cumsum(before)])
        cut = int(wrong.argmin())
        low = location[cut - 1] if cut > 0 else 0.0
        high = location[cut] if cut < len(location) else 1.0
        cuts.append(float(np.clip((low + high) / 2, 0.0, 1.0)))
    return cuts


def dropped(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Stretches of dropped frames with their reason; blinks too short to be drawn apart are joined."""
    if table.is_empty():
        return []
    period = sample_period_s(table)
    join_s = max(0.2, (table["time_s"][-1] - table["time_s"][0]) / 1000)
    runs = (
        table.select("time_s", kept=pl.col("kept"), reason=pl.col("reason").cast(pl.String).fill_null(""))
        .with_columns(run=pl.struct("kept", "reason").rle_id())
        .filter(~pl.col("kept"))
        .group_by("run", maintain_order=True)
        .agg(pl.col("reason").first(), start=pl.col("time_s").first(), end=pl.col("time_s").last())
    )
    joined: list[dict[str, Any]] = []
    for _, reason, start, end in runs.iter_rows():
        last = joined[-1] if joined else None
        if last and last["reason"] == reason and start - last["end"] <= join_s:
            last["end"] = round(end + period, 3)
        else:
            joined.append({"start": round(start, 3), "end": round(end + period, 3), "reason": reason})
    for stretch in joined:
        stretch["biopsy"] = is_biopsy(stretch["reason"])
    return joined


def is_biopsy(reason: str | None) -> bool:
    """Frames dropped for forceps are a biopsy with its second before and after (paper, image classification)."""
    text = (reason or "").lower()
    return "forceps" in text or "biops" in text


def path_points(table: pl.DataFrame, *, points: int = PATH_POINTS) -> dict[str, list[Any]]:
    """The camera path of the kept frames, centred, of unit size, its widest side towards the viewer.

    The scale of a single camera is free, so the page shows a shape and no lengths.
    """
    rows = table.filter(pl.all_horizontal(pl.col("tx", "ty", "tz").is_finite()) & pl.col("kept"))
    thin = rows.with_columns(_bin(rows, points)).unique("bin", keep="first", maintain_order=True)
    xyz = _facing(thin.select("tx", "ty", "tz").to_numpy().astype(np.float64))
    order = {name: i for i, name in enumerate(SEGMENTS)}
    return {
        "t": rounded(thin["time_s"].to_numpy(), 3),
        "xyz": [rounded(point, 4) for point in xyz],
        "seg": [order.get(name, -1) for name in thin["segment"]],
    }


def segment_figures(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Per segment: time, share of the path per minute, share of frames dropped, mean probability.

    Dropped frames may have no segment of their own; they count for the segment the camera was last seen in.
    """
    period = sample_period_s(table)
    rows = table.with_columns(pl.col("segment").forward_fill().backward_fill())
    edges = [0.0, *boundaries(table), 1.0]
    figures = []
    for i, name in enumerate(SEGMENTS):
        part = rows.filter(pl.col("segment") == name)
        seconds = part.height * period
        sure = part[PROBABILITIES[i]].fill_nan(None).mean() if part.height else None
        figures.append(
            {
                "segment": name,
                "time_s": round(seconds, 2),
                "speed_percent_per_min": round(100 * (edges[i + 1] - edges[i]) * 60 / seconds, 2) if seconds else None,
                "share_dropped": round(1 - float(part["kept"].mean()), 4) if part.height else None,  # type: ignore[arg-type]
                "mean_probability": None if sure is None else round(float(sure), 4),  # type: ignore[arg-type]
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
