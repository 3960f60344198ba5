"""The trained motion network on ONNX Runtime: frame pairs in, motions a->b out (paper, fig:network).

`RefinedMotion` is what `locate` uses; this is the network alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.onnx import NetworkCard, Shape, open_model, shipped
from haustra.core.poses import euler_to_matrix, invert
from haustra.flow import Flow, open_flow
from haustra.motion.canonical import canonical_K

Word = Annotated[str, Meta(max_length=100)]


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


class CanonicalCard(NetworkCard, frozen=True):
    """Side in pixels and angle of view of the canonical pictures, the recipe it was trained by, and its flow."""

    size: Annotated[int, Meta(ge=16, le=1024)]
    fov_deg: Annotated[float, Meta(ge=10, le=170)]
    recipe: Word
    flow: Word


class MotionCard(CanonicalCard, frozen=True):
    """Of a motion network: two pictures and the flow between them in, the motion out."""

    task: Literal["motion"]

    def inputs(self) -> list[Shape]:
        return [(channels, self.size, self.size) for channels in (3, 3, 2)]

    def outputs(self) -> dict[str, Shape]:
        return {"motion": (6,)}


class DisparityCard(CanonicalCard, frozen=True):
    """Of the disparity network that was trained with a motion network."""

    task: Literal["disparity"]

    def inputs(self) -> list[Shape]:
        return [(3, self.size, self.size)]

    def outputs(self) -> dict[str, Shape]:
        return {"disparity": (1, self.size, self.size)}


@dataclass(frozen=True)
class PairMeasurement:
    """s(a->b) (N, 6) of pairs, and the predicted standard deviation of each number (N, 6); NaN where none is."""

    motion: FloatArray
    std: FloatArray


class MotionEstimator:
    """The motion of frame pairs that were undistorted to `size` x `size` pixels over `fov_deg` degrees.

    `weights` is a file from `haustra train motion` (None: the shipped one).
    """

    def __init__(self, weights: Path | None = None, *, flow: Flow | None = None, threads: int = 1) -> None:
        self.path = weights or shipped("motion")
        self._model = open_model(self.path, MotionCard, threads=threads)
        card = self._model.card
        self.size, self.fov_deg, self.recipe, self.flow_name = card.size, card.fov_deg, card.recipe, card.flow
        self.K = canonical_K(self.size, self.fov_deg)
        self.pair_flow = flow or open_flow(self.flow_name, threads=threads)

    def flow(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Flow a->b (N, S, S, 2) of frames (N, S, S, 3)."""
        return np.stack([self.pair_flow(a, b) for a, b in zip(frames_a, frames_b, strict=True)])

    def estimate(
        self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8], flow_ab: NDArray[Any] | None = None
    ) -> FloatArray:
        """s(a->b) (N, 6) of RGB frames (N, S, S, 3); the flow is computed here when it is not given."""
        return self.measure(frames_a, frames_b, flow_ab).motion

    def measure(
        self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8], flow_ab: NDArray[Any] | None = None
    ) -> PairMeasurement:
        """As `estimate`, with standard deviations."""
        return self.measure_scene(frames_a, frames_b, flow_ab)[0]

    def measure_scene(
        self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8], flow_ab: NDArray[Any] | None = None
    ) -> tuple[PairMeasurement, FloatArray | None]:
        """As `measure`, and the disparity of a (N, S, S) if the network was trained with geometric targets."""
        self._check(frames_a, frames_b)
        if len(frames_a) == 0:
            return PairMeasurement(np.zeros((0, 6)), np.zeros((0, 6))), None
        found = self._run(frames_a, frames_b, flow_ab)
        std = np.exp(found.get("log_std", np.full_like(found["motion"], np.nan)))
        return PairMeasurement(found["motion"], std), found["disparity"][:, 0] if "disparity" in found else None

    def measure_low_quality(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> PairMeasurement:
        """The same: the network predicts a larger uncertainty by itself."""
        return self.measure(frames_a, frames_b)

    def pair_motions(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> FloatArray:
        """T_a_b (N, 4, 4) of frame pairs."""
        return motion_to_T_a_b(self.estimate(frames_a, frames_b))

    def _run(
        self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8], flow_ab: NDArray[Any] | None
    ) -> dict[str, FloatArray]:
        """The outputs of the network by name: `motion`, and whatever else the file has."""
        flow_ab = self.flow(frames_a, frames_b) if flow_ab is None else np.asarray(flow_ab, np.float32)
        found = self._model.run(_to_input(frames_a), _to_input(frames_b), np.moveaxis(flow_ab, -1, 1))
        return {name: output.astype(np.float64) for name, output in zip(self._model.outputs, found, strict=True)}

    def _check(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> None:
        wanted = (self.size, self.size, 3)
        if frames_a.shape != frames_b.shape or frames_a.shape[1:] != wanted or frames_a.dtype != np.uint8:
            raise HaustraError(
                f"this motion network takes uint8 frames of shape (N, {self.size}, {self.size}, 3), found"
                f" {frames_a.shape} and {frames_b.shape}"
            )


def _to_input(frames: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.moveaxis(frames, -1, 1).astype(np.float32) / np.float32(255)
