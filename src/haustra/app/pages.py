"""The pages of the app: the report's own body and scripts for a review, as modules; a board; a look at a recording."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from haustra.core.segments import SEGMENT_COLOURS
from haustra.report.shell import asset, fill, script_safe_json

# What may be asked for by name, and nothing else.
PACKAGES = {"report": "haustra.report", "app": "haustra.app"}
TYPES = {".js": "text/javascript", ".css": "text/css"}


def assets() -> dict[tuple[str, str], tuple[str, str]]:
    """Text and type of every script and style, by package and name."""
    found = {}
    for short, package in PACKAGES.items():
        for file in (files(package) / "assets").iterdir():
            kind = TYPES.get("." + file.name.rpartition(".")[2])
            if kind is not None:
                found[short, file.name] = (file.read_text(encoding="utf-8"), kind)
    return found


def board_page(data: Mapping[str, Any]) -> str:
    """The board of recordings."""
    return _page("Haustra", _own("board.html"), data, "board.js")


def setup_page(data: Mapping[str, Any]) -> str:
    """A recording to look at and set up before it is located."""
    return _page("Set up", _own("setup.html"), data, "setup.js")


def agreement_page() -> str:
    """How far the readers of a cohort agree."""
    segments = [{"name": name, "colour": colour} for name, colour in SEGMENT_COLOURS.items()]
    return _page("Agreement", _own("agreement.html"), {"segments": segments}, "agreement.js")


def review_page(data: Mapping[str, Any]) -> str:
    """The report page with a bar above it."""
    body = _own("bar.html") + fill(asset("report.html"), {"video": ""})
    return _page("Review", body, data, "review-page.js")


def message_page(line: str, back: str = "/") -> str:
    """One line that a person can do something about."""
    return _page("Haustra", _own("message.html"), {"line": line, "back": back}, "message.js")


def _page(title: str, body: str, data: Mapping[str, Any], script: str) -> str:
    parts = {"title": title, "body": body, "data": script_safe_json(data), "script": f"/assets/app/{script}"}
    return fill(_own("app.html"), parts)


def _own(name: str) -> str:
    return asset(name, "haustra.app")
