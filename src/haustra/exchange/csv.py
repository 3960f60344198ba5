"""A table of segments and events, one row each, for spreadsheets and statistics programs."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import polars as pl

from haustra.core.csv_dialect import parse_csv, with_formulas, with_point, without_formulas
from haustra.core.errors import HaustraError
from haustra.core.times import parse_time
from haustra.exchange.content import (
    BIOPSY,
    CECUM,
    COMMENT,
    FINDING,
    GIVEN_FINDING,
    RETROFLEXION,
    Content,
    Event,
    SegmentInterval,
)
from haustra.exchange.formats import Asked, Format
from haustra.exchange.readback import ReadBack
from haustra.results.annotations import Comment, NotedFinding

SEGMENT = "segment"
# Kinds of rows that are there to be looked at; an empty row has none.
NOT_READ = (GIVEN_FINDING, BIOPSY, CECUM, RETROFLEXION, "")
COLUMNS: dict[str, type[pl.DataType]] = {
    "kind": pl.String,
    "label": pl.String,
    "start_s": pl.Float64,
    "end_s": pl.Float64,
    "segment": pl.String,
    "location_index": pl.Float64,
    "probability": pl.Float64,
    "kept_share": pl.Float64,
    "re_entered": pl.Boolean,
    "entered_by": pl.String,
    "size_mm": pl.Float64,
    "note": pl.String,
}


def write(content: Content, _: Asked) -> bytes:
    """A row for each segment interval and each event, in the order of time."""
    rows = [_interval(one) for one in content.intervals] + [_event(one) for one in content.events]
    table = pl.DataFrame(rows, schema=COLUMNS).sort("start_s", maintain_order=True)
    buffer = io.BytesIO()
    without_formulas(table).write_csv(buffer, float_precision=6)
    return buffer.getvalue()


def _interval(one: SegmentInterval) -> dict[str, Any]:
    shared = {"start_s": one.start_s, "end_s": one.end_s, "probability": one.probability, "kept_share": one.kept_share}
    named = {"re_entered": one.re_entered, "entered_by": one.entered_by}
    return {"kind": SEGMENT, "label": one.segment, "segment": one.segment, **shared, **named}


def _event(one: Event) -> dict[str, Any]:
    row = {"kind": one.kind, "label": one.text, "start_s": one.start_s, "end_s": one.end_s}
    if one.finding is not None:
        row |= {"label": one.finding.label, "size_mm": one.finding.size_mm, "note": one.finding.note or None}
    return row | {"segment": one.segment or None, "location_index": one.location_index}


def read(data: bytes, source: str) -> ReadBack:
    """This table, or segments.csv, as a spreadsheet saved it. Of a segment's row, name and times count."""
    table = with_formulas(parse_csv(data, source))
    table.columns = [name.strip().lower() for name in table.columns]
    events = {"kind", "label", "start_s", "end_s"}
    needed = events if "kind" in table.columns else {SEGMENT, "start_s", "end_s"}
    missing = sorted(needed - set(table.columns))
    if missing:
        raise HaustraError(f"{source} has no column {', '.join(missing)}: export the result to csv, and change that")
    intervals, findings, comments = [], [], []
    for number, row in enumerate(table.iter_rows(named=True), 2):
        where = f"{source}, line {number}"
        kind = (row["kind"] or "").strip().lower() if "kind" in row else SEGMENT
        if kind == SEGMENT:
            name = _word(row, "label" if "kind" in row else SEGMENT).lower()
            intervals.append((name, _seconds(row, "start_s", where), _seconds(row, "end_s", where)))
        elif kind == FINDING:
            findings.append(_finding(row, where))
        elif kind == COMMENT:
            comments.append(Comment(_word(row, "label"), _seconds(row, "start_s", where)))
        elif kind not in NOT_READ:
            raise HaustraError(f"{where}: the kind '{kind}' is not read: choose of {SEGMENT}, {FINDING}, {COMMENT}")
    noted = "kind" in table.columns
    return ReadBack(tuple(intervals), tuple(findings) if noted else None, tuple(comments) if noted else None)


def _finding(row: Mapping[str, Any], where: str) -> NotedFinding:
    kind, size = _word(row, "label"), with_point(_word(row, "size_mm"))
    if not kind:
        raise HaustraError(f"{where}: the label is empty: write what was found")
    try:
        size_mm = float(size) if size else None
    except ValueError as error:
        raise HaustraError(f"{where}: the size '{size}' is not a number of millimetres") from error
    return NotedFinding(kind, _seconds(row, "start_s", where), size_mm, _word(row, "note"))


def _seconds(row: Mapping[str, Any], name: str, where: str) -> float:
    try:
        return parse_time(with_point(_word(row, name)))
    except HaustraError as error:
        raise HaustraError(f"{where}, {name}: {error}") from error


def _word(row: Mapping[str, Any], name: str) -> str:
    return str(row.get(name) or "").strip()


FORMAT = Format(".csv", "text/csv", write, read)
