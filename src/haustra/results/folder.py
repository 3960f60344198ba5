"""The result folder: ownership, locking, what an earlier run left in it, and the manifest that completes it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from haustra.core.errors import HaustraError, NothingToLocateError
from haustra.core.files import read_json, write_json
from haustra.core.locks import locked
from haustra.core.log_lines import LineFormatter
from haustra.core.owned import open_to_append, refuse_links, remove
from haustra.core.records import as_record, read_record
from haustra.core.sharing import is_shared, make_folder, sharing
from haustra.core.temporary import is_temporary, sweep_below
from haustra.results.journal import Journal, is_journal, load_observations, save_observations
from haustra.results.observations import Observations
from haustra.results.run import Run, file_digest
from haustra.results.schema import Summary, check_version
from haustra.results.table import FRAMES
from haustra.results.versions import SUMMARY as SUMMARY
from haustra.results.versions import keep_original, remove_original

TEMPLATE, REPORT, OVERLAY = "template.json", "report.html", "overlay.mp4"
INTERVALS, FINDINGS = "segments.csv", "findings.csv"
TRAJECTORIES = ("trajectory.tum", "trajectory.kitti")
OBSERVATIONS, MANIFEST, LOG, WORK = "observations.npz", "manifest.json", "haustra.log", ".work"
MAP = "map.json"
# In the order in which they are removed; the manifest says that the rest is there, so it goes first and comes last.
OUTPUTS = (MANIFEST, SUMMARY, *FRAMES, INTERVALS, FINDINGS, TEMPLATE, *TRAJECTORIES, REPORT, OVERLAY, OBSERVATIONS)

log = logging.getLogger("haustra")


def open_summary(source: Path) -> dict[str, Any]:
    """The summary of a result; a HaustraError where it is not one as `locate` and `place` write it."""
    summary = read_record(source, dict[str, Any])
    check_version(summary, source)
    as_record(summary, Summary, source)
    return summary


def known_lens(folder: Path) -> Mapping[str, Any] | None:
    """The lens in the summary of a result that lies in a folder; None where there is none."""
    source = folder / SUMMARY
    lens = open_summary(source).get("lens") if _is_ours(source) else None
    return lens if isinstance(lens, dict) else None


class ResultFolder:
    """The folder of one run of `locate`: only this run writes there, and only over what is ours."""

    def __init__(
        self, path: Path, run: Run, inputs: Iterable[Path], shown_as: Mapping[Path, str] | None = None
    ) -> None:
        """`shown_as` is what stands for files in the log instead of their names."""
        self.path, self.run, self._shown_as = path, run, shown_as or {}
        check_output(path, inputs, OUTPUTS)
        self._refuse_other_recording()

    def is_finished(self, name: str, *, pictures: bool, overlay: bool) -> bool:
        """Whether the result of this very run lies here under this name, every file of it as it was written."""
        manifest = _manifest(self.path)
        files = manifest.get("files", {})
        wanted = {*OUTPUTS} - {MANIFEST} - (set() if overlay and pictures else {OVERLAY})
        if manifest.get("run") != self.run.digest or not wanted <= set(files):
            return False
        if not all(_entry(self.path / name) == entry for name, entry in files.items()):
            log.warning("%s was changed after it was written: it is made again", self.path)
            return False
        recording = open_summary(self.path / SUMMARY).get("recording", {})
        return (recording.get("name"), recording.get("pictures")) == (name, pictures)

    @contextmanager
    def claimed(self) -> Iterator[Journal]:
        """Nobody else writes here meanwhile; what is said during the run also goes to a file in the folder.

        What is refused before anything was measured leaves nothing behind, and neither does a recording that shows too
        little: running it again would not help.
        """
        try:
            make_folder(self.path)
            handler = logging.StreamHandler(open_to_append(self.path, LOG))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise HaustraError(f"cannot write to {self.path}: {reason}; choose another folder with --out") from error
        handler.setFormatter(_Masked(self._shown_as))
        log.addHandler(handler)
        refused: HaustraError | None = None
        try:
            with held(self.path):
                log.info("haustra %s, run %s", self.run.haustra, self.run.digest)
                try:
                    yield self._journal()
                except HaustraError as error:
                    refused = error
                    raise
                log.info("done")
        except BaseException as error:
            handler.handle(_stopped_record(error))
            raise
        finally:
            log.removeHandler(handler)
            handler.stream.close()
            if refused is not None:
                with suppress(HaustraError, OSError):  # the first error is what counts
                    self._tidy(everything=isinstance(refused, NothingToLocateError))

    def _tidy(self, *, everything: bool) -> None:
        """Remove a journal without a chunk (or `everything` in it), then a folder in which only the log is left."""
        journal = Journal(self.path / WORK, self.run.observed)
        if everything or next(journal.chunks(), None) is None:
            journal.discard()
        if [path.name for path in self.path.iterdir()] == [LOG]:
            remove(self.path, LOG)
            self.path.rmdir()

    def observations(self, *, with_pictures: bool) -> Observations | None:
        """What an earlier run observed in the same recording, if its observations are those of this run, too.

        A run without pictures kept no thumbnails.
        """
        seen = load_observations(self.path / OBSERVATIONS, self.run.observed)
        lacking = seen is not None and with_pictures and bool(seen.kept.any()) and not seen.thumbnails
        return None if lacking else seen

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


class _Masked(LineFormatter):
    """Lines of the log, with what stands for each file instead of its path and its name."""

    def __init__(self, shown_as: Mapping[Path, str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        named = [(text, name) for path, name in shown_as.items() for text in {str(path.absolute()), str(path)}]
        named += [(path.name, name) for path, name in shown_as.items()]
        self._shown_as = sorted(named, key=lambda pair: -len(pair[0]))

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for text, name in self._shown_as:
            line = line.replace(text, name)
        return line


def _stopped_record(error: BaseException) -> logging.LogRecord:
    """For the file alone: whoever called says it on the screen. Of a fault of ours the file has the traceback."""
    fault = isinstance(error, Exception) and not isinstance(error, HaustraError)
    traceback = (type(error), error, error.__traceback__) if fault else None
    said = str(error) or type(error).__name__
    return log.makeRecord(log.name, logging.ERROR, "", 0, "stopped: %s", (said,), traceback)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Nobody else writes in a result folder meanwhile; what a killed run left behind is removed first."""
    refuse_links(folder, LOG)
    with locked(folder / LOG, f"{folder} is in use by another run: wait for it, or take another folder"):
        sweep_below(folder)
        yield


@contextmanager
def rewriting(folder: Path, run: Mapping[str, Any], version: int) -> Iterator[None]:
    """Outputs of a result are written again; as long as no manifest lies here they are not those of any version."""
    with sharing(is_shared(folder / SUMMARY)):
        if version:
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
    """Files that make us refuse the folder: an unrecognised .work, or anything in a folder without our summary."""
    names = {path.name for path in folder.iterdir()}
    work = folder / WORK
    if WORK in names and not is_journal(work):
        return [WORK]
    unfinished = WORK in names and any(work.iterdir())
    if unfinished or any(_is_ours(folder / name) for name in (SUMMARY, MANIFEST, MAP)):
        return []
    return sorted(name for name in names - {LOG, WORK} if not is_temporary(name))


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
