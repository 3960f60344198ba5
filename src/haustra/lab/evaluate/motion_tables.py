"""Tables of camera motion in the paper's layout: over recordings, each recording, the paper's EndoSLAM tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from haustra.lab.datasets.endoslam import PAPER_CAMERAS, PAPER_TRAJECTORIES
from haustra.lab.evaluate.motion_evaluation import MotionEvaluation, MotionResult
from haustra.lab.evaluate.paper_tables import METHOD_ROWS, beside_paper, paper_table
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows

OURS = "ours"
# The paper prints metres and degrees times 100.
CM_PER_MM = 0.1


def motion_tables(found: MotionEvaluation) -> list[ResultTable]:
    """Over recordings, each recording, other protocols; for EndoSLAM's six videos also the paper's two tables."""
    tables = [over_recordings(found), of_each(found), by_other_protocols(found)]
    named = [f"{camera} {title}" for camera in PAPER_CAMERAS for title in PAPER_TRAJECTORIES]
    if found.dataset == "endoslam" and set(found.recordings) & set(named):
        tables += [high_resolution(found), overall_endoslam(found)]
    return tables


def over_recordings(found: MotionEvaluation) -> ResultTable:
    """Mean (std) over recordings, one row per method, with a note on ours against the best other."""
    unit = found.length_unit
    columns = [f"ate_sim3_rmse ({unit})", f"rpe_trans ({unit})", "rpe_rot (deg)", "failed share"]
    rows = {}
    for method, results in found.results.items():
        ones = list(results.values())
        figures = [[getattr(one.errors, n) for one in ones] for n in ("ate_sim3_rmse", "rpe_trans", "rpe_rot_deg")]
        rows[method] = [Value.of(values) for values in (*figures, [one.failed_share for one in ones])]
    title = f"Camera motion on {found.dataset}: mean (std) over {len(found.recordings)} recordings"
    return of_rows("motion", title, columns, rows, notes=(*found.notes, *_verdict(found)))


def by_other_protocols(found: MotionEvaluation) -> ResultTable:
    """What other works print under the same names by other protocols: not comparable with the columns above."""
    names = ("snippet_ate", "simcol_ate_median", "simcol_rte_median", "simcol_rot_deg_median")
    rows = {
        method: [Value.of([one.protocols.get(name, np.nan) for one in results.values()]) for name in names]
        for method, results in found.results.items()
    }
    title = f"Camera motion on {found.dataset} by the protocols of other works: mean (std) over recordings"
    return of_rows("motion-other-protocols", title, names, rows)


def _verdict(found: MotionEvaluation) -> list[str]:
    """ATE of ours relative to the best other method."""
    ate = {
        method: float(np.mean([one.errors.ate_sim3_rmse for one in results.values()]))
        for method, results in found.results.items()
    }
    others = {method: value for method, value in ate.items() if method != OURS}
    if OURS not in ate or not others:
        return []
    best = min(others, key=others.__getitem__)
    paper = paper_ratio()
    return [
        f"ATE of ours over the best other ({best}): {ate[OURS] / others[best]:.2f}"
        f" (in the paper, over the best of its four rivals: {paper:.2f})."
    ]


def paper_ratio() -> float:
    """The paper's ATE over all EndoSLAM videos, proposed method relative to its best rival."""
    table = paper_table("tab:overall_endoslam")
    ate = {row.name: cell.mean for row in table.rows if (cell := row.cells[6]) is not None}
    rivals = [ate[METHOD_ROWS[name]] for name in ("sfmlearner", "geonet", "sc-sfmlearner", "liu2013")]
    return ate["Proposed"] / min(rivals)


def of_each(found: MotionEvaluation) -> ResultTable:
    """Three columns per recording; the standard deviation is over frames (ATE) and over pairs of frames (RPE)."""
    unit = found.length_unit
    columns = [f"ATE ({unit})", f"RPE Trans. ({unit})", "RPE Rot. (deg)"] * len(found.recordings)
    rows = {
        method: [cell for name in found.recordings for cell in _three(results[name], 1.0, 1.0)]
        for method, results in found.results.items()
    }
    groups = tuple((name, 3) for name in found.recordings)
    title = f"Camera motion on each recording of {found.dataset}: mean (std) over pairs of frames"
    return of_rows("motion-by-recording", title, columns, rows, groups=groups)


def _three(one: MotionResult, length: float, angle: float) -> list[Value]:
    e = one.errors
    pairs = ((e.ate_sim3_mean, e.ate_sim3_std), (e.rpe_trans, e.rpe_trans_std))
    lengths = [Value(length * mean, length * std) for mean, std in pairs]
    return [*lengths, Value(angle * e.rpe_rot_deg, angle * e.rpe_rot_deg_std)]


def high_resolution(found: MotionEvaluation) -> ResultTable:
    """The paper's tab:high-resolution."""
    return each_video(found, "tab:high-resolution", [f"HighCam {title}" for title in PAPER_TRAJECTORIES])


def overall_endoslam(found: MotionEvaluation) -> ResultTable:
    """The paper's tab:overall_endoslam: each camera, and both."""
    parts = [[name for name in found.recordings if name.startswith(camera)] for camera in (*PAPER_CAMERAS, "")]
    return over_videos(found, "tab:overall_endoslam", parts)


def each_video(found: MotionEvaluation, label: str, videos: Sequence[str]) -> ResultTable:
    """Three columns per video in the paper's units; the standard deviation is over pairs of frames."""

    def cells(results: dict[str, MotionResult]) -> list[Value | None]:
        return [c for n in videos for c in (_three(results[n], CM_PER_MM, 100.0) if n in results else [None] * 3)]

    known = set(videos) <= {f"HighCam {title}" for title in PAPER_TRAJECTORIES}
    groups = paper_table(label).groups if known else tuple((name, 3) for name in videos)
    return _beside(found, label, cells, groups)


def over_videos(found: MotionEvaluation, label: str, parts: Sequence[Sequence[str]]) -> ResultTable:
    """Three columns per group of videos; the standard deviation is over videos."""

    def cells(results: dict[str, MotionResult]) -> list[Value | None]:
        return [cell for part in parts for cell in _over([results[name] for name in part if name in results])]

    return _beside(found, label, cells, paper_table(label).groups)


def _over(ones: Sequence[MotionResult]) -> list[Value | None]:
    figures = (("ate_sim3_mean", CM_PER_MM), ("rpe_trans", CM_PER_MM), ("rpe_rot_deg", 100.0))
    return [Value.of([scale * getattr(one.errors, name) for one in ones]) for name, scale in figures]


def _beside(
    found: MotionEvaluation,
    label: str,
    cells: Callable[[dict[str, MotionResult]], list[Value | None]],
    groups: tuple[tuple[str, int], ...],
) -> ResultTable:
    paper = paper_table(label)
    rows = {METHOD_ROWS.get(method, method): cells(results) for method, results in found.results.items()}
    return beside_paper(of_rows(label, paper.title, paper.columns, rows, groups=groups))
