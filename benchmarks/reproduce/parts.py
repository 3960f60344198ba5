"""Shared by the parts: their folders and results; a finished part is not run again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.reproduce.data import Data
from benchmarks.reproduce.scale import COHORT_SEED, Scale
from haustra.core.files import read_json, write_json, write_text
from haustra.identity import made_by
from haustra.lab.evaluate.paper_agreement import agreement
from haustra.lab.evaluate.result_table import ResultTable, markdown, write_tables


@dataclass(frozen=True)
class Place:
    """A scale with its data, and the folders for intermediate files, tables and pictures."""

    scale: Scale
    data: Data
    work: Path
    tables: Path
    pictures: Path

    def picture(self, name: str, svg: str) -> str:
        """Write a drawing; returns its file name."""
        write_text(self.pictures / name, svg)
        return name


@dataclass(frozen=True)
class Outcome:
    """Tables, and pictures as file name and caption; `budget` is noted below every table."""

    tables: tuple[ResultTable, ...]
    pictures: tuple[tuple[str, str], ...]
    budget: str


Part = Callable[[Place], Outcome]


def run_part(name: str, part: Part, place: Place) -> dict[str, Any]:
    """What a part gave: its text for docs/results and its files; taken from the last run where nothing has changed."""
    record = place.work / f"{name}.json"
    belongs = {"scale": place.scale.as_dict(), "made_by": made_by()}
    kept = read_json(record) if record.is_file() else {}
    if kept.get("belongs") == belongs and all((place.pictures / file).is_file() for file in kept["pictures"]):
        return dict(kept)
    outcome = part(place)
    tables = [noted(table, outcome.budget) for table in outcome.tables]
    written = write_tables(place.tables, tables)
    drawn = [f"![{title}](../img/{place.pictures.name}/{file})\n\n*{title}*\n" for file, title in outcome.pictures]
    found = {
        "belongs": belongs,
        "text": "\n".join([*(markdown(table) for table in tables), *drawn]),
        "tables": sorted({path.stem for path in written}),
        "pictures": [file for file, _ in outcome.pictures],
    }
    write_json(record, found)
    return found


def noted(table: ResultTable, budget: str) -> ResultTable:
    """The table with notes on its agreement with the paper and on its budget."""
    made_with = f"{budget} The recordings are those of cohort seed {COHORT_SEED}."
    notes = [note for note in (*table.notes, agreement(table), made_with) if note]
    return replace(table, notes=tuple(notes))
