"""A colon template from folders: results, or simulated recordings, with the seven annotated times of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from haustra.anatomy.annotated_times import read_annotations, reviewed_times, segments_at
from haustra.anatomy.template import AnnotatedRecording, Template, is_template, load_template, template_of
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.core.checked_tables import checked, read_parquet, words
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import DEFAULT_TEMPLATE
from haustra.results.table import CHECKED, FRAMES, column, read_frames
from haustra.results.versions import history

FEWEST_LEFT = 2  # recordings that a template can be built from


@dataclass(frozen=True)
class TemplateFit:
    """A template of a group's own recordings, and how it does beside the shipped one on each of them.

    Accuracies (n,) are shares of frames whose segment a cut of the location index by the template names rightly:
    `left_out` by the template of all other recordings, `shipped` by the one that `locate` uses otherwise. NaN where
    there are too few recordings to leave one out.
    """

    template: Template
    left_out: FloatArray
    shipped: FloatArray

    @property
    def warning(self) -> str:
        """What to say where the shipped template does better; else nothing."""
        own, other = float(np.mean(self.left_out)), float(np.mean(self.shipped))
        if np.isnan(own):
            return "too few recordings to leave one out: it is not known whether this is better than the shipped one"
        if own > other:
            return ""
        return (
            f"the shipped template '{DEFAULT_TEMPLATE}' names {other:.1%} of the frames of these recordings rightly, "
            f"this one {own:.1%} of those it was not built from: keep the shipped one, or annotate more recordings"
        )

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        accuracies = {"left_out": self.left_out, "shipped": self.shipped}
        rows = {name: [None if np.isnan(v) else round(float(v), 4) for v in row] for name, row in accuracies.items()}
        return {
            "name": self.template.name,
            "mean": self.template.mean.tolist(),
            "std": self.template.std.tolist(),
            "recordings": list(self.template.built_from),
            "accuracy": rows,
            "warning": self.warning,
        }


def fit_template(
    results: Sequence[str | Path],
    annotations: Sequence[str | Path] = (),
    *,
    out: str | Path | None = None,
    name: str = "own",
) -> TemplateFit:
    """Template of result folders or simulated recordings with their seven times; `out` is the file to write.

    The times are those that the readers of a result left, else `annotations.json` in its folder, or the files given.
    """
    if annotations and len(annotations) != len(results):
        raise HaustraError(f"{len(annotations)} annotation files for {len(results)} results: give one for each")
    target = None if out is None else Path(out)
    if target is not None and target.exists() and not is_template(target):
        raise HaustraError(f"{target} exists and is not a colon template: choose another file with --out")
    files: list[Path | None] = [Path(file) for file in annotations] or [None] * len(results)
    recordings = [_annotated(Path(folder), file) for folder, file in zip(results, files, strict=True)]
    fit = _fitted(name, recordings)
    if target is not None:
        fit.template.save(target)
    return fit


def _fitted(name: str, recordings: Sequence[AnnotatedRecording]) -> TemplateFit:
    template, shipped = template_of(name, recordings), load_template(DEFAULT_TEMPLATE)
    left_out = np.full(len(recordings), np.nan)
    if len(recordings) > FEWEST_LEFT:
        for k, recording in enumerate(recordings):
            others = template_of("others", [*recordings[:k], *recordings[k + 1 :]])
            left_out[k] = _accuracy(recording, others)
    return TemplateFit(template, left_out, np.array([_accuracy(one, shipped) for one in recordings]))


def _accuracy(recording: AnnotatedRecording, template: Template) -> float:
    """Share of the frames with a location and an annotated segment that the template names rightly."""
    annotated = np.where(np.isfinite(recording.index), segments_at(recording.q_t, recording.time_s), 0)
    named = segments_of(recording.index, template)[annotated > 0]
    return float((named == annotated[annotated > 0]).mean()) if len(named) else float("nan")


def _withdrawal(truth: Path) -> pl.DataFrame:
    """Of the truth of a simulated recording."""
    columns = {name: CHECKED[name] for name in ("time_s", "location_index")} | {"phase": words()}
    return checked(read_parquet(truth), columns, truth, columns).filter(pl.col("phase") == "withdrawal")


def _annotated(folder: Path, annotations: Path | None) -> AnnotatedRecording:
    """Without a file of annotations: what the readers of the result left, else the annotations.json in the folder."""
    truth = folder / "truth.parquet"
    is_result = (folder / FRAMES[0]).is_file() or not truth.is_file()
    table = read_frames(folder) if is_result else _withdrawal(truth)
    own = annotations or folder / "annotations.json"
    if annotations is None and is_result and not history(folder) and not own.exists():
        raise HaustraError(f"{folder} was not reviewed: correct it, or give its seven times with --annotations")
    q_t = reviewed_times(folder) if annotations is None and history(folder) else read_annotations(own)
    time_s = column(table, "time_s")
    if len(time_s) and (q_t[0] > time_s[-1] or q_t[-1] < time_s[0]):
        raise HaustraError(f"{own}: no annotated time lies within the frames of {folder}")
    return AnnotatedRecording(folder.name, time_s, column(table, "location_index"), q_t)
