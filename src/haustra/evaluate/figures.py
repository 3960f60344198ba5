"""Figures of the paper as small SVG files: paths on the truth, location over time, confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haustra.evaluate.located import Case
from haustra.evaluate.motion import MotionEvaluation, MotionResult
from haustra.evaluate.segments import SegmentSummary
from haustra.evaluate.trajectory import umeyama
from haustra.files import write_text
from haustra.poses import FloatArray
from haustra.terms import SEGMENTS

TRUTH = "truth"
POINTS = 500  # of a curve: more cannot be seen
_COLOURS = ("#0b62d6", "#d1495b", "#2a9d5c", "#e09f1f", "#7b4fb3", "#00838f", "#8d5524", "#6b7280", "#c2185b")
_BLACK = "#111111"
_DARKEST = (11, 60, 130)
_STYLE = 'font-family="sans-serif" font-size="12"'


@dataclass(frozen=True)
class Curve:
    """Points (n, 2) in units of the data; not finite ones break the line."""

    name: str
    points: FloatArray


def plot(
    curves: Sequence[Curve],
    title: str,
    axes: tuple[str, str],
    *,
    size: tuple[int, int] = (440, 340),
    equal: bool = False,
) -> str:
    """One SVG with the curves in one box and the range of both axes; the truth is black and on top."""
    known = np.concatenate([curve.points[np.isfinite(curve.points).all(axis=1)] for curve in curves])
    low, high = known.min(axis=0), known.max(axis=0)
    span = np.maximum(high - low, 1e-9)
    width, height = size
    scale = np.array([width - 20, height - 80]) / span
    if equal:
        scale = np.full(2, scale.min())
    lines, legend = [], []
    coloured = [curve for curve in curves if curve.name != TRUTH]
    colours = {curve.name: _COLOURS[k % len(_COLOURS)] for k, curve in enumerate(coloured)}
    for curve in (*coloured, *(curve for curve in curves if curve.name == TRUTH)):
        colour = colours.get(curve.name, _BLACK)
        xy = (curve.points - low) * scale
        lines.append(_polyline(np.column_stack([10 + xy[:, 0], height - 50 - xy[:, 1]]), colour))
        legend.append(f'<tspan fill="{colour}" dx="8">{escape(curve.name)}</tspan>')
    head = f'<text x="10" y="16" font-weight="bold">{escape(title)}</text>'
    box = f'<rect x="10" y="30" width="{width - 20}" height="{height - 80}" fill="none" stroke="#ccc"/>'
    ranges = "; ".join(f"{name} {low[k]:.4g} to {high[k]:.4g}" for k, name in enumerate(axes))
    foot = f'<text x="10" y="{height - 32}" fill="#555">{escape(ranges)}</text>'
    return _svg(size, head + box + "".join(lines) + foot + f'<text x="2" y="{height - 10}">{"".join(legend)}</text>')


def _polyline(xy: FloatArray, colour: str) -> str:
    keep = np.unique(np.linspace(0, len(xy) - 1, min(len(xy), POINTS)).astype(np.intp))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in xy[keep] if np.isfinite(x) and np.isfinite(y))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def _svg(size: tuple[int, int], body: str) -> str:
    width, height = size
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {_STYLE}>{paper}{body}</svg>\n'


def path_figures(folder: Path, found: MotionEvaluation) -> list[Path]:
    """The paper's trajectories of all methods on the truth: one file a recording, in the plane of most of its way."""
    written = []
    axes = (f"across, {found.length_unit}:", f"up, {found.length_unit}:")
    for name in found.recordings:
        results = {method: rows[name] for method, rows in found.results.items() if name in rows}
        written.append(folder / f"path-{_stem(name)}.svg")
        write_text(written[-1], plot(_path_curves(results), f"{name}: paths on the truth", axes, equal=True))
    return written


def _path_curves(results: Mapping[str, MotionResult]) -> list[Curve]:
    truth = next(iter(results.values())).truth.positions
    middle = truth.mean(axis=0)
    plane = np.linalg.svd(truth - middle, full_matrices=False)[2][:2].T
    curves = [Curve(TRUTH, (truth - middle) @ plane)]
    for method, one in results.items():
        if float(np.ptp(one.path.positions, axis=0).max()) > 0:
            aligned = umeyama(one.path.positions, truth).apply(one.path.T_w_c)[:, :3, 3]
            curves.append(Curve(method, (aligned - middle) @ plane))
    return curves


def location_figures(folder: Path, cases: Sequence[Case]) -> list[Path]:
    """The paper's location curves with time and ScopeGuide: one file a recording, index over seconds."""
    written = []
    for case in cases:
        curves = [Curve(name, np.column_stack([case.time_s, index])) for name, index in case.index.items()]
        if case.location is not None:
            curves.insert(0, Curve(TRUTH, np.column_stack([case.time_s, case.location])))
        written.append(folder / f"location-{_stem(case.name)}.svg")
        write_text(written[-1], plot(curves, f"{case.name}: location index over time", ("seconds", "index")))
    return written


def confusion_figures(folder: Path, summaries: Mapping[str, SegmentSummary], rows: Sequence[str]) -> list[Path]:
    """The paper's four confusion matrices, numbered as its tables of scores are."""
    written = []
    for number, row in enumerate(rows, 1):
        if row in summaries:
            written.append(folder / f"confusion-{number}.svg")
            write_text(written[-1], heat_map(summaries[row].confusion, row))
    return written


def heat_map(matrix: NDArray[np.float64], title: str) -> str:
    """Rows annotated, columns predicted, in percent of the annotated frames."""
    cell, left, top = 54, 90, 60
    parts = [f'<text x="10" y="18" font-weight="bold">{escape(title)}</text>']
    for i, name in enumerate(SEGMENTS):
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
    side = cell * len(SEGMENTS)
    return _svg((left + side + 10, top + side + 10), "".join(parts))


def _stem(name: str) -> str:
    return name.replace("/", "-").replace(" ", "-")
