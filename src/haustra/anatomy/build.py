"""A colon template from folders: results, or simulated recordings, with the seven annotated times of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from haustra.anatomy.annotations import read_annotations, reviewed_times
from haustra.anatomy.template import AnnotatedRecording, Template, is_template, template_of
from haustra.core.errors import HaustraError
from haustra.results.table import FRAMES, column, read_frames
from haustra.results.versions import history


def build_template_from(results: Sequence[Path], annotations: Sequence[Path], out: Path, name: str) -> Template:
    """Template of result folders or simulated recordings with their seven times; writes it and returns it."""
    if annotations and len(annotations) != len(results):
        raise HaustraError(f"{len(annotations)} annotation files for {len(results)} results: give one for each")
    if out.exists() and not is_template(out):
        raise HaustraError(f"{out} exists and is not a colon template: choose another file with --out")
    files: list[Path | None] = [*annotations] or [None] * len(results)
    recordings = [_annotated(folder, file) for folder, file in zip(results, files, strict=True)]
    template = template_of(name, recordings)
    template.save(out)
    return template


def _annotated(folder: Path, annotations: Path | None) -> AnnotatedRecording:
    """Without a file of annotations: what the readers of the result left, else the annotations.json in the folder."""
    truth = folder / "truth.parquet"
    is_result = (folder / FRAMES[0]).is_file() or not truth.is_file()
    table = read_frames(folder) if is_result else read_frames(truth).filter(pl.col("phase") == "withdrawal")
    own = annotations or folder / "annotations.json"
    q_t = reviewed_times(folder) if annotations is None and history(folder) else read_annotations(own)
    time_s = column(table, "time_s")
    if q_t[0] > time_s[-1] or q_t[-1] < time_s[0]:
        raise HaustraError(f"{own}: no annotated time lies within the frames of {folder}")
    return AnnotatedRecording(folder.name, time_s, column(table, "location_index"), q_t)
