"""Everything behind the routes, made once for a start of the app."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from haustra.app.library import LibraryEntry, Stage
from haustra.app.reader_comparison import ReaderComparison
from haustra.app.recording_board import RecordingBoard
from haustra.app.recording_view import RecordingViews
from haustra.app.review import Reviews
from haustra.app.runner import Runner
from haustra.app.uploads import Uploads
from haustra.app.workspace import OPTIONS, Workspace
from haustra.cohort.job import masked
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS
from haustra.exchange.export import Exported, make_export
from haustra.exchange.formats import FORMATS, Asked
from haustra.options import LocateOptions

NEEDS_SOURCE = "dicom-sr"


class Services:
    """Workspace, queue, opened recordings, uploads and reviews, and what pages need of them."""

    def __init__(self, workspace: Workspace, *, workers: int, most_bytes: int) -> None:
        self.workspace = workspace
        self.views = RecordingViews()
        self.runner = Runner(workspace, workers)
        self.board = RecordingBoard(workspace, self.runner, self.views)
        self.uploads = Uploads(workspace, most_bytes)
        self.reviews = Reviews(workspace)
        self.readers = ReaderComparison(self.reviews)
        self.closing = threading.Event()

    def board_data(self) -> dict[str, Any]:
        takes = self.workspace.takes_recordings
        return {"rows": self.board.rows(), "folder": str(self.workspace.out), "takes_recordings": takes}

    def setup_data(self, source: LibraryEntry) -> dict[str, Any]:
        status = self.workspace.status(source.id)
        return {
            "id": source.id,
            "parts": len(source.files),
            "named": status is not None,
            "options": {name: str(source.options.get(name) or "") for name in OPTIONS},
            "usual_lens": LocateOptions.camera,
            "segments": SEGMENTS,
            "found_start_s": None if status is None else status.row.get("withdrawal_start_s"),
        }

    def looked(self, source: LibraryEntry) -> dict[str, Any]:
        """What can be seen of a recording; it is called by its id, wherever it lies."""
        try:
            return self.views.of(source).facts
        except HaustraError as error:
            raise HaustraError(masked(str(error), self.workspace.entry(source), self.workspace.out)) from error

    def review_data(self, recording: str, *, blind: bool) -> dict[str, Any]:
        if not self.workspace.has_result(recording):
            raise HaustraError(f"{recording} has no result to review yet: locate it first")
        page = self.reviews.page(recording, blind=blind)
        formats = {name: words for name, words in FORMATS.items() if name != NEEDS_SOURCE or self._dicom(recording)}
        return page | {"id": recording, "blind": blind, "queue": self._queue(), "formats": formats}

    def export(self, recording: str, to: str) -> Exported:
        """The newest version for another program, named by the recording's id."""
        made = make_export(self.workspace.folder(recording), to, Asked(source=self._dicom(recording)))
        return replace(made, name=recording + PurePath(made.name).suffix)

    def _dicom(self, recording: str) -> Path | None:
        """The recording itself, where it is a DICOM file: a structured report needs its patient and study."""
        source = self.workspace.library.get(recording)
        files = [] if source is None else [Path(file) for file in source.files if file.lower().endswith(".dcm")]
        return files[0] if files else None

    def settle(self, source: LibraryEntry, new_id: str, options: dict[str, str]) -> LibraryEntry:
        """What a person set; a recording at work keeps what it began with."""
        if source.id in self.runner.running or source.stage is Stage.UPLOADING:
            raise HaustraError(f"{source.id} is at work: pause it first")
        return self.workspace.change(source.id, new_id=new_id, options=options)

    def remove(self, source: LibraryEntry) -> None:
        """From the list; a recording with a result stays."""
        if source.id in self.runner.running:
            raise HaustraError(f"{source.id} is at work: cancel it first")
        if self.workspace.has_result(source.id):
            raise HaustraError(f"{source.id} has a result: it stays")
        self.uploads.give_up(source)

    def _queue(self) -> list[str]:
        """Recordings to review, the least certain first; those that nobody has reviewed before the others."""
        done = [row for row in self.board.rows() if row["state"] == "finished"]
        order = sorted(
            done, key=lambda row: (bool(row["reviewed_by"]), row["certain"] is not None, row["certain"] or 0.0)
        )
        return [row["id"] for row in order]
