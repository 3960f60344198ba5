"""A table of recordings (csv, tsv or xlsx): a row per recording, a column per option."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any

from haustra.cohort.store import EXTRA, read_address
from haustra.core.csv_dialect import parse_csv
from haustra.core.errors import HaustraError, require

TABLES = (".csv", ".tsv", ".xlsx")

log = logging.getLogger("haustra")


def read_manifest(source: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows as texts by column name, empty cells left out. Columns that are not asked for are not read."""
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
            row[key] = text
    return row


def _cells(source: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    data = read_address(source)
    if source.lower().endswith(".xlsx"):
        return _xlsx(source, data)
    table = parse_csv(data, source)
    return table.columns, table.rows()


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


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _list(columns: Sequence[str]) -> str:
    return ", ".join(columns)
