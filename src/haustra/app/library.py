"""What the app knows beyond a cohort's folder: the files of each recording, how it is to be located, the queue.

It lies in the user's data folder, not in the cohort's: names of files may tell who a patient is, and a cohort is
passed on.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from haustra.core.errors import HaustraError, require
from haustra.core.files import replacing
from haustra.core.owned import remove, remove_empty

FILE, UPLOADS = "library.json", "uploads"


class Stage(StrEnum):
    """Where a recording stands before it has a result; what became of it its status in the cohort tells."""

    UPLOADING = "uploading"
    NEW = "new"
    QUEUED = "queued"
    PAUSED = "paused"
    ENDED = "ended"


class LibraryEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A recording: its files in their order, the options of `locate` for it, and files beside it as a table of a cohort
    names them. `own`: the app holds the files."""

    id: str
    files: tuple[str, ...]
    options: dict[str, Any] = {}
    beside: dict[str, str] = {}
    stage: Stage = Stage.NEW
    own: bool = False


class _Stored(Struct, forbid_unknown_fields=True):
    format: Literal["haustra-app-1"]
    sources: list[LibraryEntry]


class Library:
    """The sources, in the order in which they came; every change is on disk before it counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.RLock()
        self._sources = {source.id: source for source in _read(folder / FILE)}
        for source in self.all():  # what was being uploaded when the app ended was not
            if source.stage is Stage.UPLOADING:
                self.remove(source.id)

    def all(self) -> list[LibraryEntry]:
        with self._lock:
            return list(self._sources.values())

    def get(self, recording: str) -> LibraryEntry | None:
        with self._lock:
            return self._sources.get(recording)

    def put(self, source: LibraryEntry, *, instead_of: str | None = None) -> None:
        """Add or replace; `instead_of` is the id that it had before."""
        with self._lock:
            old = source.id if instead_of is None else instead_of
            if old in self._sources:
                changed = {(source.id if name == old else name): known for name, known in self._sources.items()}
            else:
                changed = dict(self._sources)
            changed[source.id] = source
            self._keep(changed)

    def set_stage(self, recording: str, stage: Stage) -> None:
        with self._lock:
            self.put(msgspec.structs.replace(self._sources[recording], stage=stage))

    def remove(self, recording: str) -> None:
        """Forget a recording; files that were dropped into the app go with it."""
        with self._lock:
            gone = self._sources[recording]
            self._keep({name: known for name, known in self._sources.items() if name != recording})
        if gone.own:
            remove_files(self.folder, gone.files)

    def upload_folder(self, key: str) -> Path:
        return self.folder / UPLOADS / key

    def _keep(self, sources: dict[str, LibraryEntry]) -> None:
        stored = _Stored("haustra-app-1", list(sources.values()))
        with replacing(self.folder / FILE) as temporary:
            temporary.write_bytes(msgspec.json.format(msgspec.json.encode(stored), indent=1) + b"\n")
        self._sources = sources


def remove_files(folder: Path, files: Iterable[str]) -> None:
    """Of an upload: only what lies where uploads do."""
    for file in map(Path, files):
        if file.is_relative_to(folder / UPLOADS):
            remove(folder, file.relative_to(folder).as_posix())
            remove_empty(folder, file.parent.relative_to(folder).as_posix())


def data_folder() -> Path:
    """Of the user, by the custom of the system."""
    found: Path = require("platformdirs", "app").user_data_path("haustra", appauthor=False)
    return found


def library_of(out: Path) -> Library:
    """The library beside the cohort in a folder."""
    return Library(data_folder() / "app" / hashlib.sha256(str(out).encode()).hexdigest()[:16])


def _read(file: Path) -> list[LibraryEntry]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Stored).sources
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HaustraError(f"{file} cannot be read ({error}): move it away and start the app again") from error
