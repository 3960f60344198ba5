"""Filmstrip of the report: frames evenly spaced in location, not in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from haustra.results.observations import Thumbnail

COUNT: Final = 24
SHARPER_WITHIN: Final = 0.2


@dataclass(frozen=True)
class StripImage:
    """One frame of the strip, as a small JPEG."""

    time_s: float
    location_index: float
    segment: str
    jpeg: bytes


def strip_rows(table: pl.DataFrame, *, count: int = COUNT) -> pl.DataFrame:
    """The kept rows for `count` evenly spaced location indices, each row at most once, in the order of location.

    Among the rows whose location is practically the same (a fifth of the spacing) the most informative one is shown.
    """
    usable = table.filter(pl.col("kept") & pl.col("location_index").is_finite()).with_row_index("row")
    location = usable["location_index"].to_numpy()
    blur = usable["p_noninformative"].fill_null(0.0).fill_nan(0.0).to_numpy()
    chosen: list[int] = []
    for target in (np.arange(count) + 0.5) / count if len(location) else []:
        distance = np.abs(location - target)
        near = np.flatnonzero(distance <= max(distance.min(), SHARPER_WITHIN / count))
        best = int(near[np.lexsort((distance[near], blur[near].round(2)))[0]])
        if best not in chosen:
            chosen.append(best)
    return usable[chosen].drop("row")


def strip_of(thumbnails: Sequence[Thumbnail], table: pl.DataFrame, *, count: int = COUNT) -> list[StripImage]:
    """The strip out of the pictures kept while the recording was read: one a second, so a second is its step."""
    pictures = {thumbnail.time_s: thumbnail.jpeg for thumbnail in thumbnails}
    rows = strip_rows(table.filter(pl.col("time_s").is_in(list(pictures))), count=count)
    columns = rows.select("time_s", "location_index", "segment").iter_rows()
    return [StripImage(time_s, location, segment, pictures[time_s]) for time_s, location, segment in columns]
