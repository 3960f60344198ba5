"""Base class of the baselines that are not networks: one pair at a time, in the canonical camera."""

from __future__ import annotations

from abc import ABC, abstractmethod

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray, Image
from haustra.core.errors import HaustraError
from haustra.core.poses import invert, matrix_to_euler
from haustra.motion import CANONICAL_FOV_DEG, canonical_K
from haustra.motion.estimator import PairMeasurement


class Rival(ABC):
    """`pair` returns T_a_b of one pair, NaN where it fails; `path.trajectory.chain` bridges such pairs."""

    path = None  # it has no file
    recipe: str  # its name

    def __init__(self, *, size: int, flow_name: str = "none") -> None:
        self.size = size
        self.fov_deg = CANONICAL_FOV_DEG
        self.flow_name = flow_name
        self.K = canonical_K(size)

    @abstractmethod
    def pair(self, a: Image, b: Image) -> FloatArray:
        """T_a_b (4, 4) of two RGB frames."""

    def pair_motions(self, frames_a: Image, frames_b: Image) -> FloatArray:
        """T_a_b (N, 4, 4) of frames (N, S, S, 3)."""
        wanted = (self.size, self.size, 3)
        if frames_a.shape != frames_b.shape or frames_a.shape[1:] != wanted:
            raise HaustraError(f"frames of shape (N, *{wanted}) are needed, found {frames_a.shape}, {frames_b.shape}")
        motions = [self.pair(a, b) for a, b in zip(frames_a, frames_b, strict=True)]
        return np.stack(motions) if motions else np.zeros((0, 4, 4))

    def estimate(self, frames_a: Image, frames_b: Image) -> FloatArray:
        """s(a->b) (N, 6), like the networks."""
        Q = np.full((len(frames_a), 6), np.nan)
        T_a_b = self.pair_motions(frames_a, frames_b)
        known = np.isfinite(T_a_b).all(axis=(1, 2))
        T_b_a = invert(T_a_b[known])
        if known.any():
            Q[known] = np.concatenate([T_b_a[:, :3, 3], matrix_to_euler(T_b_a[:, :3, :3])], axis=1)
        return Q

    def measure(self, frames_a: Image, frames_b: Image) -> PairMeasurement:
        """As `estimate`, without uncertainty."""
        motion = self.estimate(frames_a, frames_b)
        return PairMeasurement(motion, np.full_like(motion, np.nan))

    def measure_low_quality(self, frames_a: Image, frames_b: Image) -> PairMeasurement:
        """As `measure`: baselines do not treat low-quality frames differently."""
        return self.measure(frames_a, frames_b)


def grey(picture: Image) -> Image:
    """Grey levels of an RGB picture."""
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)


def unknown() -> FloatArray:
    """The motion of a failed pair."""
    return np.full((4, 4), np.nan)


def seen(a: Image, b: Image, border: int) -> NDArray[np.bool_]:
    """Pixels valid in both frames, `border` pixels away from the black outside of the lens."""
    both = ((a.max(axis=2) > 0) & (b.max(axis=2) > 0)).astype(np.uint8)
    both = cv2.morphologyEx(both, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))  # single black pixels are tissue
    kernel = np.ones((2 * border + 1, 2 * border + 1), np.uint8)
    return np.asarray(cv2.erode(both, kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0)
