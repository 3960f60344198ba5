"""Tables of findings: as users have them, and as a result folder keeps them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from haustra.anatomy.findings import FINDING_COLUMNS, GIVEN, PLACE_COLUMNS, Finding
from haustra.core.checked_tables import NOT_A_TABLE, ColumnRule, checked, numbers
from haustra.core.csv_dialect import MOST_BYTES, parse_csv, with_formulas, with_point
from haustra.core.errors import HaustraError
from haustra.core.files import read_bytes
from haustra.core.spreadsheets import read_words
from haustra.core.times import MOST_S, parse_time

# What the columns of a user's table may be called.
_TIME, _LABEL = ("time_s", "time"), ("label", "finding", "kind")
SCORE, SIZE_MM = (-1e9, 1e9), (0.0, 500.0)
STORED: dict[str, ColumnRule] = {
    "time_s": numbers(0, MOST_S, full=True),
    "label": ColumnRule(pl.String, full=True),
    "score": numbers(*SCORE),
    "size_mm": numbers(*SIZE_MM),
}
_OURS = ("time_s", "time", "label", "finding", "kind", "score", "size_mm", "note")


def read_findings(source: Path) -> tuple[Finding, ...]:
    """Findings from a csv, tsv or xlsx table: time_s (or time), label, and, if there, kind, score, size_mm, note."""
    table = read_words(source, "time_s and label")
    time, label = (next((name for name in names if name in table.columns), None) for names in (_TIME, _LABEL))
    if time is None or label is None:
        found = ", ".join(table.columns)
        raise HaustraError(
            f"{source} has the columns {found}: time_s (or time) and label are needed, score is optional"
        )
    rows = enumerate(table.iter_rows(named=True), 2)
    return tuple(_finding(row, time, label, f"{source}, line {number}") for number, row in rows if any(row.values()))


def _finding(row: Mapping[str, str | None], time: str, label: str, where: str) -> Finding:
    try:
        name = (row[label] or "").strip()
        if not name:
            raise HaustraError("the label is empty: write what was found")
        return Finding(
            time_s=parse_time(with_point(row[time] or "")),
            label=name,
            score=_number(row, "score", *SCORE),
            kind="" if label == "kind" else (row.get("kind") or "").strip(),
            size_mm=_number(row, "size_mm", *SIZE_MM),
            note=(row.get("note") or "").strip(),
            own=tuple((key, value or "") for key, value in row.items() if key not in _OURS),
        )
    except HaustraError as error:
        raise HaustraError(f"{where}: {error}") from error


def _number(row: Mapping[str, str | None], name: str, low: float, high: float) -> float | None:
    text = (row.get(name) or "").strip()
    if not text:
        return None
    try:
        value = float(with_point(text))
    except ValueError:
        value = math.nan
    if not low <= value <= high:  # NaN is not either
        raise HaustraError(f"the {name} '{text[:60]}' is not possible: write a number from {low:g} to {high:g}")
    return value


def stored_findings(source: Path) -> tuple[Finding, ...]:
    """What the user gave, out of the findings.csv of a result; their own columns keep the names that they have there.

    None of a result that has no such table.
    """
    if not source.is_file():
        return ()
    table = with_formulas(parse_csv(read_bytes(source, MOST_BYTES), str(source)))
    try:
        typed = table.cast({name: pl.Float64 for name in STORED if name in table.columns and name != "label"})
    except NOT_A_TABLE as error:
        raise HaustraError(f"{source} is not a table of findings: locate the recording again") from error
    found = checked(typed, STORED, source, FINDING_COLUMNS).filter(pl.col("by") == GIVEN)
    return tuple(_stored(row) for row in found.rows(named=True))


def _stored(row: Mapping[str, Any]) -> Finding:
    own = [name for name in row if name not in (*FINDING_COLUMNS, *PLACE_COLUMNS)]
    said: dict[str, Any] = {name: row[name] for name in ("time_s", "label", "score", "size_mm")}
    said |= {name: row[name] or "" for name in ("kind", "note")}
    return Finding(**said, own=tuple((name, str(row[name] or "")) for name in own))
