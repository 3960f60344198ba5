"""Sampson error and best motion on matches whose motion is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.core.poses import invert, rotation_angle_deg
from haustra.motion import canonical_K
from haustra.motion.epipolar_geometry import (
    AGREES_PX,
    FEWEST,
    _pointed,
    _refined,
    best_motion,
    in_front_share,
    parallax_px,
    sampson_px,
)

K = canonical_K(384)


def motion(translation: tuple[float, float, float], turn_deg: tuple[float, float, float]) -> np.ndarray:
    T_a_b = np.eye(4)
    T_a_b[:3, :3] = Rotation.from_euler("xyz", turn_deg, degrees=True).as_matrix()
    T_a_b[:3, 3] = translation
    return T_a_b


def matches(T_a_b: np.ndarray, noise_px: float = 0.0, wrong: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points on the wall of a tube seen by both cameras; the last `wrong` of them matched to anything."""
    random = np.random.default_rng(4)
    around, depth = random.uniform(0, 2 * np.pi, 800), random.uniform(15, 90, 800)
    points = np.stack([22 * np.cos(around), 18 * np.sin(around), depth, np.ones(800)])
    a, b = ((K @ T[:3] @ points).T for T in (np.eye(4), invert(T_a_b)))
    a, b = (p[:, :2] / p[:, 2:] for p in (a, b))
    b = b + random.normal(0, noise_px, b.shape)
    b[len(b) - wrong :] = random.uniform(0, 384, (wrong, 2))
    return a, b


def test_the_true_motion_has_no_error_and_a_wrong_one_has() -> None:
    true = motion((0.5, 0.2, 3.0), (1.0, -2.0, 0.5))
    a, b = matches(true)
    assert np.abs(sampson_px(true, a, b, K)).max() < 1e-9
    longer = true.copy()
    longer[:3, 3] *= 7  # one camera cannot tell lengths
    assert np.abs(sampson_px(longer, a, b, K)).max() < 1e-9
    assert np.median(np.abs(sampson_px(motion((0.5, 0.2, 3.0), (0, 0, 0)), a, b, K))) > 1


def test_sampson_error_is_in_pixels() -> None:
    true = motion((0.0, 0.0, 4.0), (0, 0, 0))
    a, b = matches(true, noise_px=0.5)
    # Across the line both ends give way: noise at one end is spread over both.
    assert np.std(sampson_px(true, a, b, K)) == pytest.approx(0.5 / np.sqrt(2), rel=0.15)


@pytest.mark.parametrize("along", [3.0, -3.0])
def test_the_best_motion_is_found_among_wrong_matches(along: float) -> None:
    true = motion((0.4, -0.3, along), (1.5, -1.0, 3.0))
    a, b = matches(true, noise_px=0.4, wrong=250)
    found = best_motion(a, b, K)
    assert found is not None
    T_a_b, agree = found
    assert rotation_angle_deg((invert(T_a_b) @ true)[:3, :3]) < 0.4
    assert T_a_b[:3, 3] @ true[:3, 3] > 0.9 * np.linalg.norm(true[:3, 3])
    assert agree[:550].mean() > 0.98
    assert in_front_share(T_a_b, a[agree], b[agree], K) > 0.8


def test_too_few_matches_give_nothing() -> None:
    a, b = matches(motion((0, 0, 3.0), (0, 0, 0)))
    assert best_motion(a[:FEWEST], b[:FEWEST], K) is not None
    assert best_motion(a[: FEWEST - 1], b[: FEWEST - 1], K) is None


def test_sampson_error_by_value() -> None:
    """b' E a over the length of its gradient by both points, E = [t]x R of the motion from a to b, in pixels."""
    T_a_b = motion((1.5, -0.7, 0.9), (4.0, -9.0, 14.0))
    random = np.random.default_rng(1)
    a, b = random.uniform(0, 384, (2, 20, 2))
    R, t = T_a_b[:3, :3].T, -T_a_b[:3, :3].T @ T_a_b[:3, 3]
    E = np.stack([np.cross(t / np.linalg.norm(t), column) for column in R.T], axis=1)
    for x, y, found in zip(a, b, sampson_px(T_a_b, a, b, K), strict=True):
        x, y = (np.linalg.solve(K, [*point, 1.0]) for point in (x, y))
        (p, q, _), (r, s, _) = E @ x, E.T @ y
        assert found == pytest.approx(K[0, 0] * (y @ E @ x) / np.sqrt(p**2 + q**2 + r**2 + s**2), rel=1e-9)


def test_refinement_goes_to_the_motion_of_the_matches() -> None:
    true = motion((0.4, -0.3, 0.8), (1.5, -1.0, 3.0))
    a, b = matches(true)
    off = true @ motion((2.0, 1.0, 0.0), (0.8, 0.8, -0.8))
    off[:3, 3] *= 7
    found = _refined(off, a, b, K)
    assert rotation_angle_deg((invert(found) @ true)[:3, :3]) < 1e-4
    np.testing.assert_allclose(found[:3, 3], true[:3, 3] / np.linalg.norm(true[:3, 3]), atol=1e-6)


def test_parallax_and_the_side_that_points_move_to_by_value() -> None:
    """The way of a point that the rotation leaves, and how much of all ways goes where the translation takes points."""
    T_a_b = motion((0.4, -0.9, 2.0), (1.5, -1.0, 3.0))
    a, b = matches(T_a_b, noise_px=2.0)
    R, t = T_a_b[:3, :3].T, -T_a_b[:3, :3].T @ T_a_b[:3, 3]
    along = []
    for x, y, found in zip(a, b, parallax_px(T_a_b, a, b, K), strict=True):
        u, v, w = R @ np.linalg.solve(K, [*x, 1.0])
        turned = K[0, 0] * np.array([u, v]) / w + K[:2, 2]
        np.testing.assert_allclose(found, y - turned, atol=1e-9)
        towards = t[:2] - t[2] * np.array([u, v]) / w
        along.append((y - turned) @ towards / np.linalg.norm(towards))
    forwards = sum(way for way in along if way > 0)
    assert in_front_share(T_a_b, a, b, K) == pytest.approx(forwards / np.abs(along).sum(), rel=1e-9)
    backwards = T_a_b.copy()
    backwards[:3, 3] *= -1
    assert in_front_share(backwards, a, b, K) == pytest.approx(1 - forwards / np.abs(along).sum(), rel=1e-9)
    np.testing.assert_array_equal(_pointed(backwards, a, b, K), T_a_b)
    assert _pointed(T_a_b, a, b, K) is T_a_b


def test_matches_agree_below_the_limit() -> None:
    """The best of exact matches is the truth; one match is moved across its line to either side of the limit."""
    true = motion((0.0, 0.0, 3.0), (0, 0, 0))
    a, b = matches(true)
    line = b[0] - K[:2, 2]
    across = np.array([-line[1], line[0]]) / np.linalg.norm(line)
    for error_px, fits in ((0.95 * AGREES_PX, True), (1.05 * AGREES_PX, False)):
        moved = b.copy()
        moved[0] += np.sqrt(2) * error_px * across  # Sampson's error shares it between both ends
        found = best_motion(a, moved, K)
        assert found is not None
        assert found[1][0] == fits
        assert found[1][1:].all()
