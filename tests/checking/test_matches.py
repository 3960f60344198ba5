"""Corners that are followed through pictures."""

from __future__ import annotations

import cv2
import numpy as np

from haustra.checking.matches import EDGE_PX, follow_corners, tissue


def _texture() -> np.ndarray:
    noise = np.random.default_rng(3).normal(128, 60, (160, 160)).astype(np.float32)
    return np.clip(cv2.GaussianBlur(noise, (0, 0), 1.5) * 2.2 - 150, 0, 255).astype(np.uint8)


def test_corners_are_followed_through_all_pictures() -> None:
    wide = _texture()
    pictures = np.stack([wide[20:140, 20 + 2 * k : 140 + 2 * k] for k in range(4)])
    a, b = follow_corners(pictures, tissue(np.ones((120, 120), bool)))
    assert len(a) > 30
    assert np.allclose(np.median(b - a, axis=0), [-6.0, 0.0], atol=0.2)


def test_corners_do_not_lie_on_the_rim() -> None:
    mask = np.zeros((120, 120), bool)
    mask[20:100, 20:100] = True
    pictures = np.stack([_texture()[20:140, 20:140] * mask] * 2).astype(np.uint8)
    a, _ = follow_corners(pictures, tissue(mask))
    assert len(a) > 5
    assert a.min() >= 20 + EDGE_PX // 2
    assert a.max() <= 99 - EDGE_PX // 2


def test_pictures_without_corners_have_no_matches() -> None:
    a, b = follow_corners(np.full((3, 60, 60), 90, np.uint8), np.ones((60, 60), bool))
    assert a.shape == b.shape == (0, 2)
