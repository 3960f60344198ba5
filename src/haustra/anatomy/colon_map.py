"""A drawing of the colon on which a location index has a place: one SVG path per segment, and markers.

The colon is drawn as a physician sees it, the patient's right on the left. Segments have the drawn length that looks
right; a location index is taken to the drawing segment by segment, so it always lies in the segment of its template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.interpolate import CubicSpline

from haustra.anatomy.finding_marks import Mark, marks_of
from haustra.anatomy.template import Template
from haustra.core.arrays import FloatArray
from haustra.core.markup import escape
from haustra.core.segments import SEGMENT_COLOURS
from haustra.core.vocabulary import SEGMENTS

WIDTH, HEIGHT = 640, 584
# Course of the drawing, and which of its points begin the six segments and end the last one.
_COURSE = np.array(
    [
        [142, 438], [140, 400], [136, 352], [132, 280], [132, 205], [140, 150], [172, 120], [222, 150], [290, 184],
        [364, 172], [430, 122], [474, 84], [510, 104], [520, 168], [524, 250], [520, 330], [500, 392], [448, 418],
        [398, 384], [350, 366], [312, 396], [314, 444], [322, 486], [320, 528],
    ],
    dtype=float,
)  # fmt: skip
_BEGINS = (0, 2, 6, 11, 16, 21, 23)
_CALIBRE = (34.0, 31.0, 26.0, 24.0, 19.0, 24.0)
_FOLDS = (2, 6, 9, 8, 9, 3)
LABELS = {
    "cecum": (192, 424, "start"),
    "ascending": (184, 318, "start"),
    "transverse": (312, 244, "middle"),
    "descending": (478, 300, "end"),
    "sigmoid": (520, 456, "middle"),
    "rectum": (360, 482, "start"),
}
_STEPS = 80  # points drawn for each segment
_MARK = 6.5  # radius of the mark of a finding
_LEGEND_LEFT, _LEGEND_LINE = 24, 20


@dataclass(frozen=True)
class Marker:
    """A place on the map; `strength` between 0 and 1 gives the depth of colour, `text` is its tooltip.

    Marks of one `kind` look alike. `location_std` is how uncertain the place is.
    """

    location_index: float
    text: str
    strength: float = 1.0
    kind: str = ""
    location_std: float = 0.0


@cache
def _drawing() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Centre line, unit normals and radius along the drawing, `_STEPS` points per segment and one more."""
    at = np.concatenate([np.linspace(a, b, _STEPS, endpoint=False) for a, b in pairwise(_BEGINS)])
    at = np.append(at, _BEGINS[-1])
    spline = CubicSpline(np.arange(len(_COURSE)), _COURSE)
    direction = spline(at, 1)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    middles = (np.arange(len(SEGMENTS)) + 0.5) * _STEPS
    radius = np.interp(np.arange(len(at)), middles, _CALIBRE)
    folds = np.concatenate([np.linspace(0, n, _STEPS, endpoint=False) for n in _FOLDS])
    folds = np.append(folds, 0.0)
    bulge = np.abs(np.sin(np.pi * folds)) ** 0.6
    return spline(at), np.stack([-direction[:, 1], direction[:, 0]], axis=1), radius * (0.84 + 0.16 * bulge)


def point_at(location_index: float, template: Template, across: float = 0.0) -> tuple[float, float]:
    """Where a location index lies in the drawing; `across` from -1 to 1 moves it from wall to wall."""
    centre, normal, radius = _drawing()
    at = float(np.interp(location_index, _increasing(template.boundaries), np.arange(len(SEGMENTS) + 1) * _STEPS))
    x, y = (_lookup(at, centre[:, k]) + across * _lookup(at, radius) * _lookup(at, normal[:, k]) for k in range(2))
    return round(x, 1), round(y, 1)


def _lookup(at: float, values: FloatArray) -> float:
    return float(np.interp(at, np.arange(len(values)), values))


def _increasing(boundaries: FloatArray) -> FloatArray:
    """np.interp wants no repeated points, which an empty segment would give."""
    return boundaries + 1e-12 * np.arange(len(boundaries))


def segment_outline(number: int) -> FloatArray:
    """The outline (n, 2) of segment 1..6; the cecum is closed by its blind pole."""
    centre, normal, radius = _drawing()
    part = slice((number - 1) * _STEPS, number * _STEPS + 1)
    left = centre[part] + normal[part] * radius[part, None]
    right = (centre[part] - normal[part] * radius[part, None])[::-1]
    pole = _pole() if number == 1 else np.empty((0, 2))
    return np.concatenate([left, right, pole]).round(1)


def segment_path(number: int) -> str:
    """The outline of segment 1..6 as SVG path data."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in segment_outline(number)) + "Z"


def _pole() -> FloatArray:
    """Half an ellipse from the right to the left wall of the cecum, bulging away from the ascending colon."""
    centre, normal, radius = _drawing()
    back = np.array([normal[0, 1], -normal[0, 0]])  # against the direction of travel is -d; d = (n_y, -n_x)
    angle = np.linspace(0, np.pi, 24)[1:-1]
    side = -np.cos(angle)[:, None] * normal[0] * radius[0]
    return centre[0] + side - np.sin(angle)[:, None] * back * radius[0] * 0.95


def colon_map_svg(
    template: Template,
    markers: Sequence[Marker] = (),
    *,
    notes: Mapping[str, Sequence[str]] | None = None,
    title: str = "Colon map",
) -> str:
    """The whole picture. `notes` are lines under the names of segments. All text is escaped."""
    legend, below = _legend(markers)
    height = HEIGHT + below
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(title)}" font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fdfaf7"/>',
        f'<text x="24" y="38" font-size="19" font-weight="600" fill="#3b2a26">{escape(title)}</text>',
        '<text x="24" y="545" font-size="12" fill="#8d7a73">patient\'s right</text>',
        f'<text x="{WIDTH - 24}" y="545" text-anchor="end" font-size="12" fill="#8d7a73">patient\'s left</text>',
        *([] if SEGMENTS[0] in template.missing else [_APPENDIX]),
        *_segments(template),
        *_folds(template),
        *_labels(notes or {}),
        *_markers(markers, template),
        *legend,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


_APPENDIX = (
    '<path class="appendix" d="M134 462q-2 22 -22 26q-16 3 -20 18" fill="none" stroke="#7d4437" '
    'stroke-width="9" stroke-linecap="round"/>'
)


def _segments(template: Template) -> list[str]:
    """Rectum first, so that each segment lies over the beginning of the next; missing ones are outlines."""
    styles = {
        name: 'fill="none" stroke="#c9b5ae" stroke-dasharray="5 5"'
        if name in template.missing
        else f'fill="{SEGMENT_COLOURS[name]}" stroke="#7d4437"'
        for name in SEGMENTS
    }
    return [
        f'<path class="segment" data-segment="{name}" d="{segment_path(k)}" {styles[name]} '
        f'stroke-width="2" stroke-linejoin="round"><title>{name}</title></path>'
        for k, name in reversed(list(enumerate(SEGMENTS, 1)))
    ]


def _folds(template: Template) -> list[str]:
    """Half-moon folds between the bulges, from either wall in turn."""
    centre, normal, radius = _drawing()
    lines = []
    for k, count in enumerate(_FOLDS):
        if SEGMENTS[k] in template.missing:
            continue
        for fold in range(1, count):
            at = k * _STEPS + round(fold * _STEPS / count)
            side = 1.0 if fold % 2 else -1.0
            wall, tip = (centre[at] + side * share * radius[at] * normal[at] for share in (1.0, 0.15))
            along = 0.3 * radius[at] * np.array([normal[at, 1], -normal[at, 0]])
            (x1, y1), (x2, y2), (x3, y3) = wall, (wall + tip) / 2 + along, tip
            lines.append(
                f'<path d="M{x1:.1f} {y1:.1f}Q{x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f}" fill="none" stroke="#7d4437" '
                'stroke-opacity="0.45" stroke-width="2" stroke-linecap="round"/>'
            )
    return lines


def _labels(notes: Mapping[str, Sequence[str]]) -> list[str]:
    lines = []
    for name, (x, y, anchor) in LABELS.items():
        lines.append(
            f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="15" font-weight="600" fill="#3b2a26">'
            f"{name.capitalize()}</text>"
        )
        lines += [
            f'<text x="{x}" y="{y + 18 + 16 * k}" text-anchor="{anchor}" font-size="12.5" fill="#6d5750">'
            f"{escape(note)}</text>"
            for k, note in enumerate(notes.get(name, ()))
        ]
    return lines


def _markers(markers: Sequence[Marker], template: Template) -> list[str]:
    """Marks spread over the lumen so that neighbours can be told apart; the strongest are drawn last."""
    marks = marks_of(marker.kind for marker in markers)
    lines, spreads = [], []
    for k, marker in sorted(enumerate(markers), key=lambda pair: pair[1].strength):
        across = 0.55 * np.sin(2.4 * k) if len(markers) > 1 else 0.0
        x, y = point_at(marker.location_index, template, float(across))
        opacity = 0.25 + 0.75 * min(max(marker.strength, 0.0), 1.0)
        mark = marks[marker.kind]
        lines.append(
            f'<polygon class="finding" points="{_points(mark, x, y)}" fill="{mark.colour}" '
            f'fill-opacity="{opacity:.2f}" stroke="#fff" stroke-width="1.6">'
            f"<title>{escape(marker.text)}</title></polygon>"
        )
        spreads.append(_spread(marker, mark, template, float(across)))
    return [*spreads, *lines]


def _points(mark: Mark, x: float, y: float) -> str:
    return " ".join(f"{x + _MARK * dx:.1f},{y + _MARK * dy:.1f}" for dx, dy in mark.outline)


def _spread(marker: Marker, mark: Mark, template: Template, across: float) -> str:
    """One standard deviation to either side, along the colon."""
    low, high = (float(np.clip(marker.location_index + side * marker.location_std, 0, 1)) for side in (-1, 1))
    steps = [point_at(float(at), template, across) for at in np.linspace(low, high, 13)]
    points = " ".join(f"{x},{y}" for x, y in steps)
    return (
        f'<polyline class="spread" points="{points}" fill="none" stroke="{mark.colour}" stroke-opacity="0.5" '
        'stroke-width="3.5" stroke-linecap="round"/>'
    )


def _legend(markers: Sequence[Marker]) -> tuple[list[str], int]:
    """Below the drawing, in lines, and how much room they need beyond one; a kind without a name needs none."""
    marks = marks_of(marker.kind for marker in markers)
    lines, x, y = [], _LEGEND_LEFT, HEIGHT - 14
    for kind in (kind for kind in marks if kind and any(one.kind == kind for one in markers)):
        shown = kind if len(kind) <= 24 else kind[:23] + "…"
        wide = 36 + 7 * len(shown)
        if x > _LEGEND_LEFT and x + wide > WIDTH:
            x, y = _LEGEND_LEFT, y + _LEGEND_LINE
        lines.append(
            f'<polygon points="{_points(marks[kind], x + 6, y - 4)}" fill="{marks[kind].colour}"/>'
            f'<text class="kind" x="{x + 18}" y="{y}" font-size="12.5" fill="#3b2a26">{escape(shown)}</text>'
        )
        x += wide
    return lines, y - HEIGHT + 14
