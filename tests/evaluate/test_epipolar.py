"""Sampson error and best motion on matches whose motion is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from haustra.evaluate.epipolar import best_motion, in_front_share, sampson_px
from haustra.motion import canonical_K
from haustra.poses import invert, rotation_angle_deg

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
    assert best_motion(a[:12], b[:12], K) is None
