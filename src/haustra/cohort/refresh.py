"""Brings a cohort's tables and page up to date after one of its recordings was corrected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from haustra.cohort.job import RECORDINGS
from haustra.cohort.parts import write_part
from haustra.cohort.recording_row import curve_of, row_of
from haustra.cohort.status import State, read_status, write_status
from haustra.cohort.store import COHORT, LocalStore
from haustra.cohort.tables import merge
from haustra.core.sharing import sharing
from haustra.localization import open_result


def refresh_cohort_of(result: Path) -> bool:
    """Make the tables of the cohort that a result belongs to anew; False where it belongs to none."""
    folder = result.absolute()
    root = folder.parents[1] if len(folder.parents) > 1 else folder
    if folder.parent.name != RECORDINGS or not (root / COHORT).is_file():
        return False
    store = LocalStore(root)
    status = read_status(store, folder.name)
    if status is None or status.state is not State.FINISHED:
        return False
    opened = open_result(folder)
    row = dict(status.row) | row_of(opened.summary, opened.frames)
    with sharing(store.shared):
        write_part(store, folder.name, opened.frames)
        write_status(store, replace(status, frames=opened.frames.height, row=row, curve=curve_of(opened.frames)))
    merge(store.address)
    return True
