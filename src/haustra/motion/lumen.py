"""Lumen detection by darkness: the light source is at the camera, so the farthest part is the darkest."""

from __future__ import annotations

import cv2
import numpy as np

from haustra.core.arrays import FloatArray, Image, Mask
from haustra.motion.canonical import canonical_K, rays
from haustra.motion.parameters import DEFAULTS, LumenParameters


class LumenView:
    """Finds the lumen in pictures of the canonical camera that are valid where `mask` (size, size) is True."""

    def __init__(self, mask: Mask, fov_deg: float, parameters: LumenParameters = DEFAULTS.lumen) -> None:
        self._parameters = parameters
        self._size = (parameters.side_px, parameters.side_px)
        self._valid = cv2.resize(mask.astype(np.float32), self._size, interpolation=cv2.INTER_AREA) > 0.9
        self._rays = rays(np.argwhere(self._valid)[:, ::-1], canonical_K(parameters.side_px, fov_deg))[:, :2]

    def __call__(self, picture: Image) -> FloatArray:
        """Ray (x, y, 1) to the centroid of the darkest part as x, y, and the spread of that part; NaN: no picture."""
        if not self._valid.any():
            return np.full(3, np.nan)
        small = cv2.resize(picture, self._size, interpolation=cv2.INTER_AREA).astype(np.float32).mean(axis=2)
        light = cv2.GaussianBlur(small, (0, 0), self._parameters.blur_px)[self._valid]
        weight = np.maximum(np.percentile(light, self._parameters.darkest_percent) - light, 0.0) + 1e-6
        weight /= weight.sum()
        middle = weight @ self._rays
        spread = np.sqrt(weight @ np.square(self._rays - middle).sum(axis=1))
        return np.array([*middle, spread])
