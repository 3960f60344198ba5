"""`haustra evaluate motion` on an easy recording in a dataset's layout; the paper's tables with our rows in them."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from evo.core import metrics
from evo.tools import file_interface
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording, PictureFiles
from haustra.lab.datasets.endoslam import PAPER_CAMERAS, PAPER_TRAJECTORIES
from haustra.lab.evaluate.motion_evaluation import (
    MotionEvaluation,
    MotionResult,
    _batches,
    _picture,
    _result,
    evaluate_motion,
    motion_errors,
    other_protocols,
    parse_methods,
    usable_rows,
)
from haustra.lab.evaluate.motion_tables import motion_tables
from haustra.lab.evaluate.trajectory_errors import TrajectoryErrors, simcol_errors, snippet_ate
from haustra.path.trajectory import chain
from haustra.video.picture import picture_mask
from haustra.video.types import Box
from made_tube import foreign_folder

SIZE, FRAMES = 192, 20
STILL = chain(np.tile(np.eye(4), (2, 1, 1)), np.arange(3.0))
DROPPED = (9, 10, 11, 12)  # a gap of five steps: longer than what counts as neighbours


@pytest.fixture(scope="module")
def easy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of another simulator, with a gap in the middle."""
    return foreign_folder(tmp_path_factory.mktemp("easy") / "tube", FRAMES, SIZE, DROPPED).parent


def test_methods_are_ranked_and_gaps_are_cut_out_of_both(easy: Path) -> None:
    found = evaluate_motion(easy, parse_methods(["klt,constant", "still=zero"]))
    assert (found.dataset, found.length_unit, found.recordings) == ("foreign", "mm", ["tube"])
    klt, constant, zero = (found.results[name]["tube"] for name in ("klt", "constant", "still"))
    assert klt.pairs == FRAMES - 1 - len(DROPPED) - 1, "the pair across the gap does not count"
    assert klt.errors.ate_sim3_rmse < 0.2 * zero.errors.ate_sim3_rmse
    assert klt.errors.rpe_rot_deg < 0.6 * constant.errors.rpe_rot_deg
    assert zero.errors.scale == 0
    assert klt.failed_share == 0
    slower = usable_rows(open_dataset(easy)[1][0], 5.0)
    assert slower.tolist() == [0, 3, 6, 15, 18]


def test_the_command_prints_tables_and_writes_them(easy: Path, tmp_path: Path) -> None:
    arguments = ["evaluate", "motion", str(easy), "--methods", "ours,zero", "-o", str(tmp_path)]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["methods"]["ours"]["tube"]["ate_sim3_rmse"] < found["methods"]["zero"]["tube"]["ate_sim3_rmse"]
    assert len(found["written"]) == 9 + 3 + 1
    figure = (tmp_path / "figures" / "path-tube.svg").read_text()
    assert figure.count("<polyline") == 2, "the truth and ours; what never moves has no path"
    assert found["methods"]["ours"]["tube"]["snippet_ate"] > 0
    assert "snippet_ate" not in found["methods"]["zero"]["tube"]
    _equals_evo(tmp_path / "paths" / "tube", found["methods"]["ours"]["tube"])
    rows = list(csv.DictReader((tmp_path / "motion.csv").open()))
    assert float(rows[0]["ate_sim3_rmse (mm)"]) == found["methods"]["ours"]["tube"]["ate_sim3_rmse"]
    assert "tube ATE (mm)" in (tmp_path / "motion-by-recording.md").read_text()
    assert r"\begin{tabular}" in (tmp_path / "motion.tex").read_text()


def _equals_evo(folder: Path, figures: dict[str, float]) -> None:
    """evo's figures from the exported files: `evo_ape tum truth.tum ours.tum -as` and evo_rpe."""
    truth, estimate = (file_interface.read_tum_trajectory_file(folder / f"{n}.tum") for n in ("truth", "ours"))
    estimate.align(truth, correct_scale=True)
    ape = metrics.APE(metrics.PoseRelation.translation_part)
    ape.process_data((truth, estimate))
    assert figures["ate_sim3_rmse"] == pytest.approx(ape.get_statistic(metrics.StatisticsType.rmse), rel=1e-5)
    rpe = metrics.RPE(metrics.PoseRelation.rotation_angle_deg, delta=1, delta_unit=metrics.Unit.frames, all_pairs=True)
    rpe.process_data((truth, estimate))
    assert figures["rpe_rot_deg"] == pytest.approx(rpe.get_statistic(metrics.StatisticsType.mean), rel=1e-4)


def made(ate_mm: float) -> TrajectoryErrors:
    return TrajectoryErrors(1.1 * ate_mm, ate_mm, 5.0, 2.0, 1.0, 0.01, 0.005, 1.0)


def test_endoslam_in_the_papers_layout_and_units() -> None:
    names = [f"{camera} {title}" for camera in PAPER_CAMERAS for title in PAPER_TRAJECTORIES]
    results = {
        method: {name: MotionResult(name, made(ate + i), {}, 0.0, STILL, STILL) for i, name in enumerate(names)}
        for method, ate in (("ours", 20.0), ("liu2013", 40.0), ("orb", 30.0))
    }
    over, _, _, high, overall = motion_tables(MotionEvaluation("endoslam", "mm", results))
    assert "best other (orb): 0.69 (in the paper, over the best of its four rivals: 0.66)" in over.notes[-1]
    text = str(high)
    assert "| Proposed                      | ours  | 2.000 (0.500)" in text
    assert "| Proposed                      | paper | 1.98 (0.61)" in text
    assert [row.name for row in high.rows].count("Optical flow-based") == 2
    assert high.rows[-1].name == "orb"
    cells = next(row for row in overall.rows if row.source == "ours").cells
    assert cells[0].mean == pytest.approx(2.1)
    assert cells[2].mean == pytest.approx(1.0)
    assert cells[6].mean == pytest.approx(2.25)


def test_what_cannot_be_done_is_one_line(tmp_path: Path) -> None:
    assert parse_methods(["a.onnx", "x=b/c.onnx", " klt"]) == {"a": "a.onnx", "x": "b/c.onnx", "klt": "klt"}
    with pytest.raises(HaustraError, match="no method was given"):
        parse_methods([","])
    (tmp_path / "seq1").mkdir()
    (tmp_path / "seq1" / "0001.jpg").touch()
    with pytest.raises(HaustraError, match="no camera poses"):
        evaluate_motion(tmp_path, {"zero": "zero"})


def test_a_path_that_never_moves_is_put_in_the_middle() -> None:
    truth = np.tile(np.eye(4), (5, 1, 1))
    truth[:, 2, 3] = np.arange(5)
    errors = motion_errors(np.tile(np.eye(4), (5, 1, 1)), truth)
    assert errors.ate_sim3_rmse == pytest.approx(np.sqrt(2))
    assert errors.rpe_trans == pytest.approx(1)
    assert errors.rpe_rot_deg == 0


def random_poses(seed: int, count: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    T = np.tile(np.eye(4), (count, 1, 1))
    T[:, :3, :3] = Rotation.from_rotvec(rng.normal(0, 0.4, (count, 3))).as_matrix()
    T[:, :3, 3] = rng.normal(size=(count, 3))
    return T


def test_a_path_that_never_moves_by_value() -> None:
    """Its rotations count, and so does every step of the truth."""
    truth, estimate = random_poses(0, 8), random_poses(1, 8)
    estimate[:, :3, 3] = (3.0, 2.0, 1.0)
    errors = motion_errors(estimate, truth)
    away = [np.linalg.norm(T[:3, 3] - truth[:, :3, 3].mean(axis=0)) for T in truth]
    steps, turns = [], []
    for k in range(7):
        true, found = (np.linalg.inv(T[k]) @ T[k + 1] for T in (truth, estimate))
        steps.append(np.linalg.norm(true[:3, 3]))
        turns.append(np.degrees(Rotation.from_matrix(true[:3, :3].T @ found[:3, :3]).magnitude()))
    expected = [np.sqrt(np.mean(np.square(away)))]
    expected += [figure(values) for values in (away, steps, turns) for figure in (np.mean, np.std)]
    assert list(astuple(errors)) == pytest.approx([*expected, 0.0])


def test_other_protocols_need_five_frames_that_move() -> None:
    truth, estimate = random_poses(2, 5), random_poses(3, 5)
    found = other_protocols(estimate, truth)
    assert (found["snippet_ate"], found["snippet_ate_std"]) == pytest.approx(snippet_ate(estimate, truth, frames=5))
    assert set(simcol_errors(estimate, truth)) < set(found)
    assert other_protocols(estimate[:4], truth[:4]) == {}
    estimate[:, :3, 3] = (3.0, 2.0, 1.0)
    assert other_protocols(estimate, truth) == {}


def test_a_pair_fails_where_any_of_its_numbers_is_missing() -> None:
    steps = np.stack([np.linalg.inv(a) @ b for a, b in itertools.pairwise(random_poses(4, 9))])
    estimate = steps.copy()
    estimate[2, 0, 3] = np.nan
    estimate[5] = np.nan
    assert _result("r", estimate, steps, np.full(8, 0.1)).failed_share == pytest.approx(2 / 8)


def test_pictures_without_a_source_are_masked_over_time() -> None:
    """A folder of stills: the picture is the whole frame, without the corners that are black in all of them."""
    rng = np.random.default_rng(0)
    images = rng.integers(60, 200, (15, 48, 64, 3), dtype=np.uint8)
    images[:, :10, :10] = 0
    one = DatasetRecording("x", np.arange(15) / 5, PictureFiles([]))
    asked: list[int] = []

    def frames(rows: np.ndarray) -> Iterator[SimpleNamespace]:
        asked.extend(rows.tolist())
        return (SimpleNamespace(image=images[row]) for row in rows)

    object.__setattr__(one, "frames", frames)
    picture = _picture(one)
    assert (len(asked), asked[0], asked[-1]) == (12, 0, 14)
    assert picture.box == Box(0, 0, 64, 48)
    np.testing.assert_array_equal(picture.mask, picture_mask(images[asked])[0])
    assert not picture.mask[2, 2]
    assert picture.mask[30, 30]


def test_batches_hold_neighbours_in_time_and_in_the_list() -> None:
    """Rows 0 to 9 and 11 on; a step of exactly the longest counts, one beyond it does not."""
    rows = np.array([*range(10), *range(11, 20)])
    time_s = np.arange(20.0)
    time_s[15:] += 0.5
    frames = [SimpleNamespace(row=int(row), time_s=time_s[row], image=row) for row in rows]
    recording = SimpleNamespace(frames=lambda _: iter(frames))
    found = list(_batches(recording, rows, 2.0, lambda image: {"x": image}))  # type: ignore[arg-type]
    assert [len(batch) for batch in found] == [8, 8, 2]
    pairs = [(a, b) for batch in found for a, b, _, _ in batch]
    assert pairs == list(itertools.pairwise(rows.tolist()))
    assert all(first == {"x": a} and second == {"x": b} for batch in found for a, b, first, second in batch)
    shorter = [pair[:2] for batch in _batches(recording, rows, 1.0, lambda _: {}) for pair in batch]  # type: ignore[arg-type]
    assert shorter == [pair for pair in pairs if pair not in ((9, 11), (14, 15))]


def test_tables_of_other_datasets_and_of_single_recordings() -> None:
    results = {"ours": {"a": MotionResult("a", made(20.0), {"snippet_ate": 0.5}, 0.25, STILL, STILL)}}
    over, each, others = motion_tables(MotionEvaluation("foreign", "mm", results))
    assert [cell.mean for cell in over.rows[0].cells] == pytest.approx([22.0, 2.0, 0.01, 0.25])
    assert [(cell.mean, cell.std) for cell in each.rows[0].cells] == [(20.0, 5.0), (2.0, 1.0), (0.01, 0.005)]
    assert others.rows[0].cells[0].mean == 0.5
    assert over.notes == (), "nobody to be compared with"
    unlike = MotionEvaluation("endoslam", "mm", {"ours": {"x": results["ours"]["a"]}})
    assert len(motion_tables(unlike)) == 3, "none of the paper's videos"
    one = f"HighCam {next(iter(PAPER_TRAJECTORIES))}"
    high = motion_tables(MotionEvaluation("endoslam", "mm", {"ours": {one: results["ours"]["a"]}}))[3]
    cells = next(row for row in high.rows if row.source == "ours").cells
    assert [v for cell in cells[:3] for v in (cell.mean, cell.std)] == pytest.approx([2.0, 0.5, 0.2, 0.1, 1.0, 0.5])
    assert cells[3:] == (None,) * (len(high.columns) - 3)
