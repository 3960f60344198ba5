"""Ground truth of a simulated recording, a row per frame of the video: `truth.parquet`, or `truth.csv` of others."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import polars as pl

from haustra.core.checked_tables import NOT_A_TABLE, ColumnRule, checked, flags, numbers, read_parquet, words
from haustra.core.csv_dialect import parse_csv
from haustra.core.errors import HaustraError
from haustra.core.files import regular_file
from haustra.core.poses import LARGEST
from haustra.core.times import MOST_S
from haustra.results.table import POSE_COLUMNS

MATRIX = tuple(f"m{i}{j}" for i in range(4) for j in range(4))
_POSITION = numbers(-LARGEST, LARGEST)
COLUMNS: dict[str, ColumnRule] = {
    "frame": ColumnRule(pl.Int64, 0, 1e9),
    "time_s": numbers(0, MOST_S, full=True, increasing=True),
    **dict.fromkeys(POSE_COLUMNS[:3], _POSITION),
    **dict.fromkeys(POSE_COLUMNS[3:], numbers(-1.001, 1.001)),
    **dict.fromkeys(MATRIX, numbers(-LARGEST, LARGEST, full=True)),
    "arc_mm": numbers(-LARGEST, LARGEST),
    "location_index": numbers(-1, 2),
    "segment": words(),
    "phase": words(),
    "informative": flags(),
    "forceps": flags(),
}


def read_truth_table(source: Path, needed: Collection[str] = POSE_COLUMNS) -> pl.DataFrame:
    """Checked and in the order of time; `needed` are columns that it must have beside those of every truth."""
    if source.suffix == ".csv":
        regular_file(source)
        table = _typed(parse_csv(source.read_bytes(), str(source)), source)
    else:
        table = read_parquet(source)
    if not table.height:
        raise HaustraError(f"{source} has no rows: every row is a frame of the video")
    return checked(table, COLUMNS, source, ("time_s", "location_index", "segment", *needed))


def _typed(table: pl.DataFrame, source: Path) -> pl.DataFrame:
    """The columns of a csv table, which are text, as what they have to be."""
    texts = [name for name in table.columns if name in COLUMNS]
    try:
        flag = (
            pl.col([name for name in texts if COLUMNS[name].kind is pl.Boolean]).str.to_lowercase().is_in(["true", "1"])
        )
        number = [pl.col(name).cast(COLUMNS[name].kind) for name in texts if COLUMNS[name].kind.is_numeric()]
        return table.with_columns(*number, flag)
    except NOT_A_TABLE as error:
        raise HaustraError(f"{source} is not a table with time_s and m00..m33: {str(error).splitlines()[0]}") from error
