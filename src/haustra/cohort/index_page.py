"""`index.html`: all recordings of a cohort on one page that works offline; sortable, filterable, a curve per row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from haustra.anatomy.withdrawal_figures import RECOMMENDED_MIN
from haustra.core.segments import SEGMENT_COLOURS
from haustra.core.vocabulary import SEGMENTS
from haustra.report.shell import asset, make_page

SCRIPTS = ("charts.js", "rows.js", "index.js")


@dataclass(frozen=True)
class PageRow:
    """A row of recordings.csv and its location curve."""

    row: Mapping[str, Any]
    curve: Sequence[float]


def index_page(rows: Sequence[PageRow]) -> str:
    """Everything travels as JSON in a data block and reaches the page as text only."""
    data = {
        "segments": [{"name": name, "colour": colour} for name, colour in SEGMENT_COLOURS.items()],
        "guideline_min": RECOMMENDED_MIN,
        "evaluated": any(row.row["segment_accuracy"] is not None for row in rows),
        "rows": [_data(row) for row in rows],
    }
    styles, scripts = [asset("report.css"), _asset("index.css")], [asset("dom.js"), *map(_asset, SCRIPTS)]
    return make_page("Haustra cohort", _asset("index.html"), data, styles=styles, scripts=scripts)


def _data(page_row: PageRow) -> dict[str, Any]:
    """Short names: a page of ten thousand recordings stays a few megabytes."""
    row = page_row.row
    finished = row["state"] == "finished"
    return {
        "id": row["recording"],
        "state": row["state"],
        "href": f"recordings/{quote(str(row['recording']))}/report.html" if finished else None,
        "curve": list(page_row.curve),
        "total": _rounded(row["withdrawal_time_s"], 1),
        "net": _rounded(row["net_time_s"], 1),
        "dropped": _rounded(row["dropped_share"], 4),
        "cecum": row["cecum_seen"],
        "times": [_rounded(row[f"{name}_time_s"], 1) for name in SEGMENTS],
        "accuracy": _rounded(row["segment_accuracy"], 4),
        "notes": row["error"] or row["warnings"] or "",
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _asset(name: str) -> str:
    return asset(name, "haustra.cohort")
