"""Corrections in the app: the page of a result, the page as it would be, and one more version."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from haustra.anatomy.frame_places import Located, located
from haustra.app.recording_view import Recent
from haustra.app.workspace import Workspace
from haustra.cohort.refresh import refresh_cohort_of
from haustra.core.errors import HaustraError
from haustra.correctable import Correctable, open_correctable
from haustra.corrections import save_corrections, write_corrected
from haustra.localization import open_result
from haustra.report.page import page_data
from haustra.report.write import shown_parts
from haustra.results.annotations import FORMAT, Annotations
from haustra.results.folder import OBSERVATIONS, OVERLAY, SUMMARY, held, version_written
from haustra.results.versions import Version, history, next_version, original


class Reviews:
    """Results that are being corrected. One question about a result at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._recent: Recent[Correctable] = Recent()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def page(self, recording: str, *, blind: bool = False) -> dict[str, Any]:
        """What the page shows of the newest version; `blind`: of Haustra's own result, whatever others said."""
        with self._locks[recording]:
            opened = self._opened(recording)
            versions = history(opened.folder)
            self._finish_writing(opened, versions)
            if not blind:
                return self._data(recording, opened, *_as_written(opened), versions)
            own = opened.corrected(Annotations(FORMAT))
            data = self._data(recording, opened, own.located, own.summary, [])
            data["review"] |= {"newest": len(versions)}
            return data

    def preview(self, recording: str, annotations: Annotations) -> dict[str, Any]:
        """The page with everything that follows from these corrections; nothing is saved."""
        with self._locks[recording]:
            opened = self._opened(recording)
            versions, annotations = history(opened.folder), opened.on_frames(annotations)
            proposed = next_version(
                opened.folder, annotations, by=annotations.by, parent=_parent(annotations, versions)
            )
            corrected = opened.corrected(annotations, [*versions, proposed])
            data = self._data(recording, opened, corrected.located, corrected.summary, [*versions, proposed])
            del data["review"]  # which is that of what is saved
            return data | {"times_s": annotations.times_s}

    def save(self, recording: str, annotations: Annotations, newest: int) -> dict[str, Any]:
        """One more version; a StaleVersionError where `newest` no longer is the newest one."""
        if not annotations.by.strip():
            raise HaustraError("say who you are: every version is kept under its reader's name")
        with self._locks[recording]:
            opened = self._opened(recording)
            parent = _parent(annotations, history(opened.folder))
            with held(opened.folder):
                save_corrections(opened, annotations, by=annotations.by, newest=newest, parent=parent)
            refresh_cohort_of(opened.folder)
            versions = history(opened.folder)
            return self._data(recording, opened, *_as_written(opened), versions)

    def lock_of(self, recording: str) -> threading.Lock:
        """What is held while a result is read or written."""
        return self._locks[recording]

    def correctable(self, recording: str) -> Correctable:
        """A result to decode again; the caller holds its lock."""
        return self._opened(recording)

    def _opened(self, recording: str) -> Correctable:
        folder = self.workspace.folder(recording)
        marks = tuple(_changed(file) for file in (folder / OBSERVATIONS, original(folder) / SUMMARY))
        return self._recent.get((recording, *marks), lambda: open_correctable(folder))

    def _finish_writing(self, opened: Correctable, versions: Sequence[Version]) -> None:
        """The app was ended between a version and its outputs: these are made now."""
        if not versions or version_written(opened.folder) == len(versions):
            return
        with held(opened.folder):
            write_corrected(opened, opened.corrected(versions[-1].annotations, versions), versions)
        refresh_cohort_of(opened.folder)

    def _data(
        self,
        recording: str,
        opened: Correctable,
        located: Located,
        summary: Mapping[str, Any],
        versions: Sequence[Version],
    ) -> dict[str, Any]:
        shown = shown_parts(located, opened.seen.thumbnails, summary, opened.labelling.template, versions)
        base = f"/api/recordings/{recording}"
        overlay = None
        if (opened.folder / OVERLAY).is_file():
            start_s = float(opened.table["time_s"][0])
            overlay = {"src": f"{base}/overlay", "name": OVERLAY, "start": start_s, "panel": True}
        data = page_data(located, summary, overlay=overlay, **shown)
        data["review"] |= {"preview": f"{base}/preview", "save": f"{base}/versions"}
        known = self.workspace.library.get(recording) is not None
        return data | {"frames": f"{base}/frame" if known else None}


def _as_written(opened: Correctable) -> tuple[Located, dict[str, Any]]:
    """The newest version from its files: to look at a long recording, nothing has to be computed."""
    result = open_result(opened.folder)
    return replace(located(result.frames), given=opened.given), result.summary


def _parent(annotations: Annotations, versions: Sequence[Version]) -> int | None:
    """The version that a reader began from: the newest unless the page says otherwise."""
    if annotations.version is not None and annotations.version > len(versions):
        raise HaustraError(f"there is no version {annotations.version} of this result: reload it")
    return annotations.version


def _changed(file: Path) -> int:
    return file.stat().st_mtime_ns if file.exists() else 0
