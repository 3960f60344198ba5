"""Csv tables as spreadsheets export them: comma, semicolon or tab; UTF-8 with or without a BOM, UTF-16, or Latin-1."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import polars as pl

from haustra.core.checked_tables import NOT_A_TABLE
from haustra.core.errors import HaustraError, first_line

MOST_BYTES = 64 << 20
MOST_COLUMNS = 2000  # of a kilobyte or more each, even where they are empty
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = r"^[=+\-@\t\r]"
# A line for Excel alone, which says what the separator is.
_FOR_EXCEL = re.compile(r"sep=.\r?\n", re.IGNORECASE)


def parse_csv(data: bytes, source: str) -> pl.DataFrame:
    """A table as text; the separator is the one that the header has most of. `source` is its name in messages.

    Columns without a name, and cells behind the last column, may be there as long as they are empty.
    """
    text = _decoded(data)
    if "\n" not in text:  # as old programs for the Mac end their lines
        text = text.replace("\r", "\n")
    text = text[said.end() :] if (said := _FOR_EXCEL.match(text)) else text
    header = text.partition("\n")[0]
    separator = max(",;\t", key=header.count)
    if header.count(separator) >= MOST_COLUMNS:
        raise HaustraError(f"{source} has {header.count(separator) + 1} columns: at most {MOST_COLUMNS} are read")
    read = partial(pl.read_csv, text.encode(), separator=separator, infer_schema=False)
    try:
        table = read()
    except NOT_A_TABLE:
        _refuse_long_rows(text, separator, source)
        try:
            table = read(truncate_ragged_lines=True)
        except NOT_A_TABLE as error:
            raise HaustraError(f"{source} is not a readable csv table: {first_line(error)}") from error
    return _with_own_names(table, next(_rows(text, separator), []), source)


def _with_own_names(table: pl.DataFrame, header: list[str], source: str) -> pl.DataFrame:
    """Polars gives a second column of the same name, or without one, another name: nobody would look for it there."""
    names = [name.strip().lower() for name in header]
    # Polars and csv do not take every end of a line alike.
    twice = _twice(names) or _twice([name.strip().lower() for name in table.columns])
    if twice is not None:
        raise HaustraError(f"{source} has the column {twice} twice")
    nameless = [column for column, name in zip(table.columns, names, strict=False) if not name]
    return table.drop(column for column in nameless if not table[column].fill_null("").str.contains(r"\S").any())


def _twice(names: list[str]) -> str | None:
    """The first name that was there before."""
    return next((name for number, name in enumerate(names) if name and name in names[:number]), None)


def _refuse_long_rows(text: str, separator: str, source: str) -> None:
    """Name the row that has more in it than the header: mostly a text with a separator in it."""
    rows = _rows(text, separator)
    columns = len(next(rows, []))
    for number, row in enumerate(rows, 2):
        if any(cell.strip() for cell in row[columns:]):
            raise HaustraError(
                f"{source}, line {number}: {len(row)} cells, but the header names {columns} columns: put a text "
                "with a separator in it in quotes"
            )


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    """Up to what cannot be read."""
    with suppress(csv.Error):
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)


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
