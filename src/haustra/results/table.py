"""The table of a result folder: one row per sampled frame, as `frames.parquet` and `frames.csv`; its columns, typed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from haustra.core.arrays import FloatArray
from haustra.core.csv_dialect import without_formulas
from haustra.core.errors import HaustraError
from haustra.core.files import replacing
from haustra.core.poses import from_translation_quaternion, to_translation_quaternion
from haustra.core.vocabulary import SEGMENTS

POSE_COLUMNS = ("tx", "ty", "tz", "qx", "qy", "qz", "qw")
PROBABILITY_COLUMNS = tuple(f"p_{name}" for name in SEGMENTS)
SCOPEGUIDE_COLUMN = "scopeguide_index"
# `reason` and `basis` hold the words of `haustra.core.vocabulary`, `segment` a name or "" where there is no location
# index; the ScopeGuide column is there where the user gave a track.
SCHEMA: dict[str, type[pl.DataType]] = {
    "frame": pl.Int64,
    "time_s": pl.Float64,
    "p_noninformative": pl.Float32,
    "p_forceps": pl.Float32,
    "kept": pl.Boolean,
    "reason": pl.String,
    **dict.fromkeys(POSE_COLUMNS, pl.Float64),
    "basis": pl.String,
    "location_index": pl.Float64,
    "location_std": pl.Float64,
    SCOPEGUIDE_COLUMN: pl.Float64,
    "segment": pl.String,
    **dict.fromkeys(PROBABILITY_COLUMNS, pl.Float64),
}
COLUMNS = tuple(SCHEMA)
HAS_SEGMENT = pl.col("segment").fill_null("") != ""
FRAMES = ("frames.parquet", "frames.csv")


def frames_table(columns: Mapping[str, Any]) -> pl.DataFrame:
    """The columns at hand in the order of the format; numbers that are not known (NaN) become empty cells."""
    unknown = set(columns) - set(SCHEMA)
    if unknown:
        raise ValueError(f"no such columns: {sorted(unknown)}")
    table = pl.DataFrame({name: columns[name] for name in SCHEMA if name in columns})
    typed = table.cast({name: SCHEMA[name] for name in table.columns})
    return typed.with_columns(pl.selectors.float().fill_nan(None))


def pose_columns(T_w_c: FloatArray) -> dict[str, FloatArray]:
    """Seven columns from poses (n, 4, 4); poses that are not finite give NaN."""
    rows = np.full((len(T_w_c), 7), np.nan)
    known = np.isfinite(T_w_c).all(axis=(1, 2))
    if known.any():
        rows[known] = np.hstack(to_translation_quaternion(T_w_c[known]))
    return dict(zip(POSE_COLUMNS, rows.T, strict=True))


def poses_of(table: pl.DataFrame) -> FloatArray:
    """Poses (n, 4, 4) from the seven columns; rows without a pose are NaN."""
    rows = np.stack([column(table, name) for name in POSE_COLUMNS], axis=1)
    known = np.isfinite(rows).all(axis=1)
    T_w_c = np.full((len(rows), 4, 4), np.nan)
    if known.any():
        T_w_c[known] = from_translation_quaternion(rows[known, :3], rows[known, 3:])
    return T_w_c


def column(table: pl.DataFrame, name: str) -> FloatArray:
    """A column of numbers with NaN for empty cells."""
    return table[name].cast(pl.Float64).fill_null(float("nan")).to_numpy().copy()


def write_frames(folder: Path, table: pl.DataFrame) -> None:
    """Both forms of the table."""
    parquet, csv = FRAMES
    with replacing(folder / parquet) as temporary:
        table.write_parquet(temporary)
    write_csv(folder / csv, table)


def write_csv(target: Path, table: pl.DataFrame) -> None:
    """As all our csv files: six digits behind the point, and nothing that a spreadsheet would run."""
    with replacing(target) as temporary:
        without_formulas(table).write_csv(temporary, float_precision=6)


def read_frames(result: Path) -> pl.DataFrame:
    """The table of a result folder, or of the `frames.parquet` itself."""
    source = result / FRAMES[0] if result.is_dir() else result
    if not source.is_file():
        raise HaustraError(f"{result} is not a result folder: it has no {FRAMES[0]}")
    try:
        table = pl.read_parquet(source)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise HaustraError(f"{source} is not a readable table: {str(error).splitlines()[0]}") from error
    missing = [name for name in ("time_s", "location_index") if name not in table.columns]
    if missing:
        raise HaustraError(f"{source} has no column {', '.join(missing)}: it is not a table of located frames")
    return table
