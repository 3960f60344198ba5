"""Everything that can be said about one result when the truth is known, with the oracle beside it.

The oracle is the accuracy that the true location index reaches with the same template: colons differ, so even a
perfect index does not reach 1, and a figure without it says little.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.annotations import read_annotations, segments_at
from haustra.anatomy.places import by_template, segment_numbers
from haustra.anatomy.segments import segments_of
from haustra.anatomy.template import Template, load_template, published_names
from haustra.errors import HaustraError
from haustra.evaluate.location import location_errors
from haustra.evaluate.segments import SegmentResult, Segments, segment_result
from haustra.evaluate.trajectory import relative_poses, simcol_errors, snippet_ate, trajectory_errors
from haustra.path.files import FORMATS, read_trajectory
from haustra.path.indices import time_index
from haustra.path.trajectory import chain
from haustra.poses import FloatArray
from haustra.result import Localization
from haustra.table import POSE_COLUMNS, SCOPEGUIDE_COLUMN, column, poses_of
from haustra.terms import Basis
from haustra.times import LONGEST_STEP_S, nearest

_SAME_FRAME_S = 0.034  # half a frame at 15 Hz: a sampled frame and the true frame it shows


@dataclass(frozen=True)
class RecordingTruth:
    """What is known: any of location index, segment (0 where there is none) and pose (NaN where there is none)."""

    time_s: FloatArray
    index: FloatArray | None = None
    segment: NDArray[np.int64] | None = None
    T_w_c: FloatArray | None = None

    def rows_at(self, time_s: FloatArray) -> NDArray[np.intp]:
        """Row of the truth for each time, -1 where none is near."""
        row = nearest(self.time_s, time_s)
        return np.where(np.abs(self.time_s[row] - time_s) <= _SAME_FRAME_S, row, -1)


def read_truth(source: Path) -> RecordingTruth:
    """Truth from a simulated folder or its truth.parquet, an annotations file with seven times, or a TUM/KITTI file."""
    if source.suffix.lower() in FORMATS:
        time_s, T_w_c = read_trajectory(source)
        return RecordingTruth(time_s, T_w_c=T_w_c)
    if source.suffix.lower() == ".json":
        q_t = read_annotations(source)
        # Annotations speak about any time between the first and the last: a fine grid stands for them.
        time_s = np.arange(q_t[0], q_t[6] + 0.01, 0.02)
        return RecordingTruth(time_s, segment=segments_at(q_t, time_s))
    table = source / "truth.parquet" if source.is_dir() else source
    if not table.is_file():
        raise HaustraError(
            f"{source} holds no truth: give a simulated folder, an annotations .json, a .tum or a .kitti file"
        )
    return truth_of(pl.read_parquet(table))


def truth_of(table: pl.DataFrame) -> RecordingTruth:
    """Truth of the withdrawal from the table of a simulated recording."""
    if "phase" in table.columns:
        table = table.filter(pl.col("phase") == "withdrawal")
    return RecordingTruth(
        time_s=column(table, "time_s"),
        index=column(table, "location_index"),
        segment=segment_numbers(table),
        T_w_c=poses_of(table),
    )


def evaluate_result(result: Localization, truth: RecordingTruth, template: Template | None = None) -> dict[str, Any]:
    """Figures of a result as it is, by its own template; with another template its segments are named anew."""
    if template is None:
        return evaluate_recording(result.frames, truth, result.template)
    return evaluate_recording(by_template(result.frames, template), truth, template)


def evaluate_recording(frames: pl.DataFrame, truth: RecordingTruth, template: Template) -> dict[str, Any]:
    """Figures of one result table, whose segments are by `template`, over its kept frames.

    What the truth does not hold is left out.
    """
    index, time_s = column(frames, "location_index"), column(frames, "time_s")
    kept = frames["kept"].to_numpy() if "kept" in frames.columns else np.ones(len(frames), dtype=bool)
    row = truth.rows_at(time_s)
    used = (row >= 0) & kept & np.isfinite(index)
    if not used.any():
        raise HaustraError("result and truth share no frame: are they of the same recording?")
    at, figures = row[used], {"frames": int(used.sum()), "template": template.name}
    if truth.segment is not None:
        by_time = _time_template(template)
        figures["time_template"] = by_time.name
        predicted = segment_numbers(frames)[used]
        figures["segments"] = _segment_figures(predicted, time_s[used], truth, at, template, by_time)
    if truth.index is not None:
        std = column(frames, "location_std")[used] if "location_std" in frames.columns else None
        figures["location"] = location_errors(index[used], truth.index[at], std).as_dict()
        figures["location_time_index"] = location_errors(time_index(time_s[used]).index, truth.index[at]).as_dict()
        if SCOPEGUIDE_COLUMN in frames.columns:
            guide = column(frames, SCOPEGUIDE_COLUMN)[used]
            figures["location_scopeguide"] = location_errors(guide, truth.index[at]).as_dict()
    if truth.T_w_c is not None and set(POSE_COLUMNS) <= set(frames.columns):
        T_w_c, T_true = poses_of(frames), np.full((len(frames), 4, 4), np.nan)
        T_true[used] = truth.T_w_c[at]
        both = np.isfinite(T_w_c).all(axis=(1, 2)) & np.isfinite(T_true).all(axis=(1, 2))
        figures |= _trajectory_figures(T_w_c[both], T_true[both], _estimated_pairs(frames, both))
    return figures


def _time_template(template: Template) -> Template:
    """A published template has a twin that was built by time from the same recordings; any other is used as it is."""
    by_time = f"{template.name}-time"
    return load_template(by_time) if by_time in published_names() else template


def _segment_figures(
    predicted: Segments,
    time_s: FloatArray,
    truth: RecordingTruth,
    at: NDArray[np.intp],
    template: Template,
    time_template: Template,
) -> dict[str, Any]:
    """The three figures of the result, of the oracle and of the time index."""
    assert truth.segment is not None
    segment = truth.segment[at]
    rows = {"result": segment_result(predicted, segment)}
    if truth.index is not None:
        rows["oracle"] = oracle(truth.index[at], segment, template)
    rows["time_index"] = segment_result(segments_of(time_index(time_s).index, time_template), segment)
    return {name: short(result) for name, result in rows.items()}


def oracle(true_index: FloatArray, segment: Segments, template: Template) -> SegmentResult:
    """What a perfect location index reaches with this template."""
    return segment_result(segments_of(true_index, template), segment)


def short(result: SegmentResult) -> dict[str, float]:
    return {
        "accuracy": result.accuracy,
        "average_segment_error": result.average_error,
        "max_segment_error": float(result.maximal_error),
    }


def _estimated_pairs(frames: pl.DataFrame, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which consecutive ones of these rows are pairs of the motion benchmark: near in time, all between them seen."""
    unseen = np.zeros(frames.height)
    if "basis" in frames.columns:
        unseen = np.cumsum((frames["basis"] != Basis.SEEN.value).to_numpy())
    near = np.diff(column(frames, "time_s")[rows]) <= LONGEST_STEP_S
    return np.asarray(near & (np.diff(unseen[rows]) == 0), np.bool_)


def _trajectory_figures(estimate: FloatArray, truth: FloatArray, paired: NDArray[np.bool_]) -> dict[str, Any]:
    """By the motion benchmark's protocol, gaps cut out of both; the whole path has a column of its own."""
    if len(truth) < 5 or paired.sum() < 5 or not float(np.ptp(estimate[:, :3, 3], axis=0).max()) > 0:
        return {}
    whole = trajectory_errors(estimate, truth).ate_sim3_rmse
    estimate, truth = (
        chain(relative_poses(T_w_c)[paired], np.arange(paired.sum() + 1)).T_w_c for T_w_c in (estimate, truth)
    )
    snippet, snippet_std = snippet_ate(estimate, truth)
    figures = {
        **trajectory_errors(estimate, truth).as_dict(),
        "snippet_ate": snippet,
        "snippet_ate_std": snippet_std,
        **simcol_errors(estimate, truth),
        "with_gaps_ate_sim3_rmse": whole,
    }
    return {"pairs": int(paired.sum()), "trajectory": figures}
