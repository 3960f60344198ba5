"""`Localization`: a result folder, opened: table, summary, template, camera, and what a notebook shows of it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from haustra.anatomy.template import Template, load_template
from haustra.camera import Camera
from haustra.camera.jsonfile import camera_from_dict
from haustra.core.errors import HaustraError
from haustra.core.times import format_time
from haustra.core.vocabulary import DEFAULT_TEMPLATE, SEGMENTS
from haustra.core.wording import counted
from haustra.results.folder import REPORT, SUMMARY, TEMPLATE, open_summary
from haustra.results.table import read_frames
from haustra.results.written import written

if TYPE_CHECKING:
    import pandas as pd

    from haustra.report.notebook import CurveDrawing


# A correction that is being saved takes a moment to write, table before summary.
_WAIT_S, _LOOK_S = 2.0, 0.05

log = logging.getLogger("haustra")


@dataclass(frozen=True, repr=False)
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
    def warnings(self) -> list[str]:
        """What the reader of the result should know, as on the report."""
        return [str(warning) for warning in self.summary.get("warnings", [])]

    @property
    def options(self) -> dict[str, Any]:
        """The options that decided the result; files are given by the digest of their contents."""
        run = self.summary.get("run")
        return dict(run["reading"]) | dict(run["placing"]) if isinstance(run, dict) else {}

    def plot(self) -> CurveDrawing:
        """Location over time with its uncertainty, coloured by segment: a notebook shows it, `save` writes an SVG."""
        from haustra.report.curve_svg import curve_svg
        from haustra.report.notebook import CurveDrawing

        return CurveDrawing(curve_svg(self.frames))

    def to_pandas(self) -> pd.DataFrame:
        """The table of frames for pandas, which is all that this needs; empty cells are NaN or None."""
        try:
            import pandas as pd
        except ImportError as error:
            raise HaustraError("the package 'pandas' is not installed: pip install pandas") from error
        return pd.DataFrame({column.name: column.to_numpy() for column in self.frames})

    def __repr__(self) -> str:
        """One line; the table and the summary are in `frames` and `summary`."""
        count = self.frames.height
        parts = [counted(count, "frame")]
        if count:
            parts.append(f"{format_time(self.frames['time_s'][0])} to {format_time(self.frames['time_s'][-1])}")
        named = [name for name in SEGMENTS if name in set(self.frames["segment"])]
        parts.append(f"{named[0]} to {named[-1]}" if len(named) > 1 else ", ".join(named) or "no segment named")
        if self.warnings:
            parts.append(counted(len(self.warnings), "warning"))
        return f"Localization('{self.folder}': {', '.join(parts)})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from haustra.report.notebook import result_html

        return result_html(self.frames, self.summary)


def open_result(result: str | Path) -> Localization:
    """Open a folder of `haustra locate` or `haustra place`, or the `frames.parquet` in it."""
    path = Path(result)
    folder = path if path.is_dir() else path.parent
    end = time.monotonic() + _WAIT_S
    while True:
        before = written(folder)
        opened = Localization(folder, read_frames(path), _summary(folder))
        if before.whole and written(folder) == before:
            return opened
        if time.monotonic() > end:
            log.warning("%s was not written to its end: what it shows may be of two versions", folder)
            return opened
        time.sleep(_LOOK_S)


def _summary(folder: Path) -> dict[str, Any]:
    source = folder / SUMMARY
    return open_summary(source) if source.is_file() else {}
