"""The table of a result folder: one row per sampled frame, as `frames.parquet` and `frames.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.segments import segment_probabilities, segments_of
from haustra.anatomy.template import SEGMENTS, Template
from haustra.errors import HaustraError
from haustra.files import replacing
from haustra.poses import FloatArray, to_translation_quaternion

POSE_COLUMNS = ("tx", "ty", "tz", "qx", "qy", "qz", "qw")
PROBABILITY_COLUMNS = tuple(f"p_{name}" for name in SEGMENTS)
COLUMNS = (
    "frame", "time_s", "p_noninformative", "p_forceps", "kept", "reason", *POSE_COLUMNS, "gap",
    "location_index", "location_std", "segment", *PROBABILITY_COLUMNS,
)  # fmt: skip


def frames_table(columns: Mapping[str, Any]) -> pl.DataFrame:
    """The columns at hand in the order of the format; numbers that are not known (NaN) become empty cells."""
    unknown = set(columns) - set(COLUMNS)
    if unknown:
        raise ValueError(f"no such columns: {sorted(unknown)}")
    table = pl.DataFrame({name: columns[name] for name in COLUMNS if name in columns})
    return table.with_columns(pl.selectors.float().fill_nan(None))


def pose_columns(T_w_c: FloatArray) -> dict[str, FloatArray]:
    """Seven columns from poses (n, 4, 4); poses that are not finite give NaN."""
    rows = np.full((len(T_w_c), 7), np.nan)
    known = np.isfinite(T_w_c).all(axis=(1, 2))
    if known.any():
        rows[known] = np.hstack(to_translation_quaternion(T_w_c[known]))
    return dict(zip(POSE_COLUMNS, rows.T, strict=True))


def place_columns(index: FloatArray, std: FloatArray, template: Template) -> dict[str, Any]:
    """Location index, its standard deviation, the segment by name and the six probabilities."""
    numbers = segments_of(index, template)
    probabilities = segment_probabilities(index, std, template)
    return {
        "location_index": index,
        "location_std": std,
        "segment": [SEGMENTS[number - 1] if number else "" for number in numbers],
        **dict(zip(PROBABILITY_COLUMNS, probabilities.T, strict=True)),
    }


def fill_dropped(
    time_s: FloatArray, kept: NDArray[np.bool_], index: FloatArray, std: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Index and deviation of all rows from those of the kept ones.

    A dropped frame lies between its kept neighbours, and may be anywhere between them: a third of their distance is
    added to its deviation. Rows before the first and after the last kept frame have no place.
    """
    at = np.flatnonzero(kept)
    if not len(at):
        return np.full(len(time_s), np.nan), np.full(len(time_s), np.nan)
    before = np.clip(np.searchsorted(at, np.arange(len(time_s)), side="right") - 1, 0, len(at) - 1)
    after = np.minimum(before + 1, len(at) - 1)
    between = np.abs(index[after] - index[before]) * ~kept / 3
    full_index = np.interp(time_s, time_s[at], index, left=np.nan, right=np.nan)
    full_std = np.hypot(np.interp(time_s, time_s[at], std), between)
    return full_index, np.where(np.isfinite(full_index), full_std, np.nan)


def write_frames(folder: Path, table: pl.DataFrame) -> None:
    with replacing(folder / "frames.parquet") as temporary:
        table.write_parquet(temporary)
    with replacing(folder / "frames.csv") as temporary:
        table.write_csv(temporary, float_precision=6)


def read_frames(result: Path) -> pl.DataFrame:
    """The table of a result folder, or of the `frames.parquet` itself."""
    source = result / "frames.parquet" if result.is_dir() else result
    if not source.is_file():
        raise HaustraError(f"{result} is not a result folder: it has no frames.parquet")
    try:
        table = pl.read_parquet(source)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise HaustraError(f"{source} is not a readable table: {str(error).splitlines()[0]}") from error
    missing = [name for name in ("time_s", "location_index") if name not in table.columns]
    if missing:
        raise HaustraError(f"{source} has no column {', '.join(missing)}: it is not a table of located frames")
    return table


def column(table: pl.DataFrame, name: str) -> FloatArray:
    """A column of numbers with NaN for empty cells."""
    return table[name].cast(pl.Float64).fill_null(float("nan")).to_numpy().copy()
