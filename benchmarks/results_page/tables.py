"""Cells of the Markdown tables that commands printed, as they were printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.results_page.record import RESULTS
from benchmarks.results_page.stamp import Stamp, stamped
from haustra.core.errors import HaustraError

Table = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Cell:
    """Where a figure stands: section, row (first cell), column, and the table where a section has several."""

    section: str
    row: str
    column: str
    table: int = 0

    def text(self, results: Path = RESULTS) -> str:
        try:
            return tables(recorded(self.section, results)[1])[self.table][self.row][self.column]
        except (IndexError, KeyError) as error:
            raise HaustraError(
                f"{self.section}.md has no row '{self.row}' with a column '{self.column}' in table {self.table}"
            ) from error


def recorded(name: str, results: Path = RESULTS) -> tuple[Stamp, str]:
    """The stamp and the text of what was kept of a section."""
    return stamped((results / f"{name}.md").read_text(encoding="utf-8"))


def tables(text: str) -> list[Table]:
    """Every table by its rows' first cell, or the first two where the first repeats; columns by their heading."""
    found: list[Table] = []
    lines = text.splitlines()
    for k, line in enumerate(lines):
        if line.startswith("|-") and k > 0:
            header, body = _cells(lines[k - 1]), []
            for row in lines[k + 1 :]:
                if not row.startswith("|"):
                    break
                body.append(_cells(row))
            repeats = len({cells[0] for cells in body}) < len(body)
            found.append({_key(cells, repeats): dict(zip(header, cells, strict=True)) for cells in body})
    return found


def _key(cells: list[str], repeats: bool) -> str:
    return f"{cells[0]} / {cells[1]}" if repeats else cells[0]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
