"""A table of recordings (csv or xlsx): a row a recording, a column an option."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from haustra.cohort.store import EXTRA, file_system, is_remote, unreadable
from haustra.errors import HaustraError, require

TABLES = (".csv", ".tsv", ".xlsx")
# These columns hold addresses, relative to the table; camera, template, motion and quality may also be names.
_FILES = ("video", "annotations", "findings", "scopeguide")
_NAMES_OR_FILES = ("camera", "template", "motion", "quality")

log = logging.getLogger("haustra")


def read_manifest(source: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """Rows by column name without empty cells; addresses are absolute. Other columns are not read."""
    names, rows = _cells(source)
    keys = [_key(name) for name in names]
    if "video" not in keys:
        raise HaustraError(f"{source} has the columns {', '.join(names)}: needed is 'video', possible {_list(columns)}")
    twice = {key for key in keys if key in columns and keys.count(key) > 1}
    if twice:
        raise HaustraError(f"{source} has the column {', '.join(sorted(twice))} twice: leave one")
    ignored = [name for name, key in zip(names, keys, strict=True) if key not in columns]
    if ignored:
        log.warning("%s: not used: %s (possible columns: %s)", source, ", ".join(ignored), _list(columns))
    return [_row(source, number, keys, cells, columns) for number, cells in enumerate(rows, 2) if any(cells)]


def _row(source: str, number: int, keys: Sequence[str], cells: Sequence[Any], columns: Sequence[str]) -> dict[str, str]:
    row = {}
    for key, cell in zip(keys, cells, strict=True):
        text = _text(cell, f"{source}, line {number}, {key}") if key in columns else ""
        if text:
            row[key] = _address(source, key, text)
    return row


def _cells(source: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    data = _bytes(source)
    if source.lower().endswith(".xlsx"):
        return _xlsx(source, data)
    try:
        separator = "\t" if source.lower().endswith(".tsv") else _separator(data)
        table = pl.read_csv(data, separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise HaustraError(f"{source} is not a readable csv table: {str(error).splitlines()[0]}") from error
    return table.columns, table.rows()


def _separator(data: bytes) -> str:
    """Spreadsheets of many countries write semicolons."""
    head = data.split(b"\n", 1)[0]
    return ";" if head.count(b";") > head.count(b",") else ","


def _xlsx(source: str, data: bytes) -> tuple[list[str], list[tuple[Any, ...]]]:
    openpyxl = require("openpyxl", EXTRA)
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        rows = list(book.worksheets[0].iter_rows(values_only=True))
    except Exception as error:  # openpyxl lets through whatever zip and xml raise
        raise HaustraError(f"{source} is not a readable xlsx table: {error}") from error
    if not rows:
        raise HaustraError(f"{source} is empty: the first row names the columns")
    return ["" if name is None else str(name) for name in rows[0]], rows[1:]


def _text(cell: Any, where: str) -> str:
    """A cell as a user would write it; 12:40 typed into a spreadsheet is a clock time, which no recording has."""
    if isinstance(cell, datetime) or (isinstance(cell, time) and cell.hour):
        raise HaustraError(f"{where}: {cell} is a time of day: format the column as text, or write seconds or 0:MM:SS")
    if isinstance(cell, time):
        return str(cell.minute * 60 + cell.second + cell.microsecond / 1e6)
    if isinstance(cell, timedelta):
        return str(cell.total_seconds())
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).strip()


def _address(source: str, key: str, text: str) -> str:
    if is_remote(text) or Path(text).is_absolute() or key not in (*_FILES, *_NAMES_OR_FILES):
        return text
    folder = source.replace("\\", "/").rpartition("/")[0]
    beside = f"{folder}/{text}" if is_remote(source) else str(Path(source).absolute().parent / text)
    if key in _FILES or is_remote(source):
        return beside if key in _FILES or "." in text else text
    return beside if Path(beside).exists() else text


def _bytes(source: str) -> bytes:
    try:
        if is_remote(source):
            fs, path = file_system(source)
            return bytes(fs.cat_file(path))
        return Path(source).read_bytes()
    except HaustraError:
        raise
    except Exception as error:
        raise unreadable(source, error) from error


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _list(columns: Sequence[str]) -> str:
    return ", ".join(columns)
