"""The result folder: whom it belongs to, what is in it already, and everything that is written there."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from haustra import __version__
from haustra.anatomy import Template
from haustra.anatomy.findings import detected_biopsies, place_findings
from haustra.errors import HaustraError
from haustra.files import read_json, write_json
from haustra.located import Located
from haustra.path.files import write_kitti, write_tum
from haustra.progress import progress_bar
from haustra.quality.thumbnails import Thumbnail
from haustra.report.overlay import write_overlay
from haustra.report.page import OverlayVideo, write_report
from haustra.report.strip import strip_of
from haustra.resume import Journal, fingerprint
from haustra.table import read_frames, write_frames
from haustra.video import Box, Recording

TABLES = ("frames.parquet", "frames.csv", "trajectory.tum", "trajectory.kitti", "report.html")
OVERLAY = "overlay.mp4"
SUMMARY = "summary.json"
LOG = "haustra.log"

log = logging.getLogger("haustra")


def file_identity(path: Path) -> dict[str, str]:
    """Name and content of a model file: the same name with other weights is another model."""
    return {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


class ResultFolder:
    """`identity` is all that the result depends on; a run with the same one goes on, another one starts anew."""

    def __init__(self, path: Path, recording: Recording, identity: Mapping[str, Any], *, with_overlay: bool) -> None:
        self.path = path
        self._recording = recording
        self._with_overlay = with_overlay
        self.fingerprint = fingerprint(recording.path)
        self.identity = {"recording": self.fingerprint, **identity}
        self._refuse_other()

    def open_journal(self) -> Journal:
        journal = Journal(self.path / ".work", self.identity)
        if journal.resumed:
            log.info("an interrupted run of the same command was found: going on where it stopped")
        if journal.replaced:
            log.warning("an unfinished run with other options or another recording was found: starting anew")
        return journal

    @contextmanager
    def logged(self) -> Iterator[None]:
        """What is said during the run also goes to a file in the folder."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handler = logging.FileHandler(self.path / LOG, encoding="utf-8")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise HaustraError(f"cannot write to {self.path}: {reason}; choose another folder with --out") from error
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        try:
            log.info("haustra %s on %s", __version__, self._recording.path.name)
            yield
            log.info("done")
        except BaseException as error:
            log.error("stopped: %s", error or type(error).__name__)
            raise
        finally:
            log.removeHandler(handler)
            handler.close()

    def finished(self) -> tuple[pl.DataFrame, dict[str, Any]] | None:
        """Table and summary of a run with the same identity that was brought to its end, or None."""
        wanted = (*TABLES, OVERLAY) if self._with_overlay else TABLES
        if not all((self.path / name).is_file() for name in (*wanted, SUMMARY)):
            return None
        summary = read_json(self.path / SUMMARY)
        if not isinstance(summary, dict) or summary.get("identity") != self._digest():
            return None
        return read_frames(self.path), summary

    def write(
        self,
        located: Located,
        thumbnails: Sequence[Thumbnail],
        summary: dict[str, Any],
        template: Template,
        *,
        crop: Box,
        threads: int,
        quiet: bool,
    ) -> None:
        """Everything a user looks at; the summary comes last, because it says that the rest is there."""
        (self.path / SUMMARY).unlink(missing_ok=True)
        write_frames(self.path, located.table)
        template.save(self.path / "template.json")
        write_tum(self.path / "trajectory.tum", located.trajectory.time_s, located.trajectory.T_w_c)
        write_kitti(self.path / "trajectory.kitti", located.trajectory.T_w_c)
        overlay = self._write_overlay(located, template, crop, threads, quiet) if self._with_overlay else None
        write_report(
            self.path / "report.html",
            located.table,
            summary,
            template=template,
            findings=place_findings(detected_biopsies(located.table), located.table),
            strip=strip_of(thumbnails, located.table),
            overlay=overlay,
        )
        write_json(self.path / SUMMARY, summary | {"identity": self._digest()})

    def _write_overlay(
        self, located: Located, template: Template, crop: Box, threads: int, quiet: bool
    ) -> OverlayVideo:
        target = self.path / OVERLAY
        # The overlay shows what was sampled, one picture for each row.
        with progress_bar("overlay", located.table.height, quiet=quiet) as bar:
            first_s = write_overlay(
                self._recording,
                located.table,
                target,
                template=template,
                start_s=located.start_s,
                end_s=located.end_s + 1e-6,
                crop=crop,
                threads=threads,
                progress=bar,
            )
        return OverlayVideo(target, first_s)

    def _digest(self) -> str:
        return Journal.digest(self.identity)

    def _refuse_other(self) -> None:
        """A folder that holds another recording's result is never written over."""
        source = self.path / SUMMARY
        if not source.is_file():
            return
        summary = read_json(source)
        owner = summary.get("recording") if isinstance(summary, dict) else None
        if not isinstance(owner, dict) or owner.get("fingerprint") != self.fingerprint:
            raise HaustraError(f"{self.path} holds the result of another recording: choose another folder with --out")
