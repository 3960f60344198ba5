"""The trained motion network on ONNX Runtime: pairs in, motions out. One direction only, as in the paper's use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.flow import Flow, open_flow
from haustra.motion.canonical import canonical_K
from haustra.onnx_models import open_model, shipped
from haustra.poses import euler_to_matrix, invert

FloatArray = NDArray[np.float64]


def motion_to_matrix(motion: NDArray[Any]) -> FloatArray:
    """Q (..., 4, 4) of s = (t_x t_y t_z r_x r_y r_z): takes points of a into b."""
    motion = np.asarray(motion, np.float64)
    result = np.zeros((*motion.shape[:-1], 4, 4))
    result[..., :3, :3] = euler_to_matrix(motion[..., 3:])
    result[..., :3, 3] = motion[..., :3]
    result[..., 3, 3] = 1.0
    return result


def motion_to_T_a_b(motion: NDArray[Any]) -> FloatArray:
    """T_a_b = inv(Q(a->b)): points of b into a, ready to be chained."""
    return invert(motion_to_matrix(motion))


class MotionEstimator:
    """The motion of frame pairs that were undistorted to `size` x `size` pixels over `fov_deg` degrees.

    `weights` is a file from `haustra train motion` (None: the shipped one).
    """

    def __init__(self, weights: Path | None = None, *, flow: Flow | None = None, threads: int = 1) -> None:
        self.path = weights or shipped("motion")
        self._model = open_model(self.path, task="motion", threads=threads)
        self.size = int(self._model.metadata["size"])
        self.fov_deg = float(self._model.metadata["fov_deg"])
        self.recipe = str(self._model.metadata["recipe"])
        self.K = canonical_K(self.size, self.fov_deg)
        self.flow_name = str(self._model.metadata["flow"])
        self._flow = flow or open_flow(self.flow_name, threads=threads)

    def flow(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Flow a->b (N, S, S, 2) of frames (N, S, S, 3)."""
        return np.stack([self._flow(a, b) for a, b in zip(frames_a, frames_b, strict=True)])

    def estimate(
        self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8], flow_ab: NDArray[Any] | None = None
    ) -> FloatArray:
        """s(a->b) (N, 6) of RGB frames (N, S, S, 3); the flow is computed here when it is not given."""
        self._check(frames_a, frames_b)
        if len(frames_a) == 0:
            return np.zeros((0, 6))
        flow_ab = self.flow(frames_a, frames_b) if flow_ab is None else np.asarray(flow_ab, np.float32)
        picture_a, picture_b = _to_input(frames_a), _to_input(frames_b)
        motion: FloatArray = self._model.run(picture_a, picture_b, np.moveaxis(flow_ab, -1, 1))[0].astype(np.float64)
        return motion

    def pair_motions(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> FloatArray:
        """T_a_b (N, 4, 4) of frame pairs."""
        return motion_to_T_a_b(self.estimate(frames_a, frames_b))

    def _check(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> None:
        wanted = (self.size, self.size, 3)
        if frames_a.shape != frames_b.shape or frames_a.shape[1:] != wanted or frames_a.dtype != np.uint8:
            raise HaustraError(
                f"this motion network takes uint8 frames of shape (N, {self.size}, {self.size}, 3), found"
                f" {frames_a.shape} and {frames_b.shape}"
            )


def _to_input(frames: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.moveaxis(frames, -1, 1).astype(np.float32) / np.float32(255)
