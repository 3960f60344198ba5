"""Trivial baselines: no motion, constant motion, expansion of the optical flow."""

from __future__ import annotations

import numpy as np

from haustra.core.arrays import FloatArray, Image
from haustra.flow import open_flow
from haustra.lab.baselines.rival import Rival, seen, unknown

_STRIDE = 4
_REWEIGHTINGS = 5


class ZeroMotion(Rival):
    """The camera stays where it is."""

    recipe = "zero"

    def __init__(self) -> None:
        super().__init__(size=128)

    def pair(self, a: Image, b: Image) -> FloatArray:  # noqa: ARG002
        return np.eye(4)


class ConstantMotion(Rival):
    """One unit backwards in every pair, a steady withdrawal: the paper's time index as a path."""

    recipe = "constant"

    def __init__(self) -> None:
        super().__init__(size=128)

    def pair(self, a: Image, b: Image) -> FloatArray:  # noqa: ARG002
        T_a_b = np.eye(4)
        T_a_b[2, 3] = -1.0
        return T_a_b


class FlowExpansion(Rival):
    """Translation along the optical axis from the divergence of the flow, for a scene at unit distance.

    An affine flow is fitted robustly; its translation and rotation parts are ignored.
    """

    recipe = "expansion"

    def __init__(self, flow: str = "dis") -> None:
        super().__init__(size=128, flow_name=flow)
        self._flow = open_flow(flow)

    def pair(self, a: Image, b: Image) -> FloatArray:
        flow = self._flow(a, b)[::_STRIDE, ::_STRIDE]
        rows, columns = np.nonzero(seen(a, b, border=3)[::_STRIDE, ::_STRIDE])
        if len(rows) < 12:
            return unknown()
        f = self.K[0, 0]
        x, y = (columns * _STRIDE - self.K[0, 2]) / f, (rows * _STRIDE - self.K[1, 2]) / f
        matrix = _affine_fit(np.stack([x, y, np.ones_like(x)], axis=1), flow[rows, columns] / f)
        T_a_b = np.eye(4)
        T_a_b[2, 3] = (matrix[0, 0] + matrix[1, 1]) / 2
        return T_a_b


def _affine_fit(points: FloatArray, values: FloatArray) -> FloatArray:
    """points (n, 3) @ matrix (3, 2) = values by least absolute deviations (iteratively reweighted)."""
    weight = np.ones(len(points))
    for _ in range(_REWEIGHTINGS):
        root = np.sqrt(weight)[:, None]
        matrix = np.linalg.lstsq(points * root, values * root)[0]
        weight = 1 / np.maximum(np.linalg.norm(points @ matrix - values, axis=1), 1e-4)
    return np.asarray(matrix, np.float64)
