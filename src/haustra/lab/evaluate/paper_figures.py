"""The paper's figures with data: trajectories on the ground truth, location over time, confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.core.files import write_text
from haustra.core.vocabulary import SEGMENTS
from haustra.lab.evaluate.locate_dataset import TIME, Case
from haustra.lab.evaluate.motion_evaluation import MotionEvaluation, MotionResult
from haustra.lab.evaluate.segment_scores import SegmentSummary
from haustra.lab.evaluate.svg import TRUTH, Curve, Drawing, heat_map, plot
from haustra.lab.evaluate.trajectory_errors import umeyama


def path_figures(folder: Path, found: MotionEvaluation) -> list[Path]:
    """Trajectories of all methods on the ground truth (fig:endoslam): a file per recording, in its principal plane."""
    written = []
    for name in found.recordings:
        results = {method: rows[name] for method, rows in found.results.items() if name in rows}
        written.append(folder / f"path-{_stem(name)}.svg")
        write_text(written[-1], path_plot(results, f"{name}: paths on the truth", found.length_unit))
    return written


def path_plot(results: Mapping[str, MotionResult], title: str, unit: str) -> Drawing:
    """All methods on one recording, each after its own similarity alignment."""
    truth = next(iter(results.values())).truth.positions
    plane = Plane(truth)
    curves = [Curve(TRUTH, plane(truth))]
    for method, one in results.items():
        if float(np.ptp(one.path.positions, axis=0).max()) > 0:
            aligned = umeyama(one.path.positions, truth).apply(one.path.T_w_c)[:, :3, 3]
            curves.append(Curve(method, plane(aligned)))
    return plot(curves, title, (f"across ({unit})", f"up ({unit})"), equal=True)


class Plane:
    """Projection of positions (n, 3) on the first two principal axes of a path."""

    def __init__(self, positions: FloatArray) -> None:
        self._middle = positions.mean(axis=0)
        self._plane = np.linalg.svd(positions - self._middle, full_matrices=False)[2][:2].T

    def __call__(self, positions: FloatArray) -> FloatArray:
        return np.asarray((positions - self._middle) @ self._plane)


def location_figures(folder: Path, cases: Sequence[Case]) -> list[Path]:
    """Location over time with time index and ScopeGuide (fig:tragectory): one file per recording."""
    written = []
    for case in cases:
        written.append(folder / f"location-{_stem(case.name)}.svg")
        write_text(written[-1], location_plot(case))
    return written


def location_plot(case: Case) -> Drawing:
    """Every location index of a recording; the time index is dashed, as in the paper."""
    curves = [
        Curve(name, np.column_stack([case.time_s, index]), dashed=name == TIME) for name, index in case.index.items()
    ]
    if case.location is not None:
        curves.insert(0, Curve(TRUTH, np.column_stack([case.time_s, case.location])))
    return plot(curves, f"{case.name}: location index over time", ("seconds", "location index"))


def confusion_figures(folder: Path, summaries: Mapping[str, SegmentSummary], rows: Sequence[str]) -> list[Path]:
    """The paper's four confusion matrices (fig:cm_1), numbered like its tables of scores."""
    written = []
    for number, row in enumerate(rows, 1):
        if row in summaries:
            written.append(folder / f"confusion-{number}.svg")
            write_text(written[-1], confusion_map(summaries[row], row))
    return written


def confusion_map(summary: SegmentSummary, row: str) -> Drawing:
    """Rows annotated, columns predicted, in percent of the annotated frames."""
    return heat_map(summary.confusion, SEGMENTS, row)


def _stem(name: str) -> str:
    return name.replace("/", "-").replace(" ", "-")
