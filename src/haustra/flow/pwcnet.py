"""PWC-Net on ONNX Runtime: the flow network of the paper's appendix, with our weights (`haustra train flow`)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.onnx import NetworkCard, Shape, open_model, shipped

STRIDE = 64  # the coarsest of six pyramid levels


class FlowCard(NetworkCard, frozen=True):
    """Pictures of any size; it is tried on the smallest."""

    task: Literal["flow"]

    def inputs(self) -> list[Shape]:
        return [(3, 2 * STRIDE, 2 * STRIDE)] * 2

    def outputs(self) -> dict[str, Shape]:
        return {"flow_ab": (2, 2 * STRIDE, 2 * STRIDE)}


class PwcNetFlow:
    """Pictures of any size: they are resized to multiples of 64, as the published network needs."""

    def __init__(self, weights: Path | None = None, *, threads: int = 1) -> None:
        self._model = open_model(weights or shipped("pwcnet"), FlowCard, threads=threads)

    def __call__(self, a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.float32]:
        if a.shape != b.shape:
            raise HaustraError(f"optical flow needs two pictures of one size, found {a.shape} and {b.shape}")
        height, width = a.shape[:2]
        size = (_fitting(width), _fitting(height))
        flow = self._model.run(_prepare(a, size), _prepare(b, size))[0][0].transpose(1, 2, 0)
        flow = cv2.resize(flow, (width, height), interpolation=cv2.INTER_LINEAR)
        return (flow * np.array([width / size[0], height / size[1]])).astype(np.float32)


def _fitting(side: int) -> int:
    return max(2, -(-side // STRIDE)) * STRIDE


def _prepare(picture: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.float32]:
    rgb = picture if picture.ndim == 3 else cv2.cvtColor(picture, cv2.COLOR_GRAY2RGB)
    resized = rgb if rgb.shape[1::-1] == size else cv2.resize(rgb, size, interpolation=cv2.INTER_LINEAR)
    return (resized.transpose(2, 0, 1)[None] / np.float32(255)).astype(np.float32)
