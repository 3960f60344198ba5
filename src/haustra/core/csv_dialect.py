"""Csv tables as spreadsheets export them: comma, semicolon or tab; UTF-8 with or without a BOM, UTF-16, or Latin-1."""

from __future__ import annotations

import codecs
import csv

import polars as pl

from haustra.core.checked_tables import NOT_A_TABLE
from haustra.core.errors import HaustraError, first_line

MOST_BYTES = 64 << 20
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = r"^[=+\-@\t\r]"


def parse_csv(data: bytes, source: str) -> pl.DataFrame:
    """A table as text; the separator is the one that the header has most of. `source` is its name in messages."""
    text = _decoded(data)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        return pl.read_csv(text.encode(), separator=separator, infer_schema=False)
    except NOT_A_TABLE as error:
        _refuse_long_rows(text, separator, source)
        raise HaustraError(f"{source} is not a readable csv table: {first_line(error)}") from error


def _refuse_long_rows(text: str, separator: str, source: str) -> None:
    """Name the row that has more cells than the header: mostly a text with a separator in it."""
    try:
        rows = list(csv.reader(text.splitlines(keepends=True), delimiter=separator))
    except csv.Error:
        return
    for number, row in enumerate(rows, 1):
        if len(row) > len(rows[0]):
            raise HaustraError(
                f"{source}, line {number}: {len(row)} cells, but the header names {len(rows[0])} columns: put a text "
                "with a separator in it in quotes"
            )


def with_point(number: str) -> str:
    """A decimal comma made a point, where it can be nothing else."""
    return number.replace(",", ".") if number.count(",") == 1 and "." not in number else number


def without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front, which it shows as text."""
    words = pl.selectors.string()
    return table.with_columns(
        pl.when(words.str.contains(_FORMULA)).then(pl.lit("'") + words).otherwise(words).name.keep()
    )


def with_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """The text of a table that `without_formulas` made safe, as it was."""
    words = pl.selectors.string()
    return table.with_columns(
        pl.when(words.str.contains(_FORMULA.replace("^", "^'"))).then(words.str.slice(1)).otherwise(words).name.keep()
    )


def _decoded(data: bytes) -> str:
    """Latin-1 decodes anything, so it comes last. UTF-16 is what Excel calls Unicode text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
