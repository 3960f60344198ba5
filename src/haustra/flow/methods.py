"""Registry of dense optical flow methods: each is a function of two pictures, opened by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.onnx import shipped
from haustra.core.vocabulary import FLOW_NAMES

DEFAULT_FLOW = FLOW_NAMES[0]


class Flow(Protocol):
    """Dense optical flow of two pictures."""

    def __call__(self, a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Flow (H, W, 2) in pixels, x before y: the point at p in `a` is at p + flow[p] in `b`.

        Both pictures are RGB (H, W, 3) or grey (H, W), of one size.
        """


def open_flow(name: str = DEFAULT_FLOW, *, weights: Path | None = None, threads: int = 1) -> Flow:
    """The method `name` of FLOW_NAMES, or the file of a PWC-Net; `weights` and `threads` matter to PWC-Net alone."""
    if is_flow_file(name):
        weights = Path(name)
    if name == "pwcnet" or is_flow_file(name):
        from haustra.flow.pwcnet import PwcNetFlow

        return PwcNetFlow(weights, threads=threads)
    makers: dict[str, Callable[[], Flow]] = {"dis": DisFlow, "lk": LucasKanadeFlow, "farneback": FarnebackFlow}
    if name not in makers:
        raise HaustraError(f"no optical flow method '{name}': choose one of {', '.join(FLOW_NAMES)}, or an .onnx file")
    return makers[name]()


def flow_weights(name: str) -> Path | None:
    """The weights file of a method, where it has one."""
    if is_flow_file(name):
        return Path(name)
    return shipped("pwcnet") if name == "pwcnet" else None


def is_flow_file(name: str) -> bool:
    """Whether it is a file of `haustra train flow` or `train flow-file` rather than a name."""
    return Path(name).suffix == ".onnx"


class DisFlow:
    """Dense inverse search (Kroeger 2016), OpenCV's `medium` preset: our default, 2-3 ms at 128x128.

    The preset stops at half the resolution of the picture. `full_size` goes on to full resolution with fewer patches
    and iterations: 50 % slower, 25 % lower end-point error (simulated recordings): worthwhile for point refinement, not
    as network input.
    """

    def __init__(self, *, full_size: bool = False) -> None:
        self._dis = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
        if full_size:
            self._dis.setFinestScale(0)
            self._dis.setPatchStride(6)
            self._dis.setGradientDescentIterations(12)
            self._dis.setVariationalRefinementIterations(3)

    def __call__(self, a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.float32]:
        grey_a, grey_b = _grey_pair(a, b)
        flow = self._dis.calc(grey_a, grey_b, None)  # type: ignore[call-overload]
        return np.asarray(flow, np.float32)


class FarnebackFlow:
    """Polynomial expansion (Farneback 2003)."""

    def __call__(self, a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.float32]:
        grey_a, grey_b = _grey_pair(a, b)
        start = np.zeros((*grey_a.shape, 2), np.float32)
        return np.asarray(cv2.calcOpticalFlowFarneback(grey_a, grey_b, start, 0.5, 4, 15, 3, 5, 1.1, 0), np.float32)


class LucasKanadeFlow:
    """The paper's comparison: OpenCV's pyramidal Lucas-Kanade, at every pixel.

    Pixels that it loses take the flow of the nearest tracked ones.
    """

    WINDOW = (21, 21)
    LEVELS = 3

    def __call__(self, a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.float32]:
        grey_a, grey_b = _grey_pair(a, b)
        height, width = grey_a.shape
        ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
        points = np.stack([xs, ys], axis=-1).reshape(-1, 1, 2)
        moved, status, _ = cv2.calcOpticalFlowPyrLK(
            grey_a, grey_b, points, points.copy(), winSize=self.WINDOW, maxLevel=self.LEVELS
        )
        flow = (moved - points).reshape(height, width, 2)
        found = status.reshape(height, width).astype(bool) & (np.abs(flow).max(axis=-1) < max(height, width) / 2)
        return _fill_holes(flow, found)


def _fill_holes(flow: NDArray[np.float32], found: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Inpaint with normalised box filters of growing size, until every hole has seen a tracked pixel."""
    if not found.any():
        return np.zeros_like(flow)
    result = np.where(found[..., None], flow, 0).astype(np.float32)
    known = found.astype(np.float32)
    size = 3
    while not known.all():
        weight = cv2.boxFilter(known, -1, (size, size), normalize=False, borderType=cv2.BORDER_CONSTANT)
        spread = cv2.boxFilter(result, -1, (size, size), normalize=False, borderType=cv2.BORDER_CONSTANT)
        fresh = (known == 0) & (weight > 0.5)
        result[fresh] = spread[fresh] / weight[fresh][:, None]
        known[fresh] = 1
        size = 2 * size + 1
    return result


def _grey_pair(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    if a.shape != b.shape:
        raise HaustraError(f"optical flow needs two pictures of one size, found {a.shape} and {b.shape}")
    return _grey(a), _grey(b)


def _grey(picture: NDArray[np.uint8]) -> NDArray[Any]:
    return picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
