"""The canonical camera: one pinhole model that all networks see, whatever lens made the recording.

A network trained on the flow of one intrinsic matrix is wrong for any other, so every recording is undistorted to the
same one: square, 100 degrees from edge to edge. Its corners are 59 degrees off-axis, which every preset reaches
(MiroCam, the narrowest, ends at 64), so nearly all pixels are valid. A narrower view would lose the outer ring, where
rotation and translation differ most; a wider one would shrink the lumen in the middle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.camera import Camera
from haustra.camera.undistort import Pinhole, Undistorter
from haustra.core.arrays import FloatArray

CANONICAL_FOV_DEG = 100.0


def canonical_K(size: int, fov_deg: float = CANONICAL_FOV_DEG) -> FloatArray:
    """Intrinsic matrix of the `size` x `size` picture; pixel centres have integer coordinates."""
    return Pinhole(size, size, fov_deg).K


def rays(points: NDArray[Any], K: FloatArray) -> FloatArray:
    """Points (..., 2) in pixels as (x, y, 1) of the pinhole camera."""
    flat = (points - K[:2, 2]) / np.array([K[0, 0], K[1, 1]])
    return np.concatenate([flat, np.ones((*flat.shape[:-1], 1))], axis=-1)


def canonical_view(camera: Camera, size: int, fov_deg: float = CANONICAL_FOV_DEG) -> Undistorter:
    """Undistortion from `camera` to the canonical camera."""
    return Undistorter(camera, size, fov_deg)
