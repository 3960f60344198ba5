"""Tables that others may have changed, checked column by column: type, bounds, words, order of times."""

from __future__ import annotations

import io
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from haustra.core.errors import HaustraError, first_line
from haustra.core.files import read_bytes

# Two days at 25 rows a second: a small parquet file can say that it holds far more.
MOST_ROWS, MOST_BYTES = 5_000_000, 1 << 30
MOST_CELLS = 100_000_000  # of eight bytes, or sixteen
NOT_A_TABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


@dataclass(frozen=True)
class ColumnRule:
    """What a column may hold. `full`: every row has a value; `increasing`: each more than the one before."""

    kind: type[pl.DataType]
    low: float = -math.inf
    high: float = math.inf
    words: Collection[str] = ()
    full: bool = False
    increasing: bool = False


def numbers(low: float, high: float, *, full: bool = False, increasing: bool = False) -> ColumnRule:
    """Numbers between two others; empty cells where they are not known, unless it is `full`."""
    return ColumnRule(pl.Float64, low, high, full=full, increasing=increasing)


def flags() -> ColumnRule:
    """True or false in every row."""
    return ColumnRule(pl.Boolean, full=True)


def words(allowed: Iterable[str] = ()) -> ColumnRule:
    """Text, or one of these words."""
    return ColumnRule(pl.String, words=tuple(allowed))


def read_parquet(source: Path) -> pl.DataFrame:
    """The table in a parquet file."""
    return parse_parquet(read_bytes(source, MOST_BYTES), source)[0]


def parse_parquet(data: bytes, source: object) -> tuple[pl.DataFrame, dict[str, str]]:
    """A table of a bounded number of rows, and what the file says of itself; `source` is its name in messages."""
    try:
        _refuse_large(data, source)
        return pl.read_parquet(io.BytesIO(data)), pl.read_parquet_metadata(io.BytesIO(data))
    except NOT_A_TABLE as error:
        raise HaustraError(f"{source} is not a readable table: {first_line(error)}") from error


def _refuse_large(data: bytes, source: object) -> None:
    """By what the file says of itself: equal values are stored once, and a list in one cell is as long as it likes."""
    schema = pl.read_parquet_schema(io.BytesIO(data))
    lists = [name for name, kind in schema.items() if kind.is_nested()]
    if lists:
        raise HaustraError(f"{source}: the column {lists[0]} holds {schema[lists[0]]}: a cell has one value")
    count = int(pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item())
    if count > MOST_ROWS or count * len(schema) > MOST_CELLS:
        raise HaustraError(
            f"{source} says it has {count} rows of {len(schema)} columns: at most {MOST_ROWS} rows and {MOST_CELLS} "
            "cells are read"
        )


def checked(
    table: pl.DataFrame, columns: Mapping[str, ColumnRule], source: object, needed: Collection[str] = ()
) -> pl.DataFrame:
    """The table with its known columns in their types; a HaustraError names what is wrong, and where.

    Not a number is an empty cell, here as in every table of ours.
    """
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise HaustraError(f"{source} has no column {', '.join(missing)}")
    known = {name: column for name, column in columns.items() if name in table.columns}
    for name, column in known.items():
        if not _can_be(table.schema[name], column.kind):
            wanted = (
                "numbers" if column.kind.is_numeric() else "true and false" if column.kind is pl.Boolean else "text"
            )
            raise HaustraError(f"{source}: the column {name} holds {table.schema[name]}, {wanted} are needed")
    typed = table.with_columns(pl.col(name).cast(column.kind) for name, column in known.items())
    typed = typed.with_columns(pl.col(name).fill_nan(None) for name in known if typed.schema[name].is_float())
    for name, column in known.items():
        _check(typed[name], column, f"{source}: the column {name}")
    return typed


def _can_be(found: pl.DataType, wanted: type[pl.DataType]) -> bool:
    """Whether a column can be what it is called; one without any value can be anything."""
    if found == pl.Null:
        return True
    if wanted.is_numeric():
        return found.is_numeric()
    return found == wanted or (wanted is pl.String and isinstance(found, pl.Categorical | pl.Enum))


def _check(values: pl.Series, column: ColumnRule, what: str) -> None:
    if column.full and values.null_count():
        raise HaustraError(f"{what} is empty in row {_first(values.is_null())}")
    if column.words:
        _refuse(values, ~values.is_in(list(column.words)), what, f"one of {', '.join(filter(None, column.words))}")
    if column.kind.is_numeric():
        outside = ~values.is_between(column.low, column.high)
        _refuse(values, outside, what, f"from {column.low:g} to {column.high:g}")
    if column.increasing:
        _refuse(values.slice(1), ~(values.diff().slice(1) > 0), what, "more than in the row before")


def _refuse(values: pl.Series, wrong: pl.Series, what: str, allowed: str) -> None:
    wrong = wrong.fill_null(False)
    if wrong.any():
        row = _first(wrong)
        raise HaustraError(f"{what} has {_shown(values[row])} in row {row}: allowed is {allowed}")


def _first(wrong: pl.Series) -> int:
    return int(wrong.arg_true()[0])


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)[:60]
