"""The curve of location over time as an SVG drawing: bands by segment, uncertainty, dropped stretches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from haustra.anatomy.frame_places import has_segments
from haustra.core.segments import SEGMENT_COLOURS
from haustra.core.times import format_time
from haustra.report.figures import curve, dropped, percent, segment_lane

WIDTH: Final = 900
HEIGHT: Final = 304
LEFT, RIGHT, TOP, BOTTOM = 66, 12, 26, 52
POINTS: Final = 1200  # more cannot be told apart at this width
NAMES: Final = tuple(SEGMENT_COLOURS)
TICKS_S: Final = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200)
MOST_TICKS: Final = 12
LETTER: Final = 7  # pixels of a letter, about


@dataclass(frozen=True)
class _Axes:
    """Seconds and location index as pixels: the cecum is above, as on the page."""

    start_s: float
    end_s: float

    def x(self, time_s: float) -> float:
        share = (time_s - self.start_s) / max(self.end_s - self.start_s, 1e-9)
        return round(LEFT + min(max(share, 0.0), 1.0) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, location: float) -> float:
        return round(TOP + location * (HEIGHT - TOP - BOTTOM), 1)


def curve_svg(table: pl.DataFrame) -> str:
    """The drawing has a ground of its own: it looks the same in a dark notebook."""
    time_s = table["time_s"]
    axes = _Axes(float(time_s[0]), float(time_s[-1])) if table.height else _Axes(0.0, 1.0)
    drawn = curve(table, points=POINTS)
    inside = [
        *_bands(table, axes),
        *_scale(table, axes),
        *_dropped(table, axes),
        *_band(drawn, axes),
        _line(drawn, axes),
    ]
    style = 'font-family="sans-serif" font-size="11" fill="#5c6670"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" {style}><title>Location over time</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>{"".join(inside)}</svg>\n'
    )


def _bands(table: pl.DataFrame, axes: _Axes) -> Iterator[str]:
    for run in segment_lane(table):
        if run["segment"] < 0:
            continue
        left, right = axes.x(run["start"]), axes.x(run["end"])
        name = NAMES[run["segment"]]
        yield _box(left, right, axes.y(0), axes.y(1), SEGMENT_COLOURS[name], 0.16)
        yield _box(left, right, HEIGHT - BOTTOM + 4, HEIGHT - BOTTOM + 14, SEGMENT_COLOURS[name], 1)
        if right - left > LETTER * len(name):
            yield _text((left + right) / 2, TOP - 8, "middle", name.capitalize())


def _scale(table: pl.DataFrame, axes: _Axes) -> Iterator[str]:
    named = has_segments(table)
    for share in (0.0, 0.5, 1.0):
        ends = {0.0: "Cecum", 1.0: "Rectum"} if named else {}
        words = ends.get(share) or (f"{share:.1f}" if named else percent(share))
        yield f'<path d="M{LEFT} {axes.y(share)}H{WIDTH - RIGHT}" stroke="#e2e0dc"/>'
        yield _text(LEFT - 8, axes.y(share) + 4, "end", words)
    wanted_s = (axes.end_s - axes.start_s) / MOST_TICKS
    step_s = next((step for step in TICKS_S if step >= wanted_s), TICKS_S[-1])
    for tick in range(int(-(-axes.start_s // step_s)), int(axes.end_s // step_s) + 1):
        yield _text(axes.x(tick * step_s), HEIGHT - 8, "middle", format_time(tick * step_s))


def _dropped(table: pl.DataFrame, axes: _Axes) -> Iterator[str]:
    if "kept" not in table.columns:
        return
    yield _text(LEFT - 8, HEIGHT - BOTTOM + 27, "end", "Dropped")
    for span in dropped(table):
        colour = "#1d2329" if span["biopsy"] else "#9aa1a8"
        yield _box(axes.x(span["start"]), axes.x(span["end"]), HEIGHT - BOTTOM + 18, HEIGHT - BOTTOM + 28, colour, 1)


def _stretches(drawn: dict[str, list[Any]]) -> Iterator[list[int]]:
    """Points in a row that are known: nothing is drawn across a hole."""
    row: list[int] = []
    for i, value in enumerate(drawn["loc"]):
        if value is not None:
            row.append(i)
        elif row:
            yield row
            row = []
    if row:
        yield row


def _band(drawn: dict[str, list[Any]], axes: _Axes) -> Iterator[str]:
    for row in _stretches(drawn):
        around = [(i, "lo") for i in row] + [(i, "hi") for i in reversed(row)]
        points = " ".join(f"{axes.x(drawn['t'][i])},{axes.y(drawn[side][i])}" for i, side in around)
        yield f'<polygon points="{points}" fill="#1d2329" fill-opacity="0.16"/>'


def _line(drawn: dict[str, list[Any]], axes: _Axes) -> str:
    parts = [
        "M" + "L".join(f"{axes.x(drawn['t'][i])} {axes.y(drawn['loc'][i])}" for i in row) for row in _stretches(drawn)
    ]
    return f'<path class="line" d="{"".join(parts)}" fill="none" stroke="#1d2329" stroke-width="1.6"/>'


def _box(left: float, right: float, top: float, bottom: float, colour: str, opacity: float) -> str:
    place = f'x="{left}" y="{top}" width="{max(right - left, 0.5):.1f}" height="{bottom - top:.1f}"'
    return f'<rect {place} fill="{colour}" fill-opacity="{opacity}"/>'


def _text(x: float, y: float, anchor: str, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'
