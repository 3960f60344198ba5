"""Where the lumen lies in a picture: light fades with distance, so what is farthest is darkest."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.motion.canonical import canonical_K, rays
from haustra.poses import FloatArray

# The picture is looked at this small, smoothed by a pixel: folds and highlights are gone, the lumen is not.
_SIDE = 32
# The darkest part of the picture, in percent, tells where the lumen is.
_DARKEST = 10.0


class LumenView:
    """Finds the lumen in pictures of the canonical camera that are valid where `mask` (size, size) is True."""

    def __init__(self, mask: NDArray[np.bool_], fov_deg: float) -> None:
        small = cv2.resize(mask.astype(np.float32), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
        self._valid = small > 0.9
        self._rays = rays(np.argwhere(self._valid)[:, ::-1], canonical_K(_SIDE, fov_deg))[:, :2]

    def __call__(self, picture: NDArray[np.uint8]) -> FloatArray:
        """Ray (x, y, 1) to the middle of the darkest part as x, y, and how far this part spreads; NaN: no picture."""
        if not self._valid.any():
            return np.full(3, np.nan)
        small = cv2.resize(picture, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32).mean(axis=2)
        light = cv2.GaussianBlur(small, (0, 0), 1.0)[self._valid]
        weight = np.maximum(np.percentile(light, _DARKEST) - light, 0.0) + 1e-6
        weight /= weight.sum()
        middle = weight @ self._rays
        spread = np.sqrt(weight @ np.square(self._rays - middle).sum(axis=1))
        return np.array([*middle, spread])
