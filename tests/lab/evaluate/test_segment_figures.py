"""Figures of segments against scikit-learn and by hand; tables; whole recordings with the oracle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.spatial.transform import Rotation
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support
from typer.testing import CliRunner

from haustra.anatomy import SEGMENTS, build_template, load_template
from haustra.anatomy.frame_places import by_template, place_columns
from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.evaluate.location_errors import location_errors
from haustra.lab.evaluate.score_result import read_truth, score_frames
from haustra.lab.evaluate.segment_scores import segment_result, summarise
from haustra.lab.evaluate.text_table import accuracy_table, mean_std
from haustra.path.trajectory_files import write_tum
from haustra.results.table import frames_table, pose_columns, write_frames

TEMPLATE = load_template("paper-set2")


def labels(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = np.sort(rng.integers(1, 7, n))
    return np.clip(truth + rng.choice([-1, 0, 0, 0, 2], n), 1, 6), truth


def test_figures_equal_those_of_scikit_learn() -> None:
    predicted, truth = labels(0)
    result = segment_result(predicted, truth)
    precision, sensitivity, f1, _ = precision_recall_fscore_support(truth, predicted, labels=range(1, 7))
    assert result.scores["f1"] == pytest.approx(f1)
    assert result.scores["sensitivity"] == pytest.approx(sensitivity)
    assert result.scores["precision"] == pytest.approx(precision)
    expected = confusion_matrix(truth, predicted, labels=range(1, 7), normalize="true")
    assert result.confusion == pytest.approx(expected)
    specificity = [((predicted != k) & (truth != k)).sum() / (truth != k).sum() for k in range(1, 7)]
    assert result.scores["specificity"] == pytest.approx(specificity)
    assert result.scores["accuracy"] == pytest.approx([((predicted == k) == (truth == k)).mean() for k in range(1, 7)])
    assert result.accuracy == pytest.approx((predicted == truth).mean())
    assert result.average_error == pytest.approx(np.abs(predicted - truth).mean())
    assert result.maximal_error == 2


def test_segments_that_a_recording_does_not_show_say_nothing() -> None:
    shown, missing = segment_result(*labels(1)), segment_result(np.array([1, 1, 2]), np.array([1, 1, 1]))
    assert np.isnan(missing.confusion[3]).all()
    summary = summarise([shown, missing])
    assert summary.confusion[3] == pytest.approx(shown.confusion[3])
    assert summary.scores["sensitivity"][3] == pytest.approx([shown.scores["sensitivity"][3], 0])
    assert summary.accuracy[0] == pytest.approx((shown.accuracy + 2 / 3) / 2)
    assert summary.accuracy[1] == pytest.approx(abs(shown.accuracy - 2 / 3) / 2)
    with pytest.raises(HaustraError, match="nothing"):
        segment_result(np.array([0, 1]), np.array([1, 0]))


def test_tables_show_mean_and_standard_deviation() -> None:
    summary = summarise([segment_result(*labels(k)) for k in range(3)])
    table = accuracy_table({"Motion-based": summary})
    assert f"{summary.accuracy[0]:.3f} ({summary.accuracy[1]:.3f})" in table
    assert len({len(line) for line in table.splitlines()}) == 1
    assert mean_std([0.5, 0.7, float("nan")]) == "0.600 (0.100)"
    assert mean_std([float("nan")]) == "-"


def test_location_errors_by_hand() -> None:
    figures = location_errors(np.array([0, 0.5, 1, np.nan]), np.array([0.1, 0.5, 0.9, 0.3]), np.full(4, 0.04))
    assert figures.location_mae == pytest.approx(0.2 / 3)
    assert figures.location_max == pytest.approx(0.1)
    assert figures.location_correlation == pytest.approx(1)
    assert figures.within_2std == pytest.approx(1 / 3)
    assert location_errors(np.array([0.5, 0.5]), np.array([0.0, 1.0])).location_correlation is None


def simulated(folder: Path) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """A truth table in the simulator's columns: a colon unlike the template, passed with uneven speed."""
    folder.mkdir()
    time_s = np.arange(900) / 15
    index = (time_s / time_s[-1]) ** 1.7
    bounds = np.cumsum([0.1, 0.2, 0.2, 0.2, 0.2])
    segment = [SEGMENTS[k] for k in np.searchsorted(bounds, index, side="right")]
    T = np.tile(np.eye(4), (900, 1, 1))
    T[:, :3, 3] = np.stack([1000 * index, 100 * np.sin(3 * index), 0 * index], axis=1)
    table = pl.DataFrame(
        {"frame": np.arange(900), "time_s": time_s, **pose_columns(T), "location_index": index, "segment": segment,
         "phase": ["withdrawal"] * 890 + ["after"] * 10}
    )  # fmt: skip
    table.write_parquet(folder / "truth.parquet")
    return table, index, T


def test_a_recording_is_judged_beside_the_oracle_and_the_time_index(tmp_path: Path) -> None:
    _, index, T = simulated(tmp_path / "sim")
    time_s = np.arange(900) / 15
    wrong = np.clip(index + 0.02, 0, 1)
    frames = frames_table(
        {"frame": np.arange(900), "time_s": time_s + 0.004, "kept": np.arange(900) % 3 > 0, **pose_columns(T)}
        | place_columns(wrong, np.full(900, 0.015), TEMPLATE)
    )
    scores = score_frames(frames, read_truth(tmp_path / "sim"), TEMPLATE)
    figures = scores.as_dict()
    assert scores.frames == 593, "kept frames of the withdrawal"
    assert figures["location"]["location_mae"] == pytest.approx(0.02, abs=0.002)
    assert figures["location"]["within_2std"] == 1.0
    assert figures["segments"]["oracle"]["accuracy"] < 1, "a perfect index does not make this colon the template's"
    assert figures["segments"]["result"]["accuracy"] != figures["segments"]["oracle"]["accuracy"]
    assert figures["segments"]["time_index"]["accuracy"] < figures["segments"]["oracle"]["accuracy"]
    assert figures["trajectory"]["ate_sim3_rmse"] < 1e-6
    json.dumps(figures, allow_nan=False)
    right = by_template(frames.with_columns(pl.Series("location_index", index)), TEMPLATE)
    perfect = score_frames(right, read_truth(tmp_path / "sim"), TEMPLATE)
    assert perfect.segments["result"].summary() == perfect.segments["oracle"].summary()


def test_truth_may_be_annotations_or_a_trajectory(tmp_path: Path) -> None:
    _, index, T = simulated(tmp_path / "sim")
    time_s = np.arange(900) / 15
    frames = frames_table({"time_s": time_s, **pose_columns(T), **place_columns(index, index * 0 + 0.01, TEMPLATE)})
    (tmp_path / "a.json").write_text(json.dumps([0, 10, 20, 30, 40, 50, 59]))
    by_times = score_frames(frames, read_truth(tmp_path / "a.json"), TEMPLATE)
    assert set(by_times.segments) == {"result", "time_index"}
    assert by_times.location is None
    write_tum(tmp_path / "a.tum", time_s, T)
    by_poses = score_frames(frames, read_truth(tmp_path / "a.tum"), TEMPLATE)
    assert by_poses.trajectory["ate_sim3_rmse"] < 1e-3
    assert not by_poses.segments
    assert set(by_poses.as_dict()) == {"frames", "template", "pairs", "trajectory"}
    with pytest.raises(HaustraError, match="holds no ground truth"):
        read_truth(tmp_path / "nothing")
    with pytest.raises(HaustraError, match="share no frame"):
        score_frames(frames.with_columns(pl.col("time_s") + 1000), read_truth(tmp_path / "sim"), TEMPLATE)


def test_a_result_is_compared_by_its_own_template_unless_told_otherwise(tmp_path: Path) -> None:
    """`haustra compare` through the command line; the colon's own template makes the index right everywhere."""
    _, index, T = simulated(tmp_path / "sim")
    own = build_template("own", np.tile([0.1, 0.2, 0.2, 0.2, 0.2, 0.1], (2, 1)), ["a", "b"])
    columns = {"frame": np.arange(900), "time_s": np.arange(900) / 15, **pose_columns(T)}
    write_frames(tmp_path / "r", frames_table(columns | place_columns(index, np.full(900, 0.01), own)))
    own.save(tmp_path / "r" / "template.json")

    def compare(*options: str) -> dict[str, Any]:
        arguments = ["compare", str(tmp_path / "r"), str(tmp_path / "sim"), "--json", *options]
        return dict(json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).output))

    by_own, by_paper = compare(), compare("--template", "paper-set2")
    assert by_own["segments"]["result"]["accuracy"] == by_own["segments"]["oracle"]["accuracy"] == pytest.approx(1.0)
    assert by_paper["segments"]["result"]["accuracy"] < 0.95
    assert (by_own["template"], by_own["time_template"]) == ("own", "own"), "the time row follows the template"
    assert (by_paper["template"], by_paper["time_template"]) == ("paper-set2", "paper-set2-time")
    told = compare("--template", str(tmp_path / "r" / "template.json"))
    assert told == by_own
    assert by_own["segments"]["time_index"] != by_paper["segments"]["time_index"]


def test_gaps_do_not_count_in_the_errors_of_pairs(tmp_path: Path) -> None:
    """A gap that was crossed straight on while the scope turned by a right angle."""
    _, index, T = simulated(tmp_path / "sim")
    estimate = T.copy()
    estimate[450:] = T[450:]
    estimate[450:, :3, :3] = Rotation.from_euler("z", 90, degrees=True).as_matrix() @ T[450:, :3, :3]
    basis = np.full(900, "seen", dtype=object)
    basis[450] = "unseen"
    frames = frames_table(
        {"time_s": np.arange(900) / 15, **pose_columns(estimate), "basis": basis.tolist()}
        | place_columns(index, np.full(900, 0.01), TEMPLATE)
    )
    truth = read_truth(tmp_path / "sim")
    scores = score_frames(frames, truth, TEMPLATE)
    assert scores.trajectory["rpe_rot_deg"] == pytest.approx(0, abs=1e-5)
    assert scores.pairs == 888
    plain = score_frames(frames.with_columns(basis=pl.lit("seen")), truth, TEMPLATE)
    assert plain.trajectory["rpe_rot_deg"] == pytest.approx(90 / 889, rel=1e-3)
    whole = scores.trajectory["with_gaps_ate_sim3_rmse"]
    assert whole == pytest.approx(plain.trajectory["with_gaps_ate_sim3_rmse"])
