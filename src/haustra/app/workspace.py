"""What one start of the app works on: the folder of a cohort, and the library of its recordings' files."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import msgspec

from haustra import __version__
from haustra.app.library import Library, LibraryEntry, Stage, data_folder, library_of
from haustra.cohort.entries import Entry, find_entries
from haustra.cohort.job import RECORDINGS
from haustra.cohort.recording_row import curve_of, row_of
from haustra.cohort.status import FOLDER as STATUS
from haustra.cohort.status import State, Status, read_cohort, read_status, write_cohort
from haustra.cohort.store import COHORT, LocalStore
from haustra.cohort.videos import clean_id
from haustra.core.errors import HaustraError
from haustra.core.locks import locked
from haustra.core.option import is_id, parse_id
from haustra.core.owned import refuse_links
from haustra.core.sharing import sharing
from haustra.core.spreadsheets import SUFFIXES as TABLES
from haustra.core.times import exact_time
from haustra.localization import open_result
from haustra.options import check_options
from haustra.results.folder import LOG, SUMMARY, open_summary

# The options of `locate` that are set in the app. A review without the moving picture would be half a review.
OPTIONS = ("withdrawal_start", "withdrawal_end", "camera", "from_place", "to_place")
APP_DEFAULTS = {"overlay": True}


class Workspace:
    """Every id that comes from a page is looked up here: nothing else becomes part of a path."""

    takes_recordings = True

    def __init__(self, out: Path, library: Library) -> None:
        self.out = out.absolute()
        self.library = library
        self.store = LocalStore(self.out)
        self._enlisting = threading.Lock()

    def ids(self) -> list[str]:
        """The cohort's recordings in their order, then those that are only in the library."""
        known = read_cohort(self.store) if (self.out / COHORT).is_file() else []
        return list(dict.fromkeys([*filter(is_id, known), *(source.id for source in self.library.all())]))

    def has(self, recording: str) -> bool:
        return recording in self.ids()

    def folder(self, recording: str) -> Path:
        """Of its result. In a stranger's cohort a link may lead to a result that is not the cohort's."""
        refuse_links(self.out, f"{RECORDINGS}/{recording}")
        return self.out / RECORDINGS / recording

    def has_result(self, recording: str) -> bool:
        return (self.folder(recording) / SUMMARY).is_file()

    def in_use(self, recording: str) -> bool:
        """Whether a process writes its result, such as `haustra cohort`, or what is left of an app that was killed."""
        try:
            log = self.folder(recording) / LOG
            if log.is_file():
                with locked(log, "in use"):
                    return False
        except (HaustraError, OSError):
            return True
        return False

    def status(self, recording: str) -> Status | None:
        return read_status(self.store, recording)

    def status_file(self, recording: str) -> Path:
        """What changes when the status does."""
        return self.out / STATUS / f"{recording}.json"

    def entry(self, source: LibraryEntry) -> Entry:
        """As `haustra cohort` has it."""
        first, *further = source.files
        return Entry(source.id, first, {**APP_DEFAULTS, **source.options}, source.beside, tuple(further))

    def enlist(self, recording: str) -> None:
        """Make a recording part of the cohort, before a worker looks for it there."""
        with self._enlisting, sharing(self.store.shared):
            known = read_cohort(self.store) if (self.out / COHORT).is_file() else []
            if recording not in known:
                write_cohort(self.store, __version__, [*known, recording])

    def free_id(self, wanted: str) -> str:
        """A possible id like the one wanted that no recording has yet; some systems take A and a for the same."""
        taken = {recording.casefold() for recording in self.ids()}
        base, number = clean_id(wanted), 2
        free = base
        while free.casefold() in taken:
            free, number = f"{base[:90]}-{number}", number + 1
        return free

    def change(self, recording: str, *, new_id: str, options: dict[str, str]) -> LibraryEntry:
        """What a person set for a recording that is not located yet, or is to be located again."""
        source = self._source(recording)
        if new_id != recording:
            self._check_new_id(recording, new_id)
        unknown = [name for name in options if name not in OPTIONS]
        if unknown:
            raise HaustraError(f"'{unknown[0]}' is not set in the app: choose of {', '.join(OPTIONS)}")
        before = source.options
        new = {name: text for name, text in options.items() if text != str(before.get(name, ""))}
        if Path(new.get("camera", "")).name != new.get("camera", ""):
            raise HaustraError("a camera is chosen by its name here: haustra locate --camera takes files")
        chosen = {name: value for name, value in {**before, **new}.items() if name not in OPTIONS or options.get(name)}
        check_options(chosen)
        changed = msgspec.structs.replace(source, id=new_id, options=chosen)
        self.library.put(changed, instead_of=recording)
        return changed

    def _check_new_id(self, recording: str, new_id: str) -> None:
        parse_id(new_id)
        if self.status(recording) is not None:
            raise HaustraError(f"{recording} was located under this id: it keeps it")
        if new_id.casefold() in {other.casefold() for other in self.ids() if other != recording}:
            raise HaustraError(f"there is a recording '{new_id}' already: choose another id")

    def _source(self, recording: str) -> LibraryEntry:
        source = self.library.get(recording)
        if source is None:
            raise HaustraError(f"the files of {recording} are not known here: start the app with their folder")
        return source


class OneResult(Workspace):
    """A result of `haustra locate` that belongs to no cohort: to review, not to add to."""

    takes_recordings = False

    def __init__(self, result: Path, library: Library) -> None:
        super().__init__(result.absolute().parent, library)
        self.result = result.absolute()

    def ids(self) -> list[str]:
        return [clean_id(self.result.name)]

    def folder(self, recording: str) -> Path:  # noqa: ARG002 (there is one)
        return self.result

    def status_file(self, recording: str) -> Path:  # noqa: ARG002
        return self.result / SUMMARY

    def status(self, recording: str) -> Status:
        opened = open_result(self.result)
        row = row_of(opened.summary, opened.frames)
        return Status(recording, State.FINISHED, "", "", row=row, curve=curve_of(opened.frames))


def open_workspace(given: Path | None, out: Path | None = None, *, parts: bool = False) -> Workspace:
    """A table of recordings, the folder of a cohort, of one result, of recordings, an empty one, or none: then the
    user's own is used. With `parts`, the videos in one folder are the parts of one recording."""
    if given is None:
        return _opened(out or data_folder() / "recordings")
    if given.is_file() and given.suffix.lower() in TABLES:
        return _with_recordings(given, out or Path(f"{given.stem}-haustra"), parts=parts)
    if not given.is_dir():
        raise HaustraError(
            f"{given} is neither a folder nor a table of recordings: give one, or the folder of a cohort"
        )
    if (given / COHORT).is_file():
        if out is not None:
            raise HaustraError(f"{given} is a cohort's folder already: leave out --out")
        return _opened(given)
    if (given / SUMMARY).is_file():
        return OneResult(given, library_of(given.absolute()))
    if out is None and not any(given.iterdir()):
        return _opened(given)
    return _with_recordings(given, out or Path(f"{given.absolute().name}-haustra"), parts=parts)


def _with_recordings(given: Path, out: Path, *, parts: bool) -> Workspace:
    """What `haustra cohort` would find there. What was set in the app before stays."""
    workspace = _opened(out)
    for entry in find_entries([str(given)], str(workspace.out), parts=parts):
        if workspace.library.get(entry.id) is None:
            stage = Stage.NEW if workspace.status(entry.id) is None else Stage.ENDED
            options = _given_before(workspace, entry.id) | dict(entry.options) | APP_DEFAULTS
            workspace.library.put(LibraryEntry(entry.id, entry.videos, options, dict(entry.beside), stage))
    return workspace


def _given_before(workspace: Workspace, recording: str) -> dict[str, Any]:
    """What a recording was located with on the command line, so that locating it again begins there.

    Of a lens the result keeps what it is, not where its file lies: that is not among them.
    """
    if not workspace.has_result(recording):
        return {}
    run = open_summary(workspace.folder(recording) / SUMMARY).get("run")
    known = {} if not isinstance(run, dict) else dict(run["placing"]) | dict(run["reading"])
    given = {name: known[name] for name in OPTIONS if name != "camera" and known.get(name) is not None}
    return {name: exact_time(value) if name.startswith("withdrawal") else str(value) for name, value in given.items()}


def _opened(out: Path) -> Workspace:
    absolute = out.absolute()
    if absolute.is_dir() and not (absolute / COHORT).is_file() and any(absolute.iterdir()):
        raise HaustraError(f"{out} is neither empty nor a cohort's folder: choose another with --out")
    return Workspace(absolute, library_of(absolute))
