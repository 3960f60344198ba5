"""The refinement: points of a tube seen before and after a known motion, and a network that is a little off."""

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.core.onnx import shipped
from haustra.motion import MotionEstimator, RefinedMotion, canonical_K, open_motion, refined_motion
from haustra.motion.epipolar_refinement import Points, flow_points
from haustra.motion.epipolar_refinement import refine_motion as refined
from haustra.motion.estimator import PairMeasurement, motion_to_matrix
from haustra.motion.parameters import EpipolarParameters

K = canonical_K(128)
FOCAL = float(K[0, 0])
PARAMETERS = EpipolarParameters()
TRUE = np.array([[0.01, -0.02, -0.06, 0.02, -0.03, 0.01]])
STD = np.array([[0.02, 0.02, 0.02, 0.01, 0.01, 0.01]])
OFF = np.array([[0.008, 0.006, 0.01, -0.006, 0.008, -0.004]])


def tube_points(motion: np.ndarray, *, noise_px: float = 0.0, count: int = 256, seed: int = 0) -> Points:
    """Points on the wall of a tube around the viewing axis, one pair."""
    rng = np.random.default_rng(seed)
    turn, depth = rng.uniform(0, 2 * np.pi, count), rng.uniform(1.0, 4.0, count)
    X_a = np.stack([np.cos(turn), np.sin(turn), depth, np.ones(count)], axis=1)
    X_b = X_a @ motion_to_matrix(motion[0]).T
    a, b = X_a[:, :3] / X_a[:, 2:3], X_b[:, :3] / X_b[:, 2:3]
    b[:, :2] += rng.normal(0.0, noise_px / FOCAL, (count, 2))
    return Points(a[None], b[None], np.ones((1, count)))


def refine_motion(start: np.ndarray, std: np.ndarray, points: Points) -> tuple[np.ndarray, np.ndarray]:
    return refined(start, std, points, FOCAL, PARAMETERS)


def direction(motion: np.ndarray) -> np.ndarray:
    return motion[0, :3] / np.linalg.norm(motion[0, :3])


def test_exact_points_give_rotation_and_direction_back():
    found, std = refine_motion(TRUE + OFF, STD, tube_points(TRUE))
    assert np.abs(found[0, 3:] - TRUE[0, 3:]).max() < 2e-4
    assert direction(found) @ direction(TRUE) > 0.9999
    assert (std <= STD + 1e-12).all()


def test_the_length_is_the_networks_however_little_it_trusts_its_axis():
    uncertain = STD * [[1, 1, 3, 1, 1, 1]]
    found, std = refine_motion(TRUE + OFF, uncertain, tube_points(TRUE))
    assert np.linalg.norm(found[0, :3]) == pytest.approx(np.linalg.norm((TRUE + OFF)[0, :3]))
    assert direction(found) @ direction(TRUE) > 0.9999
    assert std[0, 2] > 2 * STD[0, 2]  # most of the motion lies along z, and no point tells how far


def test_a_third_of_the_points_on_something_that_moves_does_no_harm():
    points = tube_points(TRUE, noise_px=0.1)
    astray = points.b.copy()
    astray[0, :80, :2] += 0.05
    found, _ = refine_motion(TRUE + OFF, STD, Points(points.a, astray, points.use))
    clean, _ = refine_motion(TRUE + OFF, STD, points)
    assert np.abs(found - clean)[0, 3:].max() < 1e-3  # of 8e-3 that the network is off


def test_points_that_may_not_be_used_count_nothing():
    points = tube_points(TRUE)
    use = points.use.copy()
    use[0, PARAMETERS.fewest_points - 1 :] = 0.0
    found, std = refine_motion(TRUE + OFF, STD, Points(points.a, points.b, use))
    assert found == pytest.approx(TRUE + OFF, abs=1e-9)
    assert std == pytest.approx(STD)


def test_the_predicted_spread_holds_and_follows_the_noise():
    inside, spreads = [], []
    for noise_px in (0.1, 0.4):
        rng = np.random.default_rng(1)
        for seed in range(40):
            start = TRUE + STD * rng.standard_normal((1, 6))
            found, std = refine_motion(start, STD, tube_points(TRUE, noise_px=noise_px, seed=seed))
            inside.append(np.abs(found - TRUE) < 2 * std)
            spreads.append(std[0, 3:].mean())
    assert 0.88 < np.mean(inside) < 0.99
    assert np.mean(spreads[40:]) > 1.5 * np.mean(spreads[:40])


def test_perfect_flow_is_not_believed_to_be_perfect():
    _, std = refine_motion(TRUE, STD, tube_points(TRUE))
    assert std[0, 3:].min() > 0.1 * PARAMETERS.sharpest_px / FOCAL


def test_flow_points_leave_out_highlights_and_what_the_lens_does_not_show():
    frame = np.full((1, 128, 128, 3), 120, np.uint8)
    frame[..., 1:] = 60
    frame[0, :, :32] = 0
    frame[0, 64:96, 64:96] = 255
    flow = np.zeros((1, 128, 128, 2), np.float32)
    flow[..., 0] = 2.0
    points = flow_points(frame, flow, K, PARAMETERS)
    used = points.use.reshape(16, 16)
    assert not used[:, :4].any()
    assert not used[8:12, 8:12].any()
    assert used[:7, 5:].all()
    assert (points.b - points.a)[..., 0] == pytest.approx(2.0 / FOCAL)


def test_networks_of_ours_are_refined_and_the_name_network_is_not():
    assert isinstance(open_motion(), RefinedMotion)
    assert isinstance(open_motion(shipped("motion")), RefinedMotion)
    assert isinstance(open_motion("network"), MotionEstimator)
    with pytest.raises(HaustraError, match="ours, network"):
        open_motion("nothing.onnx")


class Untaught:
    """A network that has learnt nothing of motion, and all of the disparity of a tube."""

    size, fov_deg, K, recipe, flow_name, path = 128, 100.0, K, "targets", "dis", None

    def __init__(self, disparity: np.ndarray | None) -> None:
        self.disparity = disparity

    def measure_scene(self, frames_a: np.ndarray, _b: np.ndarray, _flow: np.ndarray):
        said, nothing = np.full((len(frames_a), 6), 1e-4), np.full((len(frames_a), 6), np.nan)
        return PairMeasurement(said, nothing), self.disparity


def tube_flow(motion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Disparity (1, S, S) of a tube of one unit's radius, and the flow (S, S, 2) of this motion in it."""
    ys, xs = np.mgrid[0:128, 0:128].astype(float)
    rays = np.stack([(xs - K[0, 2]) / FOCAL, (ys - K[1, 2]) / FOCAL, np.ones_like(xs)], axis=-1)
    disparity = np.maximum(np.linalg.norm(rays[..., :2], axis=-1), 0.1)
    Q = motion_to_matrix(motion[0])
    moved = rays @ Q[:3, :3].T + Q[:3, 3] * disparity[..., None]
    there = moved[..., :2] / moved[..., 2:] * FOCAL + K[:2, 2]
    return disparity[None], (there - np.stack([xs, ys], axis=-1)).astype(np.float32)


def test_what_flow_and_disparity_taught_is_found_by_a_network_that_has_not_learnt_it_yet(monkeypatch):
    disparity, flow = tube_flow(TRUE)
    monkeypatch.setattr(refined_motion, "DisFlow", lambda **_: lambda _a, _b: flow)
    frames = np.full((1, 128, 128, 3), (150, 70, 60), np.uint8)
    found = RefinedMotion(Untaught(disparity)).measure(frames, frames).motion
    assert found == pytest.approx(TRUE, abs=1e-3)
    lost = RefinedMotion(Untaught(None)).measure(frames, frames).motion
    assert np.linalg.norm(lost[0, :3]) == pytest.approx(1e-4 * np.sqrt(3)), "no point knows the length"


def test_a_pair_that_does_not_move_stays_where_it_is():
    frames = np.random.default_rng(0).integers(40, 200, (2, 128, 128, 3)).astype(np.uint8)
    motion = open_motion()
    found = motion.measure(frames, frames)
    assert np.degrees(np.abs(found.motion[:, 3:])).max() < 0.3
    assert np.isfinite(found.std).all()
    assert motion.measure(frames[:0], frames[:0]).motion.shape == (0, 6)
    assert motion.measure_low_quality(frames, frames).motion == pytest.approx(
        open_motion("network").estimate(frames, frames)
    )
