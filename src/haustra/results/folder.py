"""The result folder: whose it is, what is in it already, and how a result is opened again."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from haustra.core.errors import HaustraError, NothingToLocateError
from haustra.core.files import locked, read_json, write_json
from haustra.core.owned import open_to_append, remove
from haustra.results.journal import Journal, is_journal, load_observations, save_observations
from haustra.results.observations import Observations
from haustra.results.run import Run, file_digest
from haustra.results.table import FRAMES
from haustra.results.versions import keep_original, remove_original

SUMMARY, TEMPLATE, REPORT, OVERLAY = "summary.json", "template.json", "report.html", "overlay.mp4"
INTERVALS = "segments.csv"
TRAJECTORIES = ("trajectory.tum", "trajectory.kitti")
OBSERVATIONS, MANIFEST, LOG, WORK = "observations.npz", "manifest.json", "haustra.log", ".work"
MAP = "map.json"
# In the order in which they are removed; the manifest says that the rest is there, so it goes first and comes last.
OUTPUTS = (MANIFEST, SUMMARY, *FRAMES, INTERVALS, TEMPLATE, *TRAJECTORIES, REPORT, OVERLAY, OBSERVATIONS)

log = logging.getLogger("haustra")


def open_summary(source: Path) -> dict[str, Any]:
    summary = read_json(source)
    if not isinstance(summary, dict):
        raise HaustraError(f"{source} does not hold the summary of a result: make the result again")
    return summary


class ResultFolder:
    """The folder of one run of `locate`: only this run writes there, and only over what is ours."""

    def __init__(self, path: Path, run: Run, inputs: Iterable[Path]) -> None:
        self.path, self.run = path, run
        check_output(path, inputs, OUTPUTS)
        self._refuse_other_recording()

    def is_finished(self, *, with_overlay: bool) -> bool:
        """Whether the result of this very run lies here, every file of it as it was written."""
        manifest = _manifest(self.path)
        files = manifest.get("files", {})
        wanted = {*OUTPUTS} - {MANIFEST} - (set() if with_overlay else {OVERLAY})
        if manifest.get("run") != self.run.digest or not wanted <= set(files):
            return False
        if not all(_entry(self.path / name) == entry for name, entry in files.items()):
            log.warning("%s was changed after it was written: it is made again", self.path)
            return False
        return True

    @contextmanager
    def claimed(self) -> Iterator[Journal]:
        """Nobody else writes here meanwhile; what is said during the run also goes to a file in the folder.

        A recording that shows too little leaves nothing behind: running it again would not help.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handler = logging.StreamHandler(open_to_append(self.path, LOG))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise HaustraError(f"cannot write to {self.path}: {reason}; choose another folder with --out") from error
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        try:
            with held(self.path):
                log.info("haustra %s, run %s", self.run.haustra, self.run.digest)
                yield self._journal()
                log.info("done")
        except BaseException as error:
            log.error("stopped: %s", error or type(error).__name__)
            if isinstance(error, Exception) and not isinstance(error, HaustraError):
                handler.handle(_traceback_record(error))
            if isinstance(error, NothingToLocateError):
                self._leave_nothing()
            raise
        finally:
            log.removeHandler(handler)
            handler.stream.close()

    def _leave_nothing(self) -> None:
        """Remove what this run began; a folder that holds an earlier result stays."""
        Journal(self.path / WORK, self.run.observed).discard()
        if [path.name for path in self.path.iterdir()] == [LOG]:
            remove(self.path, LOG)
            self.path.rmdir()

    def observations(self) -> Observations | None:
        """What an earlier run observed in the same recording, if its observations are those of this run, too."""
        return load_observations(self.path / OBSERVATIONS, self.run.observed)

    @contextmanager
    def writing(self, seen: Observations) -> Iterator[None]:
        """What another run left is removed before; the manifest comes last, because it says that the rest is there."""
        if any((self.path / name).exists() for name in (MANIFEST, SUMMARY)):
            log.warning("%s holds the result of a run with other options, files or versions: replaced", self.path)
        remove_original(self.path)
        for name in OUTPUTS:
            if name != OBSERVATIONS:
                remove(self.path, name)
        save_observations(self.path / OBSERVATIONS, seen, self.run.observed)
        yield
        _write_manifest(self.path, {"haustra": self.run.haustra, "run": self.run.digest})

    def _journal(self) -> Journal:
        journal = Journal(self.path / WORK, self.run.observed)
        if journal.resumed:
            log.info("an interrupted run of the same command was found: going on where it stopped")
        if journal.replaced:
            log.warning("an unfinished run with other options, files or versions was found: starting again")
        return journal

    def _refuse_other_recording(self) -> None:
        """A folder that holds another recording's result is never written over."""
        source = self.path / SUMMARY
        if not source.is_file():
            return
        run = open_summary(source).get("run")
        if not isinstance(run, dict) or run.get("recording") != self.run.recording:
            raise HaustraError(f"{self.path} holds the result of another recording: choose another folder with --out")


def _traceback_record(error: Exception) -> logging.LogRecord:
    """For the file alone: on the screen a fault of ours is one line."""
    return log.makeRecord(
        log.name, logging.ERROR, "", 0, "internal error", (), (type(error), error, error.__traceback__)
    )


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Nobody else writes in a result folder meanwhile."""
    with locked(folder / LOG, f"{folder} is in use by another run: wait, or choose another with --out"):
        yield


@contextmanager
def rewriting(folder: Path, run: Mapping[str, Any], version: int) -> Iterator[None]:
    """Outputs of a reviewed result are written; as long as no manifest lies here they are not those of any version."""
    keep_original(folder, OUTPUTS[1:-1])
    remove(folder, MANIFEST)
    yield
    _write_manifest(folder, {"haustra": run["haustra"], "run": run["digest"], "version": version})


def version_written(folder: Path) -> int | None:
    """Which version the outputs in a folder are those of; None where it was not written to its end."""
    manifest = _manifest(folder)
    return int(manifest.get("version", 0)) if manifest else None


def _write_manifest(folder: Path, made: Mapping[str, Any]) -> None:
    files = {name: _entry(folder / name) for name in OUTPUTS if (folder / name).is_file()}
    write_json(folder / MANIFEST, {**made, "files": files})


def check_output(folder: Path, inputs: Iterable[Path], outputs: Iterable[str]) -> None:
    """Refuse to write over what is read, and into a folder that is neither empty nor ours."""
    targets = [folder, *(folder / name for name in outputs)]
    for source in inputs:
        if source.exists() and any(target.exists() and target.samefile(source) for target in targets):
            raise HaustraError(f"{source} would be read and written over: choose another folder with --out")
    foreign = _foreign(folder) if folder.is_dir() else []
    if foreign:
        some = ", ".join(sorted(foreign)[:3]) + (" ..." if len(foreign) > 3 else "")
        raise HaustraError(f"{folder} holds files that are not ours ({some}): choose another folder with --out")


def _foreign(folder: Path) -> list[str]:
    """What keeps a folder from being ours: a strange .work always, any file at all where no summary of ours lies."""
    names = {path.name for path in folder.iterdir()}
    work = folder / WORK
    if WORK in names and not is_journal(work):
        return [WORK]
    unfinished = WORK in names and any(work.iterdir())
    if unfinished or any(_is_ours(folder / name) for name in (SUMMARY, MANIFEST, MAP)):
        return []
    return sorted(names - {LOG, WORK})


def _is_ours(source: Path) -> bool:
    """A JSON file that names the version of haustra that wrote it."""
    try:
        value = read_json(source)
    except HaustraError:
        return False
    return isinstance(value, dict) and isinstance(value.get("haustra"), str)


def _manifest(folder: Path) -> dict[str, Any]:
    source = folder / MANIFEST
    return dict(read_json(source)) if _is_ours(source) else {}


def _entry(path: Path) -> dict[str, Any] | None:
    return {"bytes": path.stat().st_size, "sha256": file_digest(path)} if path.is_file() else None
