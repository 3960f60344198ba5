"""Corners tracked between frames a fraction of a second apart (pyramidal Lucas-Kanade with a backward check)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray, Image, Mask

CORNERS = 300
QUALITY = 0.005
APART_PX = 7
WINDOW = (17, 17)
LEVELS = 3
BACKWARD_PX = 0.7
# A pair is worth its while when enough corners survive and they move: below this median motion it says little.
FEWEST = 50
SMALLEST_MOTION_PX = 2.0


@dataclass(frozen=True)
class TrackedPair:
    """Points (n, 2) in pixels of one frame and of a later one."""

    time_s: float
    a: FloatArray
    b: FloatArray


def grey(image: Image) -> Image:
    """Contrast-limited equalisation: mucosa has little contrast of its own."""
    return np.asarray(cv2.createCLAHE(2.0, (8, 8)).apply(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)))


def track_through(frames: list[tuple[float, Image]], inside: Mask) -> list[TrackedPair]:
    """One pair out of a burst of neighbouring frames: from its first frame to the last one that enough corners reach.

    Corners are followed from frame to frame, then checked by following them back from the last in one go.
    """
    if len(frames) < 2:
        return []
    pictures = [(time_s, grey(image)) for time_s, image in frames]
    start = cv2.goodFeaturesToTrack(pictures[0][1], CORNERS, QUALITY, APART_PX, mask=inside.astype(np.uint8))
    if start is None or len(start) < FEWEST:
        return []
    first: NDArray[Any] = start.astype(np.float32)
    now = first
    best: TrackedPair | None = None
    for (_, before), (_, picture) in pairwise(pictures):
        moved, ok = follow(before, picture, now)
        back, known = follow(picture, before, moved)
        good = (
            ok & known & (np.linalg.norm((back - now)[:, 0], axis=1) < BACKWARD_PX) & within_mask(moved[:, 0], inside)
        )
        first, now = first[good], moved[good]
        if len(now) < FEWEST:
            break
        motion = float(np.median(np.linalg.norm((now - first)[:, 0], axis=1)))
        if motion >= SMALLEST_MOTION_PX:
            best = TrackedPair(pictures[0][0], first[:, 0].astype(np.float64), now[:, 0].astype(np.float64))
    return [] if best is None else [best]


def follow(a: Image, b: Image, points: NDArray[Any]) -> tuple[NDArray[Any], Mask]:
    """Points (n, 1, 2) of grey picture a in b, and which of them were found."""
    moved, status, _ = cv2.calcOpticalFlowPyrLK(a, b, points, None, winSize=WINDOW, maxLevel=LEVELS)  # type: ignore[call-overload]
    return moved, status[:, 0] > 0


def within_mask(points: NDArray[Any], inside: Mask) -> Mask:
    """Which points (n, 2) lie where the mask is True."""
    height, width = inside.shape
    x, y = np.round(points).astype(int).T
    held = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    return np.asarray(held & inside[y.clip(0, height - 1), x.clip(0, width - 1)])
