"""The report page: one html file that works offline, from the table of frames and what the run knows about itself."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import polars as pl

from haustra.anatomy.finding_marks import BIOPSY, MARKS
from haustra.anatomy.findings import DETECTED
from haustra.anatomy.frame_places import has_segments
from haustra.anatomy.parameters import DEFAULT
from haustra.core.files import write_text
from haustra.core.segments import COLON
from haustra.report import figures
from haustra.report.facts import about, boundaries, subtitle, title
from haustra.report.headline import headline, purpose
from haustra.report.map_data import colon_map_data, findings_data
from haustra.report.methods_paragraph import methods_paragraph
from haustra.report.review_data import review_data
from haustra.report.shell import asset, fill, make_page
from haustra.report.strip import StripImage
from haustra.report.suitability import suitability
from haustra.report.uncertainty import fastest_places, uncertain_places

if TYPE_CHECKING:
    from haustra.anatomy import Template
    from haustra.anatomy.frame_places import Located

EMBED_BYTES: Final = 20_000_000
# Modules, each after those that it imports; the app serves them as they are.
SCRIPTS: Final = (
    *("dom.js", "lookup.js", "review.js", "store.js", "findings.js", "player.js", "curve.js", "handles.js"),
    *("colonmap.js", "path3d.js", "sections.js", "panel.js", "main.js"),
)


@dataclass(frozen=True)
class OverlayVideo:
    """The overlay and the time of the recording that its first picture shows."""

    file: Path
    start_s: float


def write_report(
    out: Path,
    located: Located,
    summary: Mapping[str, Any],
    *,
    template: Template,
    findings: pl.DataFrame | None = None,
    strip: Sequence[StripImage] = (),
    overlay: OverlayVideo | None = None,
    review: Mapping[str, Any] | None = None,
    embed_bytes: int = EMBED_BYTES,
) -> None:
    """Write the page; the arguments are those of `page_data`.

    A short overlay is put inside the page; a longer one is played from beside it, under its own name.
    """
    embed = overlay is not None and overlay.file.stat().st_size <= embed_bytes
    shown = None if overlay is None else _overlay_data(overlay, embed)
    data = page_data(located, summary, template=template, findings=findings, strip=strip, overlay=shown, review=review)
    video = base64.b64encode(overlay.file.read_bytes()).decode("ascii") if overlay is not None and embed else ""
    write_text(out, render(data, video))


def page_data(
    located: Located,
    summary: Mapping[str, Any],
    *,
    template: Template,
    findings: pl.DataFrame | None = None,
    strip: Sequence[StripImage] = (),
    overlay: Mapping[str, Any] | None = None,
    review: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What the page shows. `findings` is the table of `anatomy.findings.place_findings` without what a reader noted:
    that is part of the `review` (`report.review_data`)."""
    found, more = findings_data(findings)
    table = located.table
    places, warnings = _places(located, template), [str(warning) for warning in summary.get("warnings", [])]
    to_check = len(warnings) + len(places["uncertain"]) + len(places["fastest"])
    return places | {
        "title": title(summary),
        "subtitle": subtitle(table, summary),
        "purpose": purpose(located, summary),
        "facts": headline(located, summary, _said(findings, summary), to_check),
        "boundaries": boundaries(summary),
        "findings": found,
        "finding_marks": [asdict(mark) for mark in (*MARKS, BIOPSY)],
        "same_event_s": DEFAULT.findings.same_event_s,
        "more_findings": more,
        "strip": [_picture(image) for image in strip],
        "warnings": warnings,
        "methods": methods_paragraph(summary),
        "about": about(summary),
        "suitability": suitability(summary, strip),
        "levels": (summary.get("abstention") or {}).get("levels", []),
        "abstains": bool((summary.get("abstention") or {}).get("asked")),
        "overlay": overlay,
        "review": review or review_data(table, summary),
    }


def _places(located: Located, template: Template) -> dict[str, Any]:
    """Where the camera was, as curve, map, path and figures."""
    table = located.table
    return {
        "placed": has_segments(table),
        "span": [float(table["time_s"][0]), float(table["time_s"][-1])] if table.height else [0.0, 0.0],
        "segments": [{"name": one.name, "colour": one.colour, "flexure": one.flexure} for one in COLON],
        "curve": figures.curve(table),
        "runs": figures.segment_lane(table),
        "dropped": figures.dropped(table),
        "path": figures.path_points(table),
        "map": colon_map_data(template),
        "figures": figures.segment_figures(located),
        "uncertain": uncertain_places(table),
        "fastest": fastest_places(table),
    }


def _said(findings: pl.DataFrame | None, summary: Mapping[str, Any]) -> int:
    """How many findings somebody gave or noted; what was detected is counted by itself."""
    counted = summary.get("findings")
    if isinstance(counted, Mapping):
        return int(counted["count"] or 0)
    return 0 if findings is None else findings.filter(pl.col("affected") & (pl.col("by") != DETECTED)).height


def render(data: Mapping[str, Any], video_base64: str = "") -> str:
    """The page of these data; a video inside it is a block of its own beside them."""
    body = fill(asset("report.html"), {"video": video_base64})
    return make_page("Haustra report", body, data, styles=[asset("report.css")], scripts=[*map(asset, SCRIPTS)])


def _picture(image: StripImage) -> dict[str, Any]:
    source = "data:image/jpeg;base64," + base64.b64encode(image.jpeg).decode("ascii")
    return {"t": image.time_s, "loc": image.location_index, "seg": image.segment, "src": source}


def _overlay_data(overlay: OverlayVideo, embedded: bool) -> dict[str, Any]:
    source = None if embedded else quote(overlay.file.name)
    return {"src": source, "name": overlay.file.name, "start": overlay.start_s, "panel": True}
