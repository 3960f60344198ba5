"""Tables as people have them (csv, tsv, xlsx), read as text within bounds: a small file can unpack to a huge one."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import datetime, time, timedelta
from pathlib import Path, PurePath
from typing import Any

import polars as pl

from haustra.core.csv_dialect import MOST_BYTES, parse_csv
from haustra.core.errors import HaustraError, require
from haustra.core.files import read_bytes

SUFFIXES = (".csv", ".tsv", ".xlsx")
# Of an xlsx file, which is a zip archive of XML. An element of four bytes becomes an object of 300, and a format of
# cells takes 15 us to read. So many elements have 250,000 rows of two numbers, or 20,000 of fifteen words.
MOST_UNPACKED, MOST_ELEMENTS = 64 << 20, 1_250_000
_DTD = (b"<!DOCTYPE", "<!DOCTYPE".encode("utf-16-le"))  # entities grow beyond all bounds
_ENDS = (b"</", b"/>", b"<\0/", b"/\0>")  # of an element, in UTF-8 or UTF-16
MOST_ROWS, MOST_COLUMNS = 250_000, 200
Cells = tuple[list[str], list[tuple[Any, ...]]]
# Of a number format: a language, text in quotes, and single characters, none of which show a part of the time.
_LITERAL = re.compile(r'\[\$[^]]*]|"[^"]*"|\\.')


def parse_table(data: bytes, source: str) -> Cells:
    """Names of the columns and the rows, cells as they are; an ending of .xlsx is a workbook, all else is text."""
    if PurePath(source).suffix.lower() == ".xlsx":
        return _workbook(data, source)
    table = parse_csv(data, source)
    return table.columns, table.rows()


def read_words(source: Path, needed: str) -> pl.DataFrame:
    """A table that a user named, as text with lower-case column names; `needed` are columns to name in messages.

    Row n of it is line n + 2 of the file; empty cells are null.
    """
    data = read_bytes(source, MOST_BYTES)
    if not data.strip():
        raise HaustraError(f"{source} is empty: the columns {needed} are needed")
    columns, rows = parse_table(data, str(source))
    names = [name.strip().lower() for name in columns]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise HaustraError(f"{source} has the column {', '.join(twice)} twice")
    used = [k for k, name in enumerate(names) if name]
    words = [
        {names[k]: cell_text(row[k], f"{source}, line {number}, {names[k]}") or None for k in used}
        for number, row in enumerate(rows, 2)
    ]
    return pl.DataFrame(words, schema={names[k]: pl.String for k in used})


def _workbook(data: bytes, source: str) -> Cells:
    """The first sheet. Formulas are not computed: their last value counts."""
    openpyxl = require("openpyxl", "xlsx")
    try:
        refuse_large(data, source)
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        cells = book.worksheets[0].iter_rows(max_row=MOST_ROWS + 2, max_col=MOST_COLUMNS + 1)
        rows = [_trimmed(tuple(_as_shown(cell) for cell in row)) for row in cells]
    except HaustraError:
        raise
    except Exception as error:  # openpyxl lets through whatever zip and xml raise
        raise HaustraError(f"{source} is not a readable xlsx table: {str(error)[:200]}") from error
    if not rows:
        raise HaustraError(f"{source} is empty: the first row names the columns")
    wide = max(map(len, rows))
    if len(rows) > MOST_ROWS + 1 or wide > MOST_COLUMNS:
        raise HaustraError(f"{source} is too large: at most {MOST_ROWS} rows and {MOST_COLUMNS} columns are read")
    names, *padded = (row + (None,) * (wide - len(row)) for row in rows)
    return ["" if name is None else str(name) for name in names], padded


def refuse_large(data: bytes, source: object) -> None:
    """Refuse an xlsx file of which openpyxl would make more than this machine has: a small one can unpack to it."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        unpacked = sum(entry.file_size for entry in entries)
        if unpacked > MOST_UNPACKED:
            raise HaustraError(f"{source} unpacks to {unpacked} bytes: at most {MOST_UNPACKED} are read")
        elements = 0
        for entry in entries:
            content = archive.read(entry)
            if any(start in content for start in _DTD):
                raise HaustraError(f"{source} declares a document type in {entry.filename}: no table does")
            elements += sum(content.count(end) for end in _ENDS)
    if elements > MOST_ELEMENTS:
        raise HaustraError(f"{source} is too large: {elements} cells and formats, at most {MOST_ELEMENTS} are read")


def _as_shown(cell: Any) -> Any:
    """The value of a cell. Spreadsheets take 12:40 for hours and minutes, and go on showing 12:40: that is what counts,
    as in a text file."""
    value = cell.value
    if not isinstance(value, time | timedelta) or not _shows_hours_and_minutes_alone(cell.number_format or ""):
        return value
    since = timedelta(hours=value.hour, minutes=value.minute) if isinstance(value, time) else value
    minutes = round(since / timedelta(minutes=1))
    return f"{minutes // 60}:{minutes % 60:02d}"


def _shows_hours_and_minutes_alone(number_format: str) -> bool:
    shown = _LITERAL.sub("", number_format).lower()
    return "h" in shown and "m" in shown and not re.search("s|am/pm|a/p", shown)


def _trimmed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Without the empty cells at its end."""
    last = max((k for k, cell in enumerate(row) if cell is not None), default=-1)
    return row[: last + 1]


def cell_text(cell: Any, where: str) -> str:
    """A cell as a user would write it. A spreadsheet turns 12:40 into a time of day, which would be hours."""
    if isinstance(cell, datetime) or (isinstance(cell, time) and cell.hour):
        raise HaustraError(f"{where}: {cell} is a time of day: format the column as text, or write seconds or 0:MM:SS")
    if isinstance(cell, time):
        return str(cell.minute * 60 + cell.second + cell.microsecond / 1e6)
    if isinstance(cell, timedelta):
        return str(cell.total_seconds())
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).strip()
