"""Trajectory errors equal evo's, and protocols that differ have figures that differ."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest
from evo.core import geometry, metrics
from evo.core.trajectory import PosePath3D
from scipy.spatial.transform import Rotation

from haustra.core.errors import HaustraError
from haustra.lab.evaluate.trajectory_errors import (
    relative_poses,
    simcol_errors,
    snippet_ate,
    trajectory_errors,
    umeyama,
)


def walk(seed: int, n: int = 120) -> np.ndarray:
    rng = np.random.default_rng(seed)
    T = np.tile(np.eye(4), (n, 1, 1))
    T[:, :3, :3] = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.05, (n, 3)), axis=0)).as_matrix()
    T[:, :3, 3] = np.cumsum(rng.normal(0.1, 0.5, (n, 3)), axis=0)
    return T


def estimate_of(truth: np.ndarray, seed: int, scale: float = 0.37) -> np.ndarray:
    """The truth in another world, at another scale, with noise."""
    rng = np.random.default_rng(seed)
    world = Rotation.random(random_state=rng).as_matrix()
    T = truth.copy()
    T[:, :3, :3] = world @ truth[:, :3, :3] @ Rotation.from_rotvec(rng.normal(0, 0.02, (len(T), 3))).as_matrix()
    T[:, :3, 3] = scale * truth[:, :3, 3] @ world.T + rng.normal(0, 0.05, (len(T), 3)) + 5
    return T


@pytest.mark.parametrize("seed", range(4))
def test_errors_equal_those_of_evo(seed: int) -> None:
    truth = walk(seed)
    estimate = estimate_of(truth, seed + 10)
    ours = trajectory_errors(estimate, truth)
    reference, aligned = PosePath3D(poses_se3=list(truth)), PosePath3D(poses_se3=list(estimate))
    _, _, scale = aligned.align(reference, correct_scale=True)
    assert ours.scale == pytest.approx(scale, abs=1e-9)
    ape = metrics.APE(metrics.PoseRelation.translation_part)
    ape.process_data((reference, aligned))
    assert ours.ate_sim3_rmse == pytest.approx(ape.get_statistic(metrics.StatisticsType.rmse), abs=1e-9)
    for relation, mean, std in (
        (metrics.PoseRelation.translation_part, ours.rpe_trans, ours.rpe_trans_std),
        (metrics.PoseRelation.rotation_angle_deg, ours.rpe_rot_deg, ours.rpe_rot_deg_std),
    ):
        rpe = metrics.RPE(relation, delta=1, delta_unit=metrics.Unit.frames, all_pairs=True)
        rpe.process_data((reference, aligned))
        assert mean == pytest.approx(rpe.get_statistic(metrics.StatisticsType.mean), abs=1e-9)
        assert std == pytest.approx(rpe.get_statistic(metrics.StatisticsType.std), abs=1e-9)


def test_umeyama_equals_evo_also_where_a_reflection_would_fit_better() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 3))
    y = x * [1, 1, -1] + rng.normal(0, 0.1, (50, 3))
    R, t, scale = geometry.umeyama_alignment(x.T, y.T, with_scale=True)
    ours = umeyama(x, y)
    assert np.abs(ours.R - R).max() < 1e-9
    assert np.abs(ours.t - t).max() < 1e-9
    assert ours.scale == pytest.approx(scale, abs=1e-9)
    assert np.linalg.det(ours.R) == pytest.approx(1)


def test_a_similar_trajectory_has_no_error() -> None:
    truth = walk(1)
    world = Rotation.from_euler("xyz", [0.3, 1, 2]).as_matrix()
    same = truth.copy()
    same[:, :3, :3] = world @ truth[:, :3, :3]
    same[:, :3, 3] = 7 * truth[:, :3, 3] @ world.T - 3
    errors = trajectory_errors(same, truth)
    assert errors.ate_sim3_rmse < 1e-9
    assert errors.rpe_trans < 1e-9
    assert snippet_ate(same, truth)[0] < 1e-9
    assert simcol_errors(same, truth)["simcol_ate_median"] < 1e-9


def test_snippets_have_a_scale_of_their_own_and_divide_by_the_frames() -> None:
    """Scale drift that one similarity cannot take away is invisible in snippets."""
    line = np.tile(np.eye(4), (60, 1, 1))
    line[:, 2, 3] = np.arange(60)
    drifting = line.copy()
    drifting[:, 2, 3] = np.concatenate([np.arange(30), 30 + 3 * np.arange(30)])
    assert trajectory_errors(drifting, line).ate_sim3_rmse > 2
    assert snippet_ate(drifting, line)[0] < 0.1
    bent = line[:5].copy()
    bent[4, 0, 3] = 1.0  # one point off by about one unit
    best = 1 / (1 + 1 / (0 + 1 + 4 + 9 + 16))
    g, p = line[:5, :3, 3], bent[:, :3, 3]
    assert snippet_ate(bent, line[:5])[0] == pytest.approx(np.linalg.norm(g - best * p) / 5)


def test_simcol_aligns_no_rotation() -> None:
    truth = walk(2)
    turned = truth.copy()
    first = np.eye(4)
    first[:3, :3] = Rotation.from_rotvec([0, 0, 0.5]).as_matrix()
    relative = relative_poses(truth)
    relative[0] = relative[0] @ first  # one wrong turn at the start
    for i, T_a_b in enumerate(relative):
        turned[i + 1] = turned[i] @ T_a_b
    figures = simcol_errors(turned, truth)
    assert figures["simcol_rot_deg_median"] < 1e-5
    assert figures["simcol_ate_median"] > 1
    assert figures["simcol_scale"] == pytest.approx(1)


def test_what_cannot_be_compared_is_one_line() -> None:
    with pytest.raises(HaustraError, match="same number"):
        trajectory_errors(walk(0, 5), walk(0, 6))
    with pytest.raises(HaustraError, match="never moves"):
        trajectory_errors(np.tile(np.eye(4), (9, 1, 1)), walk(0, 9))


def inverse(T: np.ndarray) -> np.ndarray:
    return np.linalg.inv(T)


def angle_deg(R: np.ndarray) -> float:
    return float(np.degrees(np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))))


@pytest.mark.parametrize("seed", range(3))
def test_sim3_errors_are_those_of_the_equations(seed: int) -> None:
    """sec:evaluation_strategy (B): ATE of aligned positions, RPE of consecutive pairs, mean and spread of both."""
    truth = walk(seed, 40)
    estimate = estimate_of(truth, seed + 20)
    S, found = umeyama(estimate[:, :3, 3], truth[:, :3, 3]), trajectory_errors(estimate, truth)
    aligned = []
    for T in estimate:
        moved = np.eye(4)
        moved[:3, :3], moved[:3, 3] = S.R @ T[:3, :3], S.scale * S.R @ T[:3, 3] + S.t
        aligned.append(moved)
    ate = [math.dist(a[:3, 3], t[:3, 3]) for a, t in zip(aligned, truth, strict=True)]
    trans, rot = [], []
    for i in range(len(truth) - 1):
        error = inverse(inverse(truth[i]) @ truth[i + 1]) @ inverse(aligned[i]) @ aligned[i + 1]
        trans.append(math.hypot(*error[:3, 3]))
        rot.append(angle_deg(error[:3, :3]))
    assert found.as_dict() == pytest.approx(
        {
            "ate_sim3_rmse": math.sqrt(sum(a * a for a in ate) / len(ate)),
            "ate_sim3_mean": sum(ate) / len(ate),
            "ate_sim3_std": statistics.pstdev(ate),
            "rpe_trans": sum(trans) / len(trans),
            "rpe_trans_std": statistics.pstdev(trans),
            "rpe_rot_deg": sum(rot) / len(rot),
            "rpe_rot_deg_std": statistics.pstdev(rot),
            "scale": S.scale,
        },
        rel=1e-6,
    )


def test_no_other_similarity_fits_better_than_umeyamas() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 30, 3))
    best = umeyama(x, y)

    def misfit(scale: float, R: np.ndarray, t: np.ndarray) -> float:
        return float(((scale * x @ R.T + t - y) ** 2).sum())

    least = misfit(best.scale, best.R, best.t)
    for _ in range(200):
        turned = Rotation.from_rotvec(rng.normal(0, 0.05, 3)).as_matrix() @ best.R
        assert misfit(best.scale * np.exp(rng.normal(0, 0.05)), turned, best.t + rng.normal(0, 0.05, 3)) > least


@pytest.mark.parametrize("frames", [3, 5])
def test_snippets_are_those_of_the_programs_that_print_them(frames: int) -> None:
    """SfMLearner's compute_ate: every snippet begins at its own first pose and has its own scale."""
    truth = walk(5, 12)
    estimate = estimate_of(truth, 6)
    errors = []
    for i in range(12 - frames + 1):
        g = [(inverse(truth[i]) @ truth[k])[:3, 3] for k in range(i, i + frames)]
        p = [(inverse(estimate[i]) @ estimate[k])[:3, 3] for k in range(i, i + frames)]
        scale = sum(a @ b for a, b in zip(g, p, strict=True)) / sum(b @ b for b in p)
        errors.append(math.sqrt(sum(math.dist(a, scale * b) ** 2 for a, b in zip(g, p, strict=True))) / frames)
    found = snippet_ate(estimate, truth, frames=frames)
    assert found == pytest.approx((statistics.fmean(errors), statistics.pstdev(errors)))


def test_a_snippet_that_never_moves_has_the_whole_way_as_error() -> None:
    line = np.tile(np.eye(4), (5, 1, 1))
    line[:, 2, 3] = [0, 1, 2, 3, 4]
    assert snippet_ate(np.tile(np.eye(4), (5, 1, 1)), line)[0] == pytest.approx(math.sqrt(1 + 4 + 9 + 16) / 5)


@pytest.mark.parametrize("seed", range(2))
def test_simcols_medians_by_hand(seed: int) -> None:
    truth = walk(seed, 30)
    estimate = estimate_of(truth, seed + 30)
    p = [inverse(a) @ b for a, b in itertools.pairwise(estimate)]
    g = [inverse(a) @ b for a, b in itertools.pairwise(truth)]
    scale = sum(a[:3, 3] @ b[:3, 3] for a, b in zip(p, g, strict=True)) / sum(a[:3, 3] @ a[:3, 3] for a in p)
    at_p, at_g, position = np.eye(4), np.eye(4), [0.0]
    for a, b in zip(p, g, strict=True):
        a[:3, 3] *= scale
        at_p, at_g = at_p @ a, at_g @ b
        position.append(math.dist(at_p[:3, 3], at_g[:3, 3]))
    assert simcol_errors(estimate, truth) == pytest.approx(
        {
            "simcol_ate_median": statistics.median(position),
            "simcol_rte_median": statistics.median(math.dist(a[:3, 3], b[:3, 3]) for a, b in zip(p, g, strict=True)),
            "simcol_rot_deg_median": statistics.median(
                angle_deg(b[:3, :3].T @ a[:3, :3]) for a, b in zip(p, g, strict=True)
            ),
            "simcol_scale": scale,
        },
        rel=1e-6,
    )


def test_each_protocol_has_a_least_number_of_poses() -> None:
    for protocol, least in ((trajectory_errors, 3), (snippet_ate, 5), (simcol_errors, 2)):
        protocol(walk(1, least), walk(2, least))
        with pytest.raises(HaustraError, match=f"at least {least}"):
            protocol(walk(1, least - 1), walk(2, least - 1))
        with pytest.raises(HaustraError, match="the same number"):
            protocol(walk(1, least + 1), walk(2, least))
    with pytest.raises(HaustraError, match="no scale"):
        simcol_errors(np.tile(np.eye(4), (4, 1, 1)), walk(1, 4))
