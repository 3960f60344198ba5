"""The report page: one html file that works offline, from the table of frames and what the run knows about itself.

Everything that comes from a file travels as JSON in a data block and reaches the page as text only; the page's own
script and style are named by their hashes in its content security policy: nothing else can run, nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import polars as pl

from haustra.anatomy.colours import SEGMENT_COLOURS
from haustra.files import write_text
from haustra.report import figures
from haustra.report.facts import about, headline, subtitle, title
from haustra.report.places import colon_map_data, findings_data
from haustra.report.strip import StripImage
from haustra.report.uncertainty import uncertain_places

if TYPE_CHECKING:
    from haustra.anatomy import Template
    from haustra.anatomy.places import Located

EMBED_BYTES: Final = 20_000_000
SCRIPTS: Final = ("dom.js", "player.js", "curve.js", "colonmap.js", "path3d.js", "sections.js", "main.js")


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
    embed_bytes: int = EMBED_BYTES,
) -> None:
    """Write the page; `findings` is the table of `anatomy.findings.place_findings`.

    A short overlay is put inside the page; a longer one is played from beside it, under its own name.
    """
    embed = overlay is not None and overlay.file.stat().st_size <= embed_bytes
    found, more = findings_data(findings)
    table = located.table
    data = _places(located, template) | {
        "title": title(summary),
        "subtitle": subtitle(table, summary),
        "facts": headline(located, summary, len(found) + more),
        "findings": found,
        "more_findings": more,
        "strip": [_picture(image) for image in strip],
        "warnings": [str(warning) for warning in summary.get("warnings", [])],
        "about": about(summary),
        "overlay": None if overlay is None else _overlay_data(overlay, embed),
    }
    video = base64.b64encode(overlay.file.read_bytes()).decode("ascii") if overlay is not None and embed else ""
    write_text(out, render(data, video))


def _places(located: Located, template: Template) -> dict[str, Any]:
    """Where the camera was, as curve, map, path and figures."""
    table = located.table
    return {
        "span": [float(table["time_s"][0]), float(table["time_s"][-1])] if table.height else [0.0, 0.0],
        "segments": [{"name": name, "colour": colour} for name, colour in SEGMENT_COLOURS.items()],
        "boundaries": figures.rounded(template.boundaries, 4),
        "curve": figures.curve(table),
        "dropped": figures.dropped(table),
        "path": figures.path_points(table),
        "map": colon_map_data(template),
        "figures": figures.segment_figures(located),
        "uncertain": uncertain_places(table),
    }


def render(data: Mapping[str, Any], video_base64: str = "") -> str:
    """Put data, style and script into the template; each goes in once, so nothing in the data is taken for a mark."""
    script = "(() => {\n'use strict';\n" + "\n".join(asset(name) for name in SCRIPTS) + "})();\n"
    style = asset("report.css")
    parts = {
        "policy": content_policy(script, style),
        "style": style,
        "data": script_safe_json(data),
        "video": video_base64,
        "script": script,
    }
    page = []
    for i, piece in enumerate(asset("template.html").split("%%")):
        page.append(parts[piece] if i % 2 else piece)
    return "".join(page)


def script_safe_json(value: Any) -> str:
    """JSON that cannot end or comment out the script element it stands in, whatever its strings hold."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def content_policy(script: str, style: str) -> str:
    """Only the page's own script and style; pictures from the data; the video from inside or from beside the page."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; media-src 'self' file: blob:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def asset(name: str) -> str:
    """A file of the page, as text."""
    return (files("haustra.report") / "assets" / name).read_text(encoding="utf-8")


def _picture(image: StripImage) -> dict[str, Any]:
    source = "data:image/jpeg;base64," + base64.b64encode(image.jpeg).decode("ascii")
    return {"t": image.time_s, "loc": image.location_index, "seg": image.segment, "src": source}


def _overlay_data(overlay: OverlayVideo, embedded: bool) -> dict[str, Any]:
    return {"src": None if embedded else quote(overlay.file.name), "name": overlay.file.name, "start": overlay.start_s}
