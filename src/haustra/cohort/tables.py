"""The tables and the page of a cohort, from the status of each recording: the same bytes whoever did the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from haustra.cohort.beside import Score, write_cohort_template
from haustra.cohort.index_page import PageRow, index_page
from haustra.cohort.parts import keep_parts
from haustra.cohort.recording_row import ROW
from haustra.cohort.status import State, Status, read_cohort, read_statuses
from haustra.cohort.store import Store, store_at
from haustra.core.csv_dialect import without_formulas
from haustra.core.sharing import sharing

RECORDINGS_TABLE, PAGE = "recordings.csv", "index.html"
UNFINISHED = "unfinished"


@dataclass(frozen=True)
class Merged:
    """Counts of what the tables hold, and the lines of what failed."""

    recordings: int
    finished: int
    failed: int
    unfinished: int
    failures: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        counts = {"recordings": self.recordings, "finished": self.finished, "failed": self.failed}
        failures = [{"recording": recording, "error": line} for recording, line in self.failures]
        return {**counts, "unfinished": self.unfinished, "failures": failures, "notes": list(self.notes)}


def merge(out: str, score: Score | None = None) -> Merged:
    """Write recordings.csv, index.html and, from the annotated recordings, a template; tidy cohort.parquet."""
    store = store_at(out)
    with sharing(store.shared):
        return _merge(store, score)


def _merge(store: Store, score: Score | None) -> Merged:
    recordings = read_cohort(store)
    known = read_statuses(store, recordings)
    finished = {name for name, status in known.items() if status.state is State.FINISHED}
    finished = keep_parts(store, finished)
    state = {name: _state(name, known, finished) for name in recordings}
    rows = [_row(name, state[name], known.get(name)) for name in recordings]
    table = pl.DataFrame(rows, schema=ROW)
    store.write(RECORDINGS_TABLE, without_formulas(table).write_csv(float_precision=6).encode())
    note = write_cohort_template(store, [known[name] for name in recordings if name in finished], score)
    curves = {name: known[name].curve for name in finished}
    page = index_page([PageRow(row, curves.get(str(row["recording"]), ())) for row in table.iter_rows(named=True)])
    store.write(PAGE, page.encode())
    return _merged(rows, [note] if note else [])


def _state(name: str, known: Mapping[str, Status], finished: set[str]) -> str:
    if name in finished:
        return State.FINISHED.value
    failed = name in known and known[name].state is State.FAILED
    return State.FAILED.value if failed else UNFINISHED


def _row(name: str, state: str, status: Status | None) -> dict[str, Any]:
    given: dict[str, Any] = {"recording": name, "state": state}
    if status is not None and state == State.FINISHED:
        given |= status.row
    if status is not None and state == State.FAILED:
        given["error"] = status.line
    return {column: given.get(column) for column in ROW}


def _merged(rows: Sequence[Mapping[str, Any]], notes: Sequence[str]) -> Merged:
    states = Counter(str(row["state"]) for row in rows)
    return Merged(
        recordings=len(rows),
        finished=states[State.FINISHED.value],
        failed=states[State.FAILED.value],
        unfinished=states[UNFINISHED],
        failures=tuple((str(row["recording"]), str(row["error"])) for row in rows if row["state"] == State.FAILED),
        notes=tuple(notes),
    )
