"""The recordings of the app as a table for `haustra cohort`: set up here, located there, for example on a cluster."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from haustra.app.library import LibraryEntry
from haustra.cohort.entries import BESIDE
from haustra.options import RECORDING_OPTIONS


def cohort_table(recordings: Sequence[LibraryEntry]) -> bytes:
    """A row for each, with the columns that any of them needs."""
    rows = [_row(recording) for recording in recordings]
    columns = ["id", "video", *(name for name in (*RECORDING_OPTIONS, *BESIDE) if any(name in row for row in rows))]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _row(recording: LibraryEntry) -> dict[str, str]:
    options = {name: _cell(value) for name, value in recording.options.items()}
    return {"id": recording.id, "video": ";".join(recording.files), **options, **recording.beside}


def _cell(value: Any) -> str:
    """As a person would write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
