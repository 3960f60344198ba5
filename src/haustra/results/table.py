"""The table of a result folder: one row per sampled frame, as `frames.parquet` and `frames.csv`; its columns, typed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from haustra.core.arrays import FloatArray
from haustra.core.checked_tables import MOST_BYTES, ColumnRule, checked, flags, numbers, parse_parquet, words
from haustra.core.csv_dialect import without_formulas
from haustra.core.errors import HaustraError
from haustra.core.files import read_bytes, replacing
from haustra.core.poses import checked_poses, to_translation_quaternion
from haustra.core.times import MOST_S
from haustra.core.vocabulary import SEGMENTS, UNSURE, Basis, Reason
from haustra.results.schema import KEY, VERSION, check_version

POSE_COLUMNS = ("tx", "ty", "tz", "qx", "qy", "qz", "qw")
PROBABILITY_COLUMNS = tuple(f"p_{name}" for name in SEGMENTS)
SCOPEGUIDE_COLUMN = "scopeguide_index"
PART_COLUMNS = ("part", "part_file", "part_time_s")
# `reason` and `basis` hold the words of `haustra.core.vocabulary`, `segment` a name or "" where there is no location
# index; the ScopeGuide column is there where the user gave a track, those of the part (counted from 1, its file, the
# time in it) where the recording is in parts.
SHARE = numbers(0, 1)
# Whatever the unit of a path of another program, and its clock (nanoseconds since 1970 need 2e18).
CHECKED: dict[str, ColumnRule] = {
    "frame": ColumnRule(pl.Int64, 0, 1e12),
    "time_s": numbers(-1e19, 1e19, full=True, increasing=True),
    "part": ColumnRule(pl.Int64, 1, 10_000),
    "part_file": words(),
    "part_time_s": numbers(0, MOST_S),
    "p_noninformative": ColumnRule(pl.Float32, 0, 1),
    "p_forceps": ColumnRule(pl.Float32, 0, 1),
    "kept": flags(),
    "reason": words(Reason),
    **dict.fromkeys(POSE_COLUMNS[:3], numbers(-1e12, 1e12)),
    **dict.fromkeys(POSE_COLUMNS[3:], numbers(-1.001, 1.001)),
    "basis": words(Basis),
    "location_index": SHARE,
    "location_std": numbers(0, 100),
    SCOPEGUIDE_COLUMN: SHARE,
    "segment": words(("", *SEGMENTS, UNSURE)),
    **dict.fromkeys(PROBABILITY_COLUMNS, numbers(0, 1.001)),
}
SCHEMA: dict[str, type[pl.DataType]] = {name: column.kind for name, column in CHECKED.items()}
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


def part_columns(time_s: FloatArray, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """In which part of the recording each frame lies, and when; nothing for a recording in one file.

    `parts` are those of the summary: name and start, in their order.
    """
    if not parts:
        return {}
    starts_s = np.array([part["start_s"] for part in parts], np.float64)
    at = np.searchsorted(starts_s, time_s, side="right") - 1
    names = [str(parts[k]["name"]) for k in at.tolist()]
    return dict(zip(PART_COLUMNS, (at + 1, names, np.round(time_s - starts_s[at], 9)), strict=True))


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
        T_w_c[known] = checked_poses(rows[known, :3], rows[known, 3:], "the table of frames")
    return T_w_c


def column(table: pl.DataFrame, name: str) -> FloatArray:
    """A column of numbers with NaN for empty cells."""
    return table[name].cast(pl.Float64).fill_null(float("nan")).to_numpy().copy()


def write_frames(folder: Path, table: pl.DataFrame) -> None:
    """Both forms of the table."""
    parquet, csv = FRAMES
    with replacing(folder / parquet) as temporary, temporary.open("wb") as file:
        table.write_parquet(file, metadata=parquet_metadata())
    write_csv(folder / csv, table)


def parquet_metadata() -> dict[str, str]:
    """Which layout the columns have; of csv files the summary beside them says it."""
    return {KEY: str(VERSION)}


def write_csv(target: Path, table: pl.DataFrame) -> None:
    """As all our csv files: six digits behind the point, and nothing that a spreadsheet would run."""
    with replacing(target) as temporary, temporary.open("wb") as file:  # Polars takes no path that is not UTF-8
        without_formulas(table).write_csv(file, float_precision=6)


def read_frames(result: Path, needed: Collection[str] = ()) -> pl.DataFrame:
    """The table of a result folder, or of the `frames.parquet` itself; `needed` are further columns it must have."""
    source = result / FRAMES[0] if result.is_dir() else result
    if not source.is_file():
        raise HaustraError(f"{result} is not a result folder: it has no {FRAMES[0]}")
    table, written = parse_parquet(read_bytes(source, MOST_BYTES), source)
    version = written.get(KEY, str(VERSION))
    check_version({KEY: int(version) if re.fullmatch("[0-9]{1,9}", version) else version[:20]}, source)
    return checked(table, CHECKED, source, ("time_s", "location_index", *needed))
