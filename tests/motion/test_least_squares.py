"""Motion by least squares from the flow that an exact scene would show."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.core.poses import euler_to_matrix
from haustra.motion import canonical_K
from haustra.motion.least_squares import Prior, solve_motion
from haustra.motion.parameters import LeastSquaresParameters

SIZE = 128
K = canonical_K(SIZE)
PRIOR: Prior = (0.005, 0.002)
USUAL_ERROR = np.array([PRIOR[0]] * 3 + [PRIOR[1]] * 3)
COARSE = LeastSquaresParameters(iterations=3, samples_across=16)
FINE = LeastSquaresParameters(iterations=6, samples_across=64)
ALL = np.ones((6, SIZE, SIZE), bool)


def _scene(seed: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Motions, disparities of wavy tubes, and the exact flow."""
    rng = np.random.default_rng(seed)
    motion = rng.normal(0, 1, (count, 6)) * ([0.03] * 3 + [0.03] * 3)
    ys, xs = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    radius = np.hypot(xs - 63.5, ys - 63.5) / SIZE
    waves = [0.3 + 2.5 * radius + 0.2 * np.sin(xs / 5 + k) * np.cos(ys / 7) for k in range(count)]
    disparity = np.stack(waves)
    rays = np.stack([(xs - K[0, 2]) / K[0, 0], (ys - K[1, 2]) / K[1, 1], np.ones_like(xs)], axis=-1)
    moved = np.einsum("nij,hwj->nhwi", euler_to_matrix(motion[:, 3:]), rays)
    moved = moved + motion[:, None, None, :3] * disparity[..., None]
    pixels = moved @ K.T
    flow = pixels[..., :2] / pixels[..., 2:] - np.stack([xs, ys], axis=-1)
    return motion, disparity, flow


def test_exact_flow_gives_the_exact_motion_back() -> None:
    motion, disparity, flow = _scene(0, 6)
    start = motion + np.random.default_rng(1).normal(0, 1, motion.shape) * USUAL_ERROR
    found = solve_motion(start, flow, disparity, K, ALL, prior=PRIOR, parameters=FINE)
    assert np.abs(found - motion).max() < 0.05 * np.abs(start - motion).max()


def test_a_quarter_of_wrong_flow_does_not_matter_much() -> None:
    motion, disparity, flow = _scene(2, 6)
    rng = np.random.default_rng(3)
    wrong = rng.random(flow.shape[:3]) < 0.25
    flow[wrong] += rng.normal(0, 8, (int(wrong.sum()), 2))
    start = motion + rng.normal(0, 1, motion.shape) * USUAL_ERROR
    found = solve_motion(start, flow, disparity, K, ALL, prior=PRIOR, parameters=COARSE)
    assert np.linalg.norm(found - motion) < 0.5 * np.linalg.norm(start - motion)


def test_where_nothing_is_valid_the_first_guess_is_left_alone() -> None:
    motion, disparity, flow = _scene(4, 2)
    found = solve_motion(
        motion, flow + 5, disparity, K, ~ALL[:2], prior=PRIOR, parameters=LeastSquaresParameters(3, 16)
    )
    assert found == pytest.approx(motion, abs=1e-9)
