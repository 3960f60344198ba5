"""A colon template from folders: results, or simulated recordings, with the seven annotated times of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from haustra.anatomy.annotations import read_annotations
from haustra.anatomy.template import AnnotatedRecording, Template, is_template, template_of
from haustra.errors import HaustraError
from haustra.table import FRAMES, column, read_frames


def build_template_from(results: Sequence[Path], annotations: Sequence[Path], out: Path, name: str) -> Template:
    """Template of result folders or simulated recordings with their seven times; writes it and returns it."""
    if annotations and len(annotations) != len(results):
        raise HaustraError(f"{len(annotations)} annotation files for {len(results)} results: give one for each")
    if out.exists() and not is_template(out):
        raise HaustraError(f"{out} exists and is not a colon template: choose another file with --out")
    files = list(annotations) or [folder / "annotations.json" for folder in results]
    recordings = [_annotated(folder, file) for folder, file in zip(results, files, strict=True)]
    template = template_of(name, recordings)
    template.save(out)
    return template


def _annotated(folder: Path, annotations: Path) -> AnnotatedRecording:
    truth = folder / "truth.parquet"
    is_result = (folder / FRAMES[0]).is_file() or not truth.is_file()
    table = read_frames(folder) if is_result else read_frames(truth).filter(pl.col("phase") == "withdrawal")
    q_t = read_annotations(annotations)
    time_s = column(table, "time_s")
    if q_t[0] > time_s[-1] or q_t[6] < time_s[0]:
        raise HaustraError(f"{annotations}: no annotated time lies within the frames of {folder}")
    return AnnotatedRecording(folder.name, time_s, column(table, "location_index"), q_t)
