"""The references below which nothing should fall: no motion, the same motion always, the expansion of the flow."""

from __future__ import annotations

import numpy as np

from haustra.baselines.rival import Picture, Rival, seen, unknown
from haustra.flow import open_flow
from haustra.poses import FloatArray

_STRIDE = 4
_REWEIGHTINGS = 5


class ZeroMotion(Rival):
    """The camera stays where it is."""

    recipe = "zero"

    def __init__(self) -> None:
        super().__init__(size=128)

    def pair(self, a: Picture, b: Picture) -> FloatArray:  # noqa: ARG002
        return np.eye(4)


class ConstantMotion(Rival):
    """One unit backwards in every pair, as a scope that is drawn back steadily: the paper's time index as a path."""

    recipe = "constant"

    def __init__(self) -> None:
        super().__init__(size=128)

    def pair(self, a: Picture, b: Picture) -> FloatArray:  # noqa: ARG002
        T_a_b = np.eye(4)
        T_a_b[2, 3] = -1.0
        return T_a_b


class FlowExpansion(Rival):
    """Straight on by the mean expansion of the flow: a scene at one unit's distance expands by t_z when t_z is passed.

    An affine flow is fitted robustly; its shift and its turn are rotation and are left out.
    """

    recipe = "expansion"

    def __init__(self, flow: str = "dis") -> None:
        super().__init__(size=128, flow_name=flow)
        self._flow = open_flow(flow)

    def pair(self, a: Picture, b: Picture) -> FloatArray:
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
    """points (n, 3) @ matrix (3, 2) = values, with the weights of least absolute deviations."""
    weight = np.ones(len(points))
    for _ in range(_REWEIGHTINGS):
        root = np.sqrt(weight)[:, None]
        matrix = np.linalg.lstsq(points * root, values * root)[0]
        weight = 1 / np.maximum(np.linalg.norm(points @ matrix - values, axis=1), 1e-4)
    return np.asarray(matrix, np.float64)
