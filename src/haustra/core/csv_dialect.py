"""Csv tables as spreadsheets export them: comma, semicolon or tab; UTF-8 with or without a BOM, or Latin-1."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from haustra.core.errors import HaustraError
from haustra.core.files import regular_file

MOST_BYTES = 64 << 20
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = r"^[=+\-@\t\r]"


def parse_csv(data: bytes, source: str) -> pl.DataFrame:
    """A table as text; the separator is the one that the header has most of. `source` is its name in messages."""
    text = _decoded(data)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        return pl.read_csv(text.encode(), separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise HaustraError(f"{source} is not a readable csv table: {str(error).splitlines()[0]}") from error


def read_words(source: Path, needed: str) -> pl.DataFrame:
    """A table that a user named, as text with lower-case column names; `needed` are columns to name in messages."""
    regular_file(source, MOST_BYTES)
    try:
        data = source.read_bytes()
    except OSError as error:
        raise HaustraError(f"{source} cannot be read: {error.strerror or error}") from error
    if not data.strip():
        raise HaustraError(f"{source} is empty: the columns {needed} are needed")
    table = parse_csv(data, str(source))
    names = [name.strip().lower() for name in table.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise HaustraError(f"{source} has the column {', '.join(twice)} twice")
    table.columns = names
    return table


def with_point(number: str) -> str:
    """A decimal comma made a point, where it can be nothing else."""
    return number.replace(",", ".") if number.count(",") == 1 and "." not in number else number


def without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front, which it shows as text."""
    words = pl.selectors.string()
    return table.with_columns(
        pl.when(words.str.contains(_FORMULA)).then(pl.lit("'") + words).otherwise(words).name.keep()
    )


def _decoded(data: bytes) -> str:
    """Latin-1 decodes anything, so it comes last."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
