"""A table of recordings (csv, tsv or xlsx): a row per recording, a column per option."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from haustra.cohort.store import read_address
from haustra.core.errors import HaustraError
from haustra.core.spreadsheets import cell_text, parse_table

log = logging.getLogger("haustra")


def read_manifest(source: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows as texts by column name, empty cells left out. Columns that are not asked for are not read."""
    names, rows = parse_table(read_address(source), source)
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
        text = cell_text(cell, f"{source}, line {number}, {key}") if key in columns else ""
        if text:
            row[key] = text
    return row


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _list(columns: Sequence[str]) -> str:
    return ", ".join(columns)
