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
from haustra.anatomy.places import segment_numbers
from haustra.anatomy.segments import segments_of
from haustra.anatomy.template import DEFAULT_TEMPLATE, Template, load_template
from haustra.errors import HaustraError
from haustra.evaluate.location import location_errors
from haustra.evaluate.segments import SegmentResult, segment_result
from haustra.evaluate.trajectory import simcol_errors, snippet_ate, trajectory_errors
from haustra.path.files import FORMATS, read_trajectory
from haustra.path.indices import time_index
from haustra.poses import FloatArray
from haustra.table import POSE_COLUMNS, column, poses_of
from haustra.times import nearest

TIME_TEMPLATE = "paper-set2-time"
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


def evaluate_recording(frames: pl.DataFrame, truth: RecordingTruth, template: Template | None = None) -> dict[str, Any]:
    """Figures of one result table over its kept frames; what the truth does not hold is left out."""
    template = template or load_template(DEFAULT_TEMPLATE)
    index, time_s = column(frames, "location_index"), column(frames, "time_s")
    kept = frames["kept"].to_numpy() if "kept" in frames.columns else np.ones(len(frames), dtype=bool)
    row = truth.rows_at(time_s)
    used = (row >= 0) & kept & np.isfinite(index)
    if not used.any():
        raise HaustraError("result and truth share no frame: are they of the same recording?")
    at, figures = row[used], {"frames": int(used.sum()), "template": template.name}
    if truth.segment is not None:
        figures["segments"] = _segment_figures(index[used], time_s[used], truth, at, template)
    if truth.index is not None:
        std = column(frames, "location_std")[used] if "location_std" in frames.columns else None
        figures["location"] = location_errors(index[used], truth.index[at], std).as_dict()
        figures["location_time_index"] = location_errors(time_index(time_s[used]).index, truth.index[at]).as_dict()
    if truth.T_w_c is not None and set(POSE_COLUMNS) <= set(frames.columns):
        figures["trajectory"] = _trajectory_figures(poses_of(frames)[used], truth.T_w_c[at])
    return figures


def _segment_figures(
    index: FloatArray, time_s: FloatArray, truth: RecordingTruth, at: NDArray[np.intp], template: Template
) -> dict[str, Any]:
    """The three figures of the result, of the oracle and of the time index."""
    assert truth.segment is not None
    segment = truth.segment[at]
    rows = {"result": segment_result(segments_of(index, template), segment)}
    if truth.index is not None:
        rows["oracle"] = oracle(truth.index[at], segment, template)
    by_time = segments_of(time_index(time_s).index, load_template(TIME_TEMPLATE))
    rows["time_index"] = segment_result(by_time, segment)
    return {name: short(result) for name, result in rows.items()}


def oracle(true_index: FloatArray, segment: NDArray[np.int64], template: Template) -> SegmentResult:
    """What a perfect location index reaches with this template."""
    return segment_result(segments_of(true_index, template), segment)


def short(result: SegmentResult) -> dict[str, float]:
    return {
        "accuracy": result.accuracy,
        "average_segment_error": result.average_error,
        "max_segment_error": float(result.maximal_error),
    }


def _trajectory_figures(estimate: FloatArray, truth: FloatArray) -> dict[str, float]:
    both = np.isfinite(estimate).all(axis=(1, 2)) & np.isfinite(truth).all(axis=(1, 2))
    estimate, truth = estimate[both], truth[both]
    if len(truth) < 5 or not float(np.ptp(estimate[:, :3, 3], axis=0).max()) > 0:
        return {}
    snippet, snippet_std = snippet_ate(estimate, truth)
    return {
        **trajectory_errors(estimate, truth).as_dict(),
        "snippet_ate": snippet,
        "snippet_ate_std": snippet_std,
        **simcol_errors(estimate, truth),
    }
