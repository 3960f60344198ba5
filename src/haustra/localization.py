"""A result folder, opened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from haustra.anatomy.template import Template, load_template
from haustra.camera import Camera
from haustra.camera.jsonfile import camera_from_dict
from haustra.core.vocabulary import DEFAULT_TEMPLATE
from haustra.results.folder import REPORT, SUMMARY, TEMPLATE, open_summary
from haustra.results.table import read_frames


@dataclass(frozen=True)
class Localization:
    """A result: the table of frames, the summary of the run, and the folder that holds both."""

    folder: Path
    frames: pl.DataFrame
    summary: dict[str, Any]

    @property
    def report(self) -> Path:
        """The report page, to open in a browser."""
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
        """The options that decided the result; files are given by the digest of their contents."""
        run = self.summary.get("run")
        return dict(run["reading"]) | dict(run["placing"]) if isinstance(run, dict) else {}


def open_result(result: str | Path) -> Localization:
    """Open a folder of `haustra locate` or `haustra place`, or the `frames.parquet` in it."""
    path = Path(result)
    frames = read_frames(path)
    folder = path if path.is_dir() else path.parent
    source = folder / SUMMARY
    return Localization(folder, frames, open_summary(source) if source.is_file() else {})
