"""Small SVG plots without a plotting library: curves, scatter plots, heat maps, and panels of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.markup import escape

TRUTH = "truth"
POINTS = 300  # per curve at most: more cannot be seen
LEFT, RIGHT, TOP, BOTTOM = 54, 12, 30, 62  # room around the box of a plot
TICKS = 6
LEGEND_LINE = 15
_COLOURS = (
    "#0b62d6", "#d1495b", "#2a9d5c", "#e09f1f", "#7b4fb3", "#00838f", "#8d5524", "#6b7280", "#c2185b", "#65a30d",
    "#f472b6", "#1e3a8a",
)  # fmt: skip
_BLACK = "#111111"
_DARKEST = (11, 60, 130)
_STYLE = 'font-family="sans-serif" font-size="12"'


class Drawing(str):
    """The text of an SVG that knows its width and height."""

    size: tuple[int, int]


@dataclass(frozen=True)
class Curve:
    """Points (n, 2) in data units; where one is not finite the line is broken."""

    name: str
    points: FloatArray
    dashed: bool = False


class PlotBox:
    """The frame of a plot: data to pixels, with ticks along both axes."""

    def __init__(self, curves: Sequence[Curve], size: tuple[int, int], equal: bool) -> None:
        known = np.concatenate([curve.points[_is_known(curve.points)] for curve in curves])
        known = known if len(known) else np.array([[0.0, 0.0], [1.0, 1.0]])
        self.low, high = known.min(axis=0), known.max(axis=0)
        self.width, self.height = size[0] - LEFT - RIGHT, size[1] - TOP - BOTTOM
        span = np.maximum(high - self.low, 1e-9)
        margin = 0.03 * span
        self.low, span = self.low - margin, span + 2 * margin
        scale = np.array([self.width, self.height]) / span
        if equal:  # equal scales on both axes, centred
            centre = self.low + span / 2
            scale = np.full(2, scale.min())
            self.low = centre - np.array([self.width, self.height]) / scale / 2
        self.scale = scale

    def __call__(self, points: FloatArray) -> FloatArray:
        xy = (points - self.low) * self.scale
        return np.column_stack([LEFT + xy[:, 0], TOP + self.height - xy[:, 1]])

    def ticks(self, axis: int) -> list[float]:
        """Round numbers within the axis."""
        reach = (self.width, self.height)[axis] / self.scale[axis]
        step = 10.0 ** np.floor(np.log10(reach / TICKS))
        step *= next(factor for factor in (1, 2, 5, 10) if reach / (step * factor) <= TICKS)
        first = np.ceil(self.low[axis] / step) * step
        return [float(value) + 0.0 for value in np.arange(first, self.low[axis] + reach, step)]

    def frame(self, axes: tuple[str, str]) -> str:
        """Frame, grid, tick labels and axis names."""
        right, bottom = LEFT + self.width, TOP + self.height
        parts = []
        for value in self.ticks(0):
            x = LEFT + (value - self.low[0]) * self.scale[0]
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" stroke="#eee"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle" font-size="10">{value:g}</text>')
        for value in self.ticks(1):
            y = bottom - (value - self.low[1]) * self.scale[1]
            parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eee"/>')
            parts.append(f'<text x="{LEFT - 5}" y="{y + 3:.1f}" text-anchor="end" font-size="10">{value:g}</text>')
        parts.append(
            f'<rect x="{LEFT}" y="{TOP}" width="{self.width}" height="{self.height}" fill="none" stroke="#999"/>'
        )
        places = f"{LEFT + self.width / 2} {bottom + 29}", f"13 {TOP + self.height / 2}) rotate(-90"
        for name, at in zip(axes, places, strict=True):
            parts.append(f'<text transform="translate({at})" text-anchor="middle" fill="#444">{escape(name)}</text>')
        return "".join(parts)


def plot(
    curves: Sequence[Curve],
    title: str,
    axes: tuple[str, str],
    *,
    size: tuple[int, int] = (440, 340),
    equal: bool = False,
) -> Drawing:
    """Curves in one box; the ground truth is black and on top."""
    box = PlotBox(curves, size, equal)
    coloured = [curve for curve in curves if curve.name != TRUTH]
    colours = {curve.name: _COLOURS[k % len(_COLOURS)] for k, curve in enumerate(coloured)}
    ordered = [*coloured, *(curve for curve in curves if curve.name == TRUTH)]
    lines = [_lines(box(curve.points), colours.get(curve.name, _BLACK), curve.dashed) for curve in ordered]
    legend, more = _legend([(curve, colours.get(curve.name, _BLACK)) for curve in curves], size)
    return _svg((size[0], size[1] + more), _title(title) + box.frame(axes) + "".join(lines) + legend)


def scatter(points: Curve, title: str, axes: tuple[str, str], *, size: tuple[int, int] = (440, 340)) -> Drawing:
    """A scatter plot."""
    box = PlotBox([points], size, equal=False)
    circles = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_COLOURS[0]}" fill-opacity="0.75"/>'
        for x, y in box(points.points)
        if np.isfinite(x) and np.isfinite(y)
    ]
    return _svg(size, _title(title) + box.frame(axes) + "".join(circles))


def panels(drawings: Sequence[Drawing], columns: int) -> Drawing:
    """Drawings in a grid, row by row."""
    width, height = (max(drawing.size[k] for drawing in drawings) for k in range(2))
    rows = -(-len(drawings) // columns)
    placed = [
        text.replace("<svg ", f'<svg x="{k % columns * width}" y="{k // columns * height}" ', 1)
        for k, text in enumerate(drawings)
    ]
    return _svg((width * min(columns, len(drawings)), height * rows), "".join(placed))


def heat_map(matrix: FloatArray, names: Sequence[str], title: str) -> Drawing:
    """Rows annotated, columns predicted, in percent of the annotated frames."""
    cell, left, top = 54, 90, 60
    parts = [_title(title)]
    for i, name in enumerate(names):
        parts.append(f'<text x="{left - 6}" y="{top + cell * i + 31}" text-anchor="end">{name}</text>')
        parts.append(f'<text x="{left + cell * i + 27}" y="{top - 8}" text-anchor="middle" font-size="9">{name}</text>')
        for j, value in enumerate(matrix[i]):
            known = bool(np.isfinite(value))
            red, green, blue = (round(255 - (255 - full) * (float(value) if known else 0.0)) for full in _DARKEST)
            ink = "#fff" if known and value > 0.55 else _BLACK
            x, y = left + cell * j, top + cell * i
            parts.append(f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="rgb({red},{green},{blue})"/>')
            text = f"{100 * value:.1f}" if known else "-"
            parts.append(f'<text x="{x + 27}" y="{y + 31}" text-anchor="middle" fill="{ink}">{text}</text>')
    side = cell * len(names)
    return _svg((left + side + 10, top + side + 10), "".join(parts))


def _title(text: str) -> str:
    return f'<text x="10" y="18" font-weight="bold">{escape(text)}</text>'


def _lines(xy: FloatArray, colour: str, dashed: bool) -> str:
    """A line for each stretch without a hole, a dot where that is one point."""
    drawn, holes = _drawn_rows(xy), np.cumsum(~_is_known(xy))
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    style = f'fill="none" stroke="{colour}" stroke-width="1.5"{dash}'
    stretches = np.split(drawn, np.flatnonzero(np.diff(holes[drawn])) + 1) if len(drawn) else []
    texts = [[f"{x:.1f},{y:.1f}" for x, y in xy[rows]] for rows in stretches]
    dot = ' stroke-linecap="round"'
    return "".join(
        f'<polyline points="{" ".join(points if len(points) > 1 else 2 * points)}" {style}'
        f"{'' if len(points) > 1 else dot}/>"
        for points in texts
    )


def _drawn_rows(xy: FloatArray) -> NDArray[np.intp]:
    """Known rows: all, or both ends and the outermost of each bin, so that a spike of one sample is drawn."""
    known = np.flatnonzero(_is_known(xy))
    if len(known) <= POINTS:
        return known
    # A curve over x is thinned by its heights, a path in a plane by both coordinates.
    axes = (1,) if (np.diff(xy[known, 0]) >= 0).all() else (0, 1)
    bins = np.array_split(known, POINTS // (2 * len(axes)) - 1)
    outermost = [row for part in bins for k in axes for row in (part[xy[part, k].argmin()], part[xy[part, k].argmax()])]
    return np.unique(np.array([known[0], *outermost, known[-1]], np.intp))


def _is_known(points: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(np.isfinite(points).all(axis=1))


def _legend(entries: Sequence[tuple[Curve, str]], size: tuple[int, int]) -> tuple[str, int]:
    """The legend, and how far it extends below `size`."""
    x, y, parts = 10, size[1] - 8, []
    for curve, colour in entries:
        wide = 32 + round(6.2 * len(curve.name))
        if x + wide > size[0] and x > 10:
            x, y = 10, y + LEGEND_LINE
        dash = ' stroke-dasharray="5 4"' if curve.dashed else ""
        stroke = f'stroke="{colour}" stroke-width="2"{dash}'
        parts.append(f'<line x1="{x}" x2="{x + 16}" y1="{y - 4}" y2="{y - 4}" {stroke}/>')
        parts.append(f'<text x="{x + 20}" y="{y}" fill="{colour}" font-size="11">{escape(curve.name)}</text>')
        x += wide
    return "".join(parts), y + 8 - size[1]


def _svg(size: tuple[int, int], body: str) -> Drawing:
    width, height = size
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    drawing = Drawing(f'<svg xmlns="http://www.w3.org/2000/svg" {box} {_STYLE}>{paper}{body}</svg>\n')
    drawing.size = size
    return drawing
