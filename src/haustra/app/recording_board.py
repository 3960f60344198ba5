"""The board: every recording with where it stands, how far it is, how certain its result is and who has reviewed it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from haustra.anatomy.frame_places import has_segments
from haustra.app.job_progress import JobMeter
from haustra.app.library import LibraryEntry, Stage
from haustra.app.recording_view import RecordingViews
from haustra.app.runner import Runner
from haustra.app.workspace import Workspace
from haustra.cohort.status import State, Status
from haustra.core.errors import HaustraError
from haustra.core.times import parse_time
from haustra.results.folder import WORK
from haustra.results.table import FRAMES, HAS_SEGMENT, PROBABILITY_COLUMNS, read_frames
from haustra.results.versions import FOLDER as VERSIONS
from haustra.results.versions import history

T = TypeVar("T")
_WITHOUT_FILES = "its files are not known here: haustra app RECORDINGS --out with this cohort's folder"


class RecordingBoard:
    """Rows for the page; what was read from a file is kept until the file changes."""

    def __init__(self, workspace: Workspace, runner: Runner, views: RecordingViews) -> None:
        self.workspace, self.runner, self.views = workspace, runner, views
        self._known: dict[tuple[str, str], tuple[int, Any]] = {}
        self._meters: dict[str, JobMeter] = {}
        self._lock = threading.Lock()

    def rows(self) -> list[dict[str, Any]]:
        with self._lock:
            return [self._row(recording) for recording in self.workspace.ids()]

    def _row(self, recording: str) -> dict[str, Any]:
        source = self.workspace.library.get(recording)
        try:
            return self._known_row(recording, source)
        except HaustraError as error:  # one that is damaged must not hide the others
            return {"id": recording, "state": "failed", "note": str(error), "files": 0, "options": {}}

    def _known_row(self, recording: str, source: LibraryEntry | None) -> dict[str, Any]:
        status = self._cached("status", recording, self.workspace.status_file(recording), self.workspace.status)
        state, note = self._state(recording, source, status)
        row: dict[str, Any] = {
            "id": recording,
            "state": state,
            "note": note,
            "files": 0 if source is None else len(source.files),
            "options": {} if source is None else {k: str(v) for k, v in source.options.items() if k != "overlay"},
        }
        if state == "running":
            row["progress"] = self._progress(recording, source)
        else:
            self._meters.pop(recording, None)
        if state == "finished" and status is not None:
            row |= self._result(recording, status)
        return row

    def _state(self, recording: str, source: LibraryEntry | None, status: Status | None) -> tuple[str, str]:
        """What the row says, and one line of why."""
        if recording in self.runner.running:
            return "running", ""
        if recording in self.runner.faults:
            return "failed", self.runner.faults[recording]
        if source is not None and source.stage in (Stage.UPLOADING, Stage.QUEUED, Stage.PAUSED):
            elsewhere = source.stage is Stage.QUEUED and self.workspace.in_use(recording)
            return ("running", "by another process") if elsewhere else (source.stage.value, "")
        if status is not None and status.state is State.FINISHED:
            return "finished", ""
        if source is not None and source.stage is Stage.NEW:  # or was cancelled
            return "new", ""
        if status is not None and status.state is State.FAILED:
            return "failed", status.line
        if status is not None and (self.workspace.folder(recording) / WORK).is_dir():
            if self.workspace.in_use(recording):
                return "running", "by another process"
            if source is not None:
                return "paused", ""
        return ("new", "") if source is not None else ("unfinished", _WITHOUT_FILES)

    def _result(self, recording: str, status: Status) -> dict[str, Any]:
        folder = self.workspace.folder(recording)
        row = status.row
        versions = self._cached("versions", recording, folder / VERSIONS, lambda _: history(folder))
        certain = self._cached("certain", recording, folder / FRAMES[0], lambda _: certainty(folder / FRAMES[0]))
        reviewers = {one.by for one in versions if one.annotations.reviewed}
        return {
            "result": self.workspace.has_result(recording),
            "withdrawal_s": row.get("withdrawal_time_s"),
            "extent": row.get("extent"),
            "warnings": row.get("warnings") or "",
            "curve": list(status.curve),
            "certain": certain,
            "versions": len(versions),
            "readers": sorted({one.by for one in versions}),
            "reviewed_by": sorted(reviewers),
        }

    def _progress(self, recording: str, source: LibraryEntry | None) -> dict[str, float | None]:
        if recording not in self._meters:
            self._meters[recording] = JobMeter(self.workspace.folder(recording), self._length_s(source))
        return self._meters[recording].read().as_dict()

    def _length_s(self, source: LibraryEntry | None) -> float | None:
        """How much of the recording will be read."""
        if source is None:
            return None
        try:
            whole = self.views.of(source).recording.duration_s
        except HaustraError:
            return None
        start, end = source.options.get("withdrawal_start"), source.options.get("withdrawal_end")
        last = min(whole or parse_time(str(end)), parse_time(str(end))) if end else whole
        return None if last is None else last - (parse_time(str(start)) if start else 0.0)

    def _cached(self, what: str, recording: str, file: Path, make: Callable[[str], T]) -> T:
        mark = file.stat().st_mtime_ns if file.exists() else 0
        known = self._known.get((what, recording))
        if known is None or known[0] != mark:
            known = (mark, make(recording))
            self._known[what, recording] = known
        value: T = known[1]
        return value


def certainty(frames: Path) -> float | None:
    """The share of the withdrawal that is expected to be named rightly; None where no segment is named."""
    table = read_frames(frames, ["segment", *PROBABILITY_COLUMNS])
    if not has_segments(table):
        return None
    named = table.filter(HAS_SEGMENT)
    mean: float | None = named.select(pl.max_horizontal(PROBABILITY_COLUMNS).mean()).item()
    return mean
