"""Scores of one result against ground truth: location, segments, trajectory.

Segment accuracy stands beside an oracle, the accuracy of the true location index with the same template: segment
lengths differ between patients, so even a perfect index does not reach 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.annotated_times import read_annotations, segments_at
from haustra.anatomy.frame_places import by_template
from haustra.anatomy.intervals import segment_numbers
from haustra.anatomy.template import Template, load_template, published_names
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.times import LONGEST_STEP_S, nearest
from haustra.core.vocabulary import Basis
from haustra.lab.datasets.truth_table import read_truth_table
from haustra.lab.evaluate.location_errors import LocationErrors, location_errors
from haustra.lab.evaluate.segment_scores import SegmentResult, Segments, segment_result
from haustra.lab.evaluate.trajectory_errors import relative_poses, simcol_errors, snippet_ate, trajectory_errors
from haustra.localization import Localization
from haustra.path.indices import time_index
from haustra.path.trajectory import chain
from haustra.path.trajectory_files import FORMATS, read_trajectory
from haustra.results.table import POSE_COLUMNS, SCOPEGUIDE_COLUMN, column, poses_of

_SAME_FRAME_S = 0.034  # half a frame at 15 Hz


@dataclass(frozen=True)
class RecordingTruth:
    """Ground truth over time: any of location index, segment (0: none) and pose (NaN: none)."""

    time_s: FloatArray
    index: FloatArray | None = None
    segment: NDArray[np.int64] | None = None
    T_w_c: FloatArray | None = None

    def rows_at(self, time_s: FloatArray) -> NDArray[np.intp]:
        """Row of the truth for each time, -1 where none is within half a frame."""
        row = nearest(self.time_s, time_s)
        return np.where(np.abs(self.time_s[row] - time_s) <= _SAME_FRAME_S, row, -1)


def read_truth(source: Path) -> RecordingTruth:
    """Truth from a simulated folder or its truth.parquet, an annotations file with seven times, or a TUM/KITTI file."""
    if source.suffix.lower() in FORMATS:
        time_s, T_w_c = read_trajectory(source)
        return RecordingTruth(time_s, T_w_c=T_w_c)
    if source.suffix.lower() == ".json":
        q_t = read_annotations(source)
        # Annotations cover every moment between the first and the last time: sample them finely.
        time_s = np.arange(q_t[0], q_t[-1] + 0.01, 0.02)
        return RecordingTruth(time_s, segment=segments_at(q_t, time_s))
    table = source / "truth.parquet" if source.is_dir() else source
    if not table.is_file():
        raise HaustraError(
            f"{source} holds no ground truth: give a simulated folder, an annotations .json, a .tum or a .kitti file"
        )
    truth = truth_of(read_truth_table(table))
    if not len(truth.time_s):
        raise HaustraError(f"{table} has no row of the withdrawal: nothing can be compared with it")
    return truth


def truth_of(table: pl.DataFrame) -> RecordingTruth:
    """Ground truth of the withdrawal from the table of a simulated recording."""
    if "phase" in table.columns:
        table = table.filter(pl.col("phase") == "withdrawal")
    return RecordingTruth(
        time_s=column(table, "time_s"),
        index=column(table, "location_index"),
        segment=segment_numbers(table),
        T_w_c=poses_of(table),
    )


@dataclass(frozen=True)
class ResultScores:
    """Scores over the frames that have a location index and ground truth; None or empty where the truth lacks it.

    `segments` has "result", "oracle" and "time_index" (cut by `time_template`); `trajectory` the errors by protocol
    over `pairs` of consecutive measured frames.
    """

    frames: int
    template: str
    time_template: str | None = None
    segments: dict[str, SegmentResult] = field(default_factory=dict)
    location: LocationErrors | None = None
    location_time_index: LocationErrors | None = None
    location_scopeguide: LocationErrors | None = None
    pairs: int = 0
    trajectory: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; what was not scored is left out."""
        errors = {name: getattr(self, name) for name in ("location", "location_time_index", "location_scopeguide")}
        found: dict[str, Any] = {"frames": self.frames, "template": self.template}
        if self.segments:
            found["time_template"] = self.time_template
            found["segments"] = {name: result.summary() for name, result in self.segments.items()}
        found |= {name: one.as_dict() for name, one in errors.items() if one is not None}
        return found | ({"pairs": self.pairs, "trajectory": self.trajectory} if self.trajectory else {})


def score_result(result: Localization, truth: RecordingTruth, template: Template | None = None) -> ResultScores:
    """Scores of a result; with another template than its own, its segments are classified again."""
    if template is None:
        return score_frames(result.frames, truth, result.template)
    return score_frames(by_template(result.frames, template), truth, template)


def score_frames(frames: pl.DataFrame, truth: RecordingTruth, template: Template) -> ResultScores:
    """Scores of a result table, whose segments are by `template`, over its kept frames."""
    index, time_s = column(frames, "location_index"), column(frames, "time_s")
    kept = frames["kept"].to_numpy() if "kept" in frames.columns else np.ones(len(frames), dtype=bool)
    row = truth.rows_at(time_s)
    used = (row >= 0) & kept & np.isfinite(index)
    if not used.any():
        raise HaustraError("result and truth share no frame: are they of the same recording?")
    scores = ResultScores(frames=int(used.sum()), template=template.name)
    if truth.segment is not None:
        by_time = _time_template(template)
        segments = _segment_scores(segment_numbers(frames)[used], time_s[used], truth, row[used], template, by_time)
        scores = replace(scores, time_template=by_time.name, segments=segments)
    if truth.index is not None:
        scores = _with_location(scores, frames.filter(pl.Series(used)), truth.index[row[used]])
    if truth.T_w_c is not None and set(POSE_COLUMNS) <= set(frames.columns):
        T_w_c, T_true = poses_of(frames), np.full((len(frames), 4, 4), np.nan)
        T_true[used] = truth.T_w_c[row[used]]
        both = np.isfinite(T_w_c).all(axis=(1, 2)) & np.isfinite(T_true).all(axis=(1, 2))
        paired = _measured_pairs(frames, both)
        errors = _trajectory_errors(T_w_c[both], T_true[both], paired)
        scores = replace(scores, pairs=int(paired.sum()), trajectory=errors)
    return scores


def _time_template(template: Template) -> Template:
    """The published template built by time from the same recordings; where there is none, the template itself."""
    by_time = f"{template.name}-time"
    return load_template(by_time) if by_time in published_names() else template


def _segment_scores(
    predicted: Segments,
    time_s: FloatArray,
    truth: RecordingTruth,
    at: NDArray[np.intp],
    template: Template,
    time_template: Template,
) -> dict[str, SegmentResult]:
    """Of the result, of the oracle and of the time index."""
    assert truth.segment is not None
    segment = truth.segment[at]
    rows = {"result": segment_result(predicted, segment)}
    if truth.index is not None:
        rows["oracle"] = oracle(truth.index[at], segment, template)
    rows["time_index"] = segment_result(segments_of(time_index(time_s).index, time_template), segment)
    return rows


def oracle(true_index: FloatArray, segment: Segments, template: Template) -> SegmentResult:
    """Segment scores of a perfect location index with this template."""
    return segment_result(segments_of(true_index, template), segment)


def _with_location(scores: ResultScores, frames: pl.DataFrame, true_index: FloatArray) -> ResultScores:
    """Errors of the result, of the time index, and of ScopeGuide where the table has it."""
    std = column(frames, "location_std") if "location_std" in frames.columns else None
    guided = SCOPEGUIDE_COLUMN in frames.columns
    return replace(
        scores,
        location=location_errors(column(frames, "location_index"), true_index, std),
        location_time_index=location_errors(time_index(column(frames, "time_s")).index, true_index),
        location_scopeguide=location_errors(column(frames, SCOPEGUIDE_COLUMN), true_index) if guided else None,
    )


def _measured_pairs(frames: pl.DataFrame, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which consecutive ones of these rows are pairs of the motion benchmark: near in time, no gap between them."""
    unseen = np.zeros(frames.height)
    if "basis" in frames.columns:
        unseen = np.cumsum((frames["basis"] != Basis.SEEN.value).to_numpy())
    near = np.diff(column(frames, "time_s")[rows]) <= LONGEST_STEP_S
    return np.asarray(near & (np.diff(unseen[rows]) == 0), np.bool_)


def _trajectory_errors(estimate: FloatArray, truth: FloatArray, paired: NDArray[np.bool_]) -> dict[str, float]:
    """By the motion benchmark's protocol, with gaps cut out of both; the whole path has a column of its own."""
    if len(truth) < 5 or paired.sum() < 5 or not float(np.ptp(estimate[:, :3, 3], axis=0).max()) > 0:
        return {}
    whole = trajectory_errors(estimate, truth).ate_sim3_rmse
    estimate, truth = (
        chain(relative_poses(T_w_c)[paired], np.arange(paired.sum() + 1)).T_w_c for T_w_c in (estimate, truth)
    )
    snippet, snippet_std = snippet_ate(estimate, truth)
    return {
        **trajectory_errors(estimate, truth).as_dict(),
        "snippet_ate": snippet,
        "snippet_ate_std": snippet_std,
        **simcol_errors(estimate, truth),
        "with_gaps_ate_sim3_rmse": whole,
    }
