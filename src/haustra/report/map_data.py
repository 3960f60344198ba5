"""Places for the report page: the colon drawing of `anatomy.colon_map` as numbers, and the findings on it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl

from haustra.anatomy import SEGMENTS, Template
from haustra.anatomy.colon_map import LABELS, point_at, segment_outline, segment_path

LINE_POINTS: Final = 241
LUMEN: Final = 44.0
MOST_FINDINGS: Final = 200
MARGIN: Final = 8.0
COLUMNS: Final = (
    *("time_s", "label", "kind", "score", "biopsied", "lasts_s", "size_mm", "note", "by"),
    *("location_index", "location_std", "segment", "p_segment"),
)


def colon_map_data(template: Template) -> dict[str, Any]:
    """Outline and name of each segment, whether it is there, and points along the lumen, the i-th at i / (n - 1)."""
    # From the rectum on, so that each segment lies over the beginning of the next.
    numbers = range(len(SEGMENTS), 0, -1)
    labels = {name: {"x": x, "y": y, "anchor": anchor} for name, (x, y, anchor) in LABELS.items()}
    return {
        "viewBox": view_box(),
        "width": LUMEN,
        "segments": [
            {
                "name": SEGMENTS[k - 1],
                "d": segment_path(k),
                "label": labels[SEGMENTS[k - 1]],
                "missing": SEGMENTS[k - 1] in template.missing,
            }
            for k in numbers
        ],
        "line": [list(point_at(i / (LINE_POINTS - 1), template)) for i in range(LINE_POINTS)],
    }


def view_box() -> list[float]:
    """The drawing without the room for a title around it: left, top, width, height."""
    outline = np.concatenate([segment_outline(k) for k in range(1, len(SEGMENTS) + 1)])
    low, high = outline.min(axis=0) - MARGIN, outline.max(axis=0) + MARGIN
    return [*low.tolist(), *(high - low).tolist()]


def findings_data(findings: pl.DataFrame | None) -> tuple[list[dict[str, Any]], int]:
    """The findings to list and how many more there are: another model's score of every frame would fill the page."""
    if findings is None or findings.is_empty():
        return [], 0
    present = findings.filter("affected") if "affected" in findings.columns else findings
    listed = present.sort("score", descending=True, nulls_last=False).head(MOST_FINDINGS).sort("time_s")
    rows = listed.select(COLUMNS).with_columns(pl.selectors.float().fill_nan(None)).to_dicts()
    return rows, present.height - listed.height
