"""The result folder: whose it is, what is in it already, and how a result is opened again."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from haustra.anatomy.template import Template, load_template
from haustra.camera import Camera
from haustra.camera.jsonfile import camera_from_dict
from haustra.errors import HaustraError, NothingToLocateError
from haustra.files import locked, read_json, write_json
from haustra.resume import Journal, is_journal, load_chunk
from haustra.run import Run, file_digest
from haustra.table import FRAMES, read_frames
from haustra.terms import DEFAULT_TEMPLATE

SUMMARY, TEMPLATE, REPORT, OVERLAY = "summary.json", "template.json", "report.html", "overlay.mp4"
TRAJECTORIES = ("trajectory.tum", "trajectory.kitti")
OBSERVATIONS, MANIFEST, LOG, WORK = "observations.npz", "manifest.json", "haustra.log", ".work"
MAP = "map.json"
# In the order in which they are removed; the manifest says that the rest is there, so it goes first and comes last.
OUTPUTS = (MANIFEST, SUMMARY, *FRAMES, TEMPLATE, *TRAJECTORIES, REPORT, OVERLAY, OBSERVATIONS)

log = logging.getLogger("haustra")


@dataclass(frozen=True)
class Localization:
    """A result: the table, what is known about the run, and the folder they lie in."""

    folder: Path
    frames: pl.DataFrame
    summary: dict[str, Any]

    @property
    def report(self) -> Path:
        return self.folder / REPORT

    @cached_property
    def template(self) -> Template:
        """The template that decided the segments; the default one for a bare table of frames."""
        own = self.folder / TEMPLATE
        return load_template(own if own.is_file() else DEFAULT_TEMPLATE)

    @cached_property
    def camera(self) -> Camera | None:
        """The lens of the endoscope picture; None for the trajectory of another program."""
        run = self.summary.get("run")
        return camera_from_dict(run["camera"]) if isinstance(run, dict) else None

    @property
    def options(self) -> dict[str, Any]:
        """What the user chose."""
        run = self.summary.get("run")
        return dict(run["reading"]) | dict(run["placing"]) if isinstance(run, dict) else {}


def open_result(result: str | Path) -> Localization:
    """Open a folder of `haustra locate` or `haustra place`, or the `frames.parquet` in it."""
    path = Path(result)
    frames = read_frames(path)
    folder = path if path.is_dir() else path.parent
    source = folder / SUMMARY
    return Localization(folder, frames, open_summary(source) if source.is_file() else {})


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

    def finished(self, *, with_overlay: bool) -> Localization | None:
        """The result of this very run, if every file of it is as it was written."""
        manifest = _manifest(self.path)
        files = manifest.get("files", {})
        wanted = {*OUTPUTS} - {MANIFEST} - (set() if with_overlay else {OVERLAY})
        if manifest.get("run") != self.run.digest or not wanted <= set(files):
            return None
        if not all(_entry(self.path / name) == entry for name, entry in files.items()):
            log.warning("%s was changed after it was written: it is made again", self.path)
            return None
        return open_result(self.path)

    @contextmanager
    def claimed(self) -> Iterator[Journal]:
        """Nobody else writes here meanwhile; what is said during the run also goes to a file in the folder.

        A recording that shows too little leaves nothing behind: running it again would not help.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handler = logging.FileHandler(self.path / LOG, encoding="utf-8")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise HaustraError(f"cannot write to {self.path}: {reason}; choose another folder with --out") from error
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        try:
            with locked(self.path / LOG, f"{self.path} is in use by another run: wait, or choose another with --out"):
                log.info("haustra %s, run %s", self.run.haustra, self.run.digest)
                yield self._journal()
                log.info("done")
        except BaseException as error:
            log.error("stopped: %s", error or type(error).__name__)
            if isinstance(error, NothingToLocateError):
                self._leave_nothing()
            raise
        finally:
            log.removeHandler(handler)
            handler.close()

    def _leave_nothing(self) -> None:
        """Remove what this run began; a folder that holds an earlier result stays."""
        Journal(self.path / WORK, self.run.observed).discard()
        if [path.name for path in self.path.iterdir()] == [LOG]:
            (self.path / LOG).unlink()
            self.path.rmdir()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What another run left is removed before; the manifest comes last, because it says that the rest is there."""
        if any((self.path / name).exists() for name in (MANIFEST, SUMMARY)):
            log.warning("%s holds the result of a run with other options, files or versions: replaced", self.path)
        seen = load_chunk(self.path / OBSERVATIONS, self.run.observed)
        for name in OUTPUTS if seen is None else set(OUTPUTS) - {OBSERVATIONS}:
            (self.path / name).unlink(missing_ok=True)
        yield
        written = [name for name in OUTPUTS if (self.path / name).is_file()]
        files = {name: _entry(self.path / name) for name in written}
        write_json(self.path / MANIFEST, {"haustra": self.run.haustra, "run": self.run.digest, "files": files})

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
