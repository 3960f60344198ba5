"""Result tables in the paper's layout: mean (std) in named columns, written as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from haustra.core.files import write_text
from haustra.lab.evaluate.text_table import text_table

_LATEX = str.maketrans(
    {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "$": r"\$", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
     "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A figure with, where it is a mean, its standard deviation; shown with `digits` decimals."""

    mean: float
    std: float | None = None
    digits: int = 3

    @classmethod
    def of(cls, values: ArrayLike, digits: int = 3) -> Value | None:
        """Mean and standard deviation of the finite values; None where there is none."""
        known = np.asarray(values, dtype=np.float64).ravel()
        known = known[np.isfinite(known)]
        return cls(float(known.mean()), float(known.std()), digits) if len(known) else None

    def __str__(self) -> str:
        mean = f"{self.mean:.{self.digits}f}"
        return mean if self.std is None else f"{mean} ({self.std:.{self.digits}f})"


@dataclass(frozen=True)
class Row:
    """`source`: "ours" or "paper"."""

    name: str
    cells: tuple[Value | None, ...]
    source: str = "ours"


@dataclass(frozen=True)
class ResultTable:
    """`groups`: headings that span columns, as (name, number of columns); may be empty."""

    label: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    groups: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()

    def headings(self) -> list[str]:
        """One heading per column, prefixed by that of its group."""
        over = [name for name, count in self.groups for _ in range(count)] or [""] * len(self.columns)
        return [f"{group} {column}".strip() for group, column in zip(over, self.columns, strict=True)]

    def __str__(self) -> str:
        return markdown(self)


def of_rows(
    label: str, title: str, columns: Sequence[str], rows: Mapping[str, Sequence[Value | None]], **more: object
) -> ResultTable:
    """A table of our own figures."""
    body = tuple(Row(name, tuple(cells)) for name, cells in rows.items())
    return replace(ResultTable(label, title, tuple(columns), body), **more)  # type: ignore[arg-type]


def markdown(table: ResultTable) -> str:
    """Title, table and notes."""
    mixed = len({row.source for row in table.rows}) > 1
    header = ["", *(["of"] if mixed else []), *table.headings()]
    body = [[row.name, *([row.source] if mixed else []), *map(_cell, row.cells)] for row in table.rows]
    notes = "".join(f"\n\n{note}" for note in table.notes)
    return f"**{table.title}** (`{table.label}`)\n\n{text_table(header, body)}{notes}\n"


def csv_text(table: ResultTable) -> str:
    """One line per row; mean and standard deviation in separate columns, with all digits."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(["row", "source", *(f"{name}{end}" for name in table.headings() for end in ("", " std"))])
    for row in table.rows:
        numbers = [part for cell in row.cells for part in ((None, None) if cell is None else (cell.mean, cell.std))]
        writer.writerow([row.name, row.source, *("" if n is None else repr(float(n)) for n in numbers)])
    return target.getvalue()


def latex(table: ResultTable) -> str:
    """A `tabular` with booktabs rules; rows of the paper are in italics."""
    lines = [rf"\begin{{tabular}}{{@{{}}l{'c' * len(table.columns)}@{{}}}}", r"\toprule"]
    if table.groups:
        over = " & ".join(rf"\multicolumn{{{count}}}{{c}}{{{_tex(name)}}}" for name, count in table.groups)
        lines.append(rf" & {over} \\")
    lines.append(f" & {' & '.join(map(_tex, table.columns))} \\\\ \\midrule")
    for row in table.rows:
        cells = [f"{_tex(row.name)} (paper)" if row.source == "paper" else _tex(row.name), *map(_cell, row.cells)]
        shown = [rf"\textit{{{cell}}}" for cell in cells] if row.source == "paper" else cells
        lines.append(" & ".join(shown) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", ""]
    return "\n".join(lines)


def write_tables(folder: Path, tables: Sequence[ResultTable]) -> list[Path]:
    """Each table as csv, Markdown and LaTeX, named by its label."""
    written = []
    for table in tables:
        stem = table.label.replace("tab:", "").replace(":", "-")
        for suffix, text in ((".csv", csv_text(table)), (".md", markdown(table)), (".tex", latex(table))):
            written.append(folder / f"{stem}{suffix}")
            write_text(written[-1], text)
    return written


def _cell(cell: Value | None) -> str:
    return "-" if cell is None else str(cell)


def _tex(text: str) -> str:
    return text.translate(_LATEX)
