"""`haustra map`: where findings and detected biopsies lie in the colon, as two tables and a colon map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from haustra import __version__
from haustra.anatomy.colon_map import Marker, colon_map_svg
from haustra.anatomy.findings import detected_biopsies, events_of, place_findings, summarise_findings
from haustra.anatomy.findings_file import read_findings, stored_findings
from haustra.anatomy.frame_places import by_template, shown_colon
from haustra.anatomy.template import Template, load_template
from haustra.core.errors import HaustraError
from haustra.core.files import write_json, write_text
from haustra.core.sharing import is_shared, sharing
from haustra.core.times import format_time
from haustra.core.vocabulary import SEGMENTS
from haustra.correctable import noted_findings
from haustra.corrections import show_findings
from haustra.localization import open_result
from haustra.results.folder import FINDINGS, MAP, OBSERVATIONS, SUMMARY, check_output
from haustra.results.table import HAS_SEGMENT, write_csv
from haustra.results.versions import history

PICTURE, SEGMENTS_TABLE = "colon_map.svg", "findings_by_segment.csv"


def map_result(result: Path, findings: Path | None, out: Path, *, template: str | None = None) -> dict[str, Any]:
    """Place findings and the biopsies of a result, by its own template unless one is given.

    Findings of a file are then also shown by the result's own page; without a file those count that it has already.
    What readers noted counts in any case.
    """
    if out.resolve() == (result if result.is_dir() else result.parent).resolve():
        raise HaustraError(f"{out} is the result itself: choose another folder for the map with --out")
    check_output(out, [] if findings is None else [findings], (MAP, PICTURE, FINDINGS, SEGMENTS_TABLE))
    opened = open_result(result)
    colon, frames = opened.template, opened.frames
    if template:
        colon = load_template(template)
        frames = by_template(frames, colon)
    colon = shown_colon(frames, colon)
    given = read_findings(findings) if findings else stored_findings(opened.folder / FINDINGS)
    versions = history(opened.folder)
    noted = noted_findings(versions[-1].annotations, versions) if versions else ()
    placed = place_findings(events_of([*given, *noted], detected_biopsies(frames)), frames)
    segments = summarise_findings(placed, colon)
    figures = {
        "haustra": __version__,
        "template": colon.name,
        "findings": len(placed),
        "outside": placed.filter(~HAS_SEGMENT).height,
        "share_of_colon": float(segments["share_of_colon"].sum()),
        "segments": segments.to_dicts(),
    }
    picture = findings_map(placed, segments, colon, title=f"Findings: {result.resolve().name}")
    if findings and (opened.folder / OBSERVATIONS).is_file():
        show_findings(opened.folder, given)  # which may be refused: then nothing is written
    with sharing(is_shared(opened.folder / SUMMARY)):
        for name, table in ((FINDINGS, placed), (SEGMENTS_TABLE, segments)):
            write_csv(out / name, table)
        write_text(out / PICTURE, picture)
        write_json(out / MAP, figures)
    return figures


def findings_map(placed: pl.DataFrame, segments: pl.DataFrame, template: Template, *, title: str) -> str:
    """The colon map: a mark for each finding by its kind, darker with its score, and figures per segment.

    Findings without a segment are not drawn: progress through an unidentified part is not a place in the colon.
    """
    shown = placed.filter(pl.col("affected") & HAS_SEGMENT)
    top = max(float(shown["score"].max() or 0.0), 1e-12)  # type: ignore[arg-type]
    markers = [
        Marker(
            row["location_index"],
            f"{row['label']} at {format_time(row['time_s'])}, {row['segment']}{_sure(row)}",
            1.0 if row["score"] is None else row["score"] / top,
            row["kind"],
            row["location_std"] or 0.0,
        )
        for row in shown.iter_rows(named=True)
    ]
    notes = {name: _note(row) for name, row in zip(SEGMENTS, segments.iter_rows(named=True), strict=True)}
    return colon_map_svg(template, markers, notes=notes, title=title)


def _sure(row: dict[str, Any]) -> str:
    return "" if row["p_segment"] is None else f" ({100 * row['p_segment']:.0f} %)"


def _note(row: dict[str, Any]) -> list[str]:
    if not row["findings"]:
        return ["no findings"]
    lines = [f"{row['findings']} finding{'s' if row['findings'] > 1 else ''}"]
    lines.append(f"{100 * row['share_of_segment']:.0f} % affected")
    return lines + ([f"worst score {row['worst_score']:g}"] if row["worst_score"] is not None else [])
