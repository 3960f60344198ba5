"""Point matches that know nothing of our motion: corners followed through the pictures of a stretch (Lucas-Kanade)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera.self_calibration.tracks import follow, within_mask
from haustra.core.arrays import FloatArray, Images, Mask

CORNERS = 400
QUALITY = 0.004
APART_PX = 6
BACK_PX = 1.0  # a corner that is followed back must come this near to where it was
EDGE_PX = 9  # corners of the rim itself are no tissue


def tissue(mask: Mask) -> Mask:
    """Where corners may lie: away from the rim."""
    kernel = np.ones((EDGE_PX, EDGE_PX), np.uint8)
    return np.asarray(cv2.erode(np.pad(mask.astype(np.uint8), EDGE_PX), kernel)[EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX] > 0)


def follow_corners(pictures: Images, inside: Mask) -> tuple[FloatArray, FloatArray]:
    """Pixels (m, 2) in the first of grey pictures (n, H, W) and in the last, of corners that reach it."""
    nothing = np.zeros((0, 2))
    start = cv2.goodFeaturesToTrack(pictures[0], CORNERS, QUALITY, APART_PX, mask=inside.astype(np.uint8))
    if start is None:
        return nothing, nothing
    first: NDArray[Any] = start.astype(np.float32)
    now = first
    for before, picture in pairwise(pictures):
        moved, found = follow(before, picture, now)
        back, again = follow(picture, before, moved)
        near = np.linalg.norm((back - now)[:, 0], axis=1) < BACK_PX
        good = found & again & near & within_mask(moved[:, 0], inside)
        first, now = first[good], moved[good]
        if not len(now):
            return nothing, nothing
    return first[:, 0].astype(np.float64), now[:, 0].astype(np.float64)
