"""The two indices the paper compares with: time, and ScopeGuide's inserted length (paper, appendix:scopeguide)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.spreadsheets import read_words
from haustra.core.times import MOST_S
from haustra.path.frame_locations import UNKNOWN_STD
from haustra.path.paper_index.location import LocationIndex


def time_index(time_s: NDArray[Any]) -> LocationIndex:
    """Share of the withdrawal's time that has passed."""
    time_s = np.asarray(time_s, dtype=np.float64)
    duration = float(time_s[-1] - time_s[0])
    index = (time_s - time_s[0]) / duration if duration > 0 else np.zeros(len(time_s))
    return LocationIndex(index, np.full(len(time_s), UNKNOWN_STD), None)


def scopeguide_index(time_s: NDArray[Any], track_s: FloatArray, length_cm: FloatArray) -> LocationIndex:
    """(L_start - L) / (L_start - L_stop): 0 at the first frame and 1 at the last; clipped to that range."""
    time_s = np.asarray(time_s, dtype=np.float64)
    length = np.interp(time_s, track_s, length_cm)
    start_cm, stop_cm = float(length[0]), float(length[-1])
    if not start_cm > stop_cm:
        raise HaustraError(
            f"the inserted length is {start_cm:g} cm where the withdrawal starts and {stop_cm:g} cm where it stops:"
            " the ScopeGuide times do not fit"
        )
    index = np.clip((start_cm - length) / (start_cm - stop_cm), 0.0, 1.0)
    return LocationIndex(index, np.full(len(time_s), UNKNOWN_STD), None)


def read_scopeguide(source: Path) -> tuple[FloatArray, FloatArray]:
    """Times and lengths of a csv table with the columns time_s and length_cm."""
    table = read_words(source, "time_s and length_cm")
    try:
        numbers = table.select(pl.col("time_s", "length_cm").str.replace(",", ".", literal=True).cast(pl.Float64))
        values = numbers.drop_nulls().sort("time_s").to_numpy()
    except pl.exceptions.PolarsError as error:
        why = str(error).splitlines()[0]
        raise HaustraError(f"{source} is not a table with the columns time_s,length_cm: {why}") from error
    values = values[np.isfinite(values).all(axis=1)]
    outside = (values < (0, -100)) | (values > (MOST_S, 1000))
    if outside.any():
        raise HaustraError(f"{source} has {values[outside][0]:g}: times are 0 to {MOST_S} s, lengths -100 to 1000 cm")
    if not len(values):
        raise HaustraError(f"{source} holds no length")
    return values[:, 0], values[:, 1]
