"""The paper's twelve tables by their LaTeX labels, and ours merged with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from haustra.core.errors import HaustraError
from haustra.core.files import read_json
from haustra.lab.evaluate.result_table import ResultTable, Row, Value

_SOURCE = Path(__file__).with_name("paper_tables.json")
# Our methods and ablations: rows of the paper's motion tables.
METHOD_ROWS = {
    "ours": "Proposed",
    "fixed-mask": "With fixed specular mask",
    "no-mask": "Without specular mask",
    "no-flow": "Without optical flow as input",
    "no-consistency": "Without consistency term",
    "sfmlearner": "SfMLearner",
    "geonet": "GeoNet",
    "sc-sfmlearner": "SC-SfMLearner",
    "liu2013": "Optical flow-based",
}


@dataclass(frozen=True)
class PaperTable:
    """One table as printed, and its number in the paper."""

    number: int
    table: ResultTable


@cache
def paper_tables() -> dict[str, PaperTable]:
    """All twelve by label, in the paper's order; digits as printed."""
    found = {}
    for entry in read_json(_SOURCE)["tables"]:
        rows = tuple(Row(name, tuple(_value(cell) for cell in cells), "paper") for name, cells in entry["rows"].items())
        groups = tuple((str(name), int(count)) for name, count in entry["groups"])
        table = ResultTable(entry["label"], entry["title"], tuple(entry["columns"]), rows, groups)
        found[table.label] = PaperTable(int(entry["number"]), table)
    return found


def _value(cell: list[str]) -> Value:
    mean = cell[0]
    return Value(float(mean), float(cell[1]) if len(cell) > 1 else None, len(mean.partition(".")[2]))


def paper_table(label: str) -> ResultTable:
    """The paper's table of this label."""
    if label not in paper_tables():
        raise HaustraError(f"the paper has no table '{label}': it has {', '.join(paper_tables())}")
    return paper_tables()[label].table


def beside_paper(ours: ResultTable) -> ResultTable:
    """Our rows in the paper's order, each followed by the paper's own; rows that only one of them has are kept.

    There must be as many columns as in the paper; their names may differ (our recordings are not the paper's).
    """
    paper = paper_table(ours.label)
    if len(paper.columns) != len(ours.columns):
        raise HaustraError(
            f"'{ours.label}' has {len(paper.columns)} columns in the paper, ours has {len(ours.columns)}"
        )
    own = {row.name: row for row in ours.rows}
    rows: list[Row] = []
    for row in paper.rows:
        rows += [own.pop(row.name), row] if row.name in own else [row]
    note = f"Rows of the paper: its {ours.label}, on its own recordings."
    return replace(ours, rows=(*rows, *own.values()), notes=(*ours.notes, note))
