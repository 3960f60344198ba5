"""The library calls behind `haustra place`, `haustra template build` and `haustra map`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from haustra import __version__
from haustra.anatomy.annotations import read_annotations
from haustra.anatomy.colon_map import Marker, colon_map_svg
from haustra.anatomy.findings import detected_biopsies, place_findings, read_findings, summarise_findings
from haustra.anatomy.segments import segments_of
from haustra.anatomy.template import (
    DEFAULT_TEMPLATE,
    SEGMENTS,
    AnnotatedRecording,
    Template,
    load_template,
    template_of,
)
from haustra.anatomy.withdrawal import withdrawal_figures
from haustra.errors import HaustraError
from haustra.files import read_json, replacing, write_json, write_text
from haustra.path import DEFAULT_SMOOTHING, location_index
from haustra.path.files import read_trajectory
from haustra.table import column, frames_table, place_columns, pose_columns, read_frames, write_frames
from haustra.times import format_time


def place_trajectory(
    trajectory: Path, out: Path, *, template: str = DEFAULT_TEMPLATE, smoothing: float | None = None
) -> dict[str, Any]:
    """Location index and segments of a trajectory file; writes the table and the summary, and returns the summary."""
    colon = load_template(template)
    time_s, T_w_c = read_trajectory(trajectory)
    gamma = DEFAULT_SMOOTHING if smoothing is None else smoothing
    location = location_index(T_w_c[:, :3, 3], smoothing=gamma)
    table = frames_table(
        {
            "frame": np.arange(len(time_s)),
            "time_s": time_s,
            **pose_columns(T_w_c),
            **place_columns(location.index, location.std, colon),
        }
    )
    unseen = np.isnan(T_w_c[:, 0, 3])
    figures = withdrawal_figures(time_s, location.index, segments_of(location.index, colon), unseen)
    summary = {
        "haustra": __version__,
        "trajectory": trajectory.name,
        "poses": len(time_s),
        "smoothing": gamma,
        "template": {"name": colon.name, "mean": colon.mean.tolist(), "built_from": list(colon.built_from)},
        "withdrawal": figures.as_dict(),
        "warnings": list(location.warnings),
    }
    write_frames(out, table)
    colon.save(out / "template.json")
    write_json(out / "summary.json", summary)
    return summary


def build_template_from(results: Sequence[Path], annotations: Sequence[Path], out: Path, name: str) -> Template:
    """Template of result folders or simulated recordings with their seven times; writes it and returns it."""
    if annotations and len(annotations) != len(results):
        raise HaustraError(f"{len(annotations)} annotation files for {len(results)} results: give one for each")
    files = list(annotations) or [folder / "annotations.json" for folder in results]
    recordings = [_annotated(folder, file) for folder, file in zip(results, files, strict=True)]
    template = template_of(name, recordings)
    template.save(out)
    return template


def _annotated(folder: Path, annotations: Path) -> AnnotatedRecording:
    truth = folder / "truth.parquet"
    is_result = (folder / "frames.parquet").is_file() or not truth.is_file()
    table = read_frames(folder) if is_result else read_frames(truth).filter(pl.col("phase") == "withdrawal")
    q_t = read_annotations(annotations)
    time_s = column(table, "time_s")
    if q_t[0] > time_s[-1] or q_t[6] < time_s[0]:
        raise HaustraError(f"{annotations}: no annotated time lies within the frames of {folder}")
    return AnnotatedRecording(folder.name, time_s, column(table, "location_index"), q_t)


def map_result(result: Path, findings: Path | None, out: Path, *, template: str | None = None) -> dict[str, Any]:
    """Findings of a file and detected biopsies as places; writes two tables and a picture, returns the figures."""
    frames = read_frames(result)
    colon = load_template(template) if template else _template_of_result(result)
    given = read_findings(findings) if findings else []
    placed = place_findings([*given, *detected_biopsies(frames)], frames)
    segments = summarise_findings(placed, colon)
    for name, table in (("findings.csv", placed), ("segments.csv", segments)):
        with replacing(out / name) as temporary:
            table.write_csv(temporary, float_precision=6)
    write_text(out / "colon_map.svg", findings_map(placed, segments, colon, title=f"Findings: {result.resolve().name}"))
    return {
        "findings": len(placed),
        "outside": int(placed["segment"].is_null().sum()),
        "share_of_colon": float(segments["share_of_colon"].sum()),
        "segments": segments.to_dicts(),
    }


def _template_of_result(result: Path) -> Template:
    own = (result if result.is_dir() else result.parent) / "template.json"
    if own.is_file():
        return load_template(own)
    summary = own.with_name("summary.json")
    entry = read_json(summary).get("template") if summary.is_file() else None
    return load_template(str(entry["name"]) if isinstance(entry, dict) and "name" in entry else DEFAULT_TEMPLATE)


def findings_map(placed: pl.DataFrame, segments: pl.DataFrame, template: Template, *, title: str) -> str:
    """The picture: a dot for each finding that affects the colon, deeper with its score, and figures per segment."""
    shown = placed.filter(pl.col("affected") & pl.col("location_index").is_not_null())
    top = max(float(shown["score"].max() or 0.0), 1e-12)  # type: ignore[arg-type]
    markers = [
        Marker(
            row["location_index"],
            f"{row['label']} at {format_time(row['time_s'])}, {row['segment']} ({100 * row['p_segment']:.0f} %)",
            1.0 if row["score"] is None else row["score"] / top,
        )
        for row in shown.iter_rows(named=True)
    ]
    notes = {name: _note(row) for name, row in zip(SEGMENTS, segments.iter_rows(named=True), strict=True)}
    return colon_map_svg(template, markers, notes=notes, title=title)


def _note(row: dict[str, Any]) -> list[str]:
    if not row["findings"]:
        return ["no findings"]
    lines = [f"{row['findings']} finding{'s' if row['findings'] > 1 else ''}"]
    lines.append(f"{100 * row['share_of_segment']:.0f} % affected")
    return lines + ([f"worst score {row['worst_score']:g}"] if row["worst_score"] is not None else [])
