"""What a user would try first: matched points and the essential matrix (Nister 2004), by OpenCV.

It tells the direction of the translation, not its length. The length is the one at which the matched points lie at the
median distance of one unit: a colon has about one calibre, so neighbouring pairs get about one scale.
"""

from __future__ import annotations

from abc import abstractmethod

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray, Image
from haustra.core.poses import invert
from haustra.lab.baselines.rival import Rival, grey, seen, unknown

FEWEST = 12
# Shares of the picture's side. Points that are nearer to their epipolar line agree with the motion;
AGREE_WITHIN = 1 / 640
# below this median motion of the points, motion cannot be told from noise: the camera is at rest.
AT_REST = 0.15 / 256
_FARTHEST = 50.0


class EssentialOdometry(Rival):
    """A matcher and the motion that its matches agree on; the same pair always gives the same motion."""

    SIDE = 256

    def __init__(self) -> None:
        super().__init__(size=self.SIDE)

    @abstractmethod
    def match(self, a: Image, b: Image) -> tuple[FloatArray, FloatArray]:
        """Pixels (n, 2) of the same points in both frames."""

    def pair(self, a: Image, b: Image) -> FloatArray:
        points_a, points_b = self.match(a, b)
        if len(points_a) < FEWEST:
            return unknown()
        if float(np.median(np.linalg.norm(points_b - points_a, axis=1))) < AT_REST * self.size:
            return np.eye(4)
        return motion_of_matches(points_a, points_b, self.K, AGREE_WITHIN * self.size)


def motion_of_matches(points_a: FloatArray, points_b: FloatArray, K: FloatArray, within_px: float) -> FloatArray:
    """T_a_b of matched pixels by MAGSAC++; NaN where they do not agree on a motion."""
    cv2.setRNGSeed(0)
    E, mask = cv2.findEssentialMat(points_a, points_b, K, cv2.USAC_MAGSAC, 0.9999, within_px)
    if E is None or E.shape != (3, 3) or int(mask.sum()) < FEWEST:
        return unknown()
    count, R, t, _, points = cv2.recoverPose(E, points_a, points_b, K, distanceThresh=_FARTHEST * 20, mask=mask.copy())
    T_b_a = np.eye(4)
    T_b_a[:3, :3] = R
    T_b_a[:3, 3] = t.ravel() / _median_distance(np.asarray(points, np.float64))
    return invert(T_b_a) if count >= FEWEST else unknown()


def _median_distance(points: FloatArray) -> float:
    """Of triangulated points (4, n), in units of the translation; points without parallax are far, not missing."""
    depth = points[2] / np.where(np.abs(points[3]) > 1e-12, points[3], 1e-12)
    usable = depth[np.isfinite(depth) & (depth > 0)]
    return float(np.median(usable)) if len(usable) else np.inf


class KltOdometry(EssentialOdometry):
    """Corners tracked by Lucas-Kanade, forward and back (as Armin et al. 2016 do).

    Pictures of 640 pixels with evened contrast: at 256 without it, rotations of foreign e and f are off by 1.7 times as
    much.
    """

    recipe = "klt"
    SIDE = 640
    CORNERS = 1000
    BACK_PX = 0.5

    def __init__(self) -> None:
        super().__init__()
        self._contrast = cv2.createCLAHE(clipLimit=2.0, tileGridSize=(8, 8))

    def match(self, a: Image, b: Image) -> tuple[FloatArray, FloatArray]:
        grey_a, grey_b = (np.asarray(self._contrast.apply(grey(frame)), np.uint8) for frame in (a, b))
        mask = seen(a, b, border=15).astype(np.uint8)
        corners = cv2.goodFeaturesToTrack(grey_a, self.CORNERS, 0.005, 8, mask=mask)
        if corners is None:
            return np.zeros((0, 2)), np.zeros((0, 2))
        start = np.asarray(corners, np.float32).reshape(-1, 1, 2)
        return track(grey_a, grey_b, start, self.BACK_PX, window=21, levels=4)


def track(
    grey_a: Image, grey_b: Image, start: NDArray[np.float32], back_px: float, window: int = 15, levels: int = 3
) -> tuple[FloatArray, FloatArray]:
    """Points of a, and where they are in b; only those that tracking back leads to where they came from."""
    options = {"winSize": (window, window), "maxLevel": levels}
    there, found, _ = cv2.calcOpticalFlowPyrLK(grey_a, grey_b, start, None, **options)  # type: ignore[call-overload]
    back, again, _ = cv2.calcOpticalFlowPyrLK(grey_b, grey_a, there, None, **options)  # type: ignore[call-overload]
    close = np.linalg.norm((back - start).reshape(-1, 2), axis=1) < back_px
    good = (found.ravel() > 0) & (again.ravel() > 0) & close
    return (start.reshape(-1, 2)[good].astype(np.float64), there.reshape(-1, 2)[good].astype(np.float64))


class OrbOdometry(EssentialOdometry):
    """ORB descriptors that are each other's nearest and pass Lowe's ratio."""

    recipe = "orb"
    FEATURES = 1500
    RATIO = 0.85

    def __init__(self) -> None:
        super().__init__()
        self._orb = cv2.ORB.create(nfeatures=self.FEATURES, edgeThreshold=12, fastThreshold=5)
        self._matcher = cv2.BFMatcher(cv2.NORM_HAMMING)

    def match(self, a: Image, b: Image) -> tuple[FloatArray, FloatArray]:
        mask = seen(a, b, border=6).astype(np.uint8) * 255
        found = [self._orb.detectAndCompute(grey(frame), mask) for frame in (a, b)]
        (corners_a, words_a), (corners_b, words_b) = found
        if words_a is None or words_b is None or len(words_b) < 2:
            return np.zeros((0, 2)), np.zeros((0, 2))
        back = {m.queryIdx: m.trainIdx for m in self._matcher.match(words_b, words_a)}
        pairs = [
            (corners_a[first.queryIdx].pt, corners_b[first.trainIdx].pt)
            for first, second in self._matcher.knnMatch(words_a, words_b, k=2)
            if first.distance < self.RATIO * second.distance and back.get(first.trainIdx) == first.queryIdx
        ]
        points = np.asarray(pairs, np.float64).reshape(-1, 2, 2)
        return points[:, 0], points[:, 1]
