"""The paper's rival "optical flow-based": Liu, Subramanian, Yoo, *An optical flow approach to tracking colonoscopy
video*, Computerized Medical Imaging and Graphics 37 (2013).

1. Sparse flow (tracked corners) corrects dense flow where they differ.
2. Focus of expansion (FOE), coarse to fine: translation moves every pixel along the line through the FOE, so flow
   across that line is due to rotation. The FOE with the smallest residual across is chosen.
3. Rotation from the flow across the lines through the FOE, independent of translation and depth.
4. Translation from the remaining flow along them, with the depth of a tube of unit radius around the FOE.

Flow of a camera with translation t and rotation w (Longuet-Higgins and Prazdny 1980), normalised coordinates:
    u = (x t_z - t_x) / Z + x y w_x - (1 + x^2) w_y + y w_z
    v = (y t_z - t_y) / Z + (1 + y^2) w_x - x y w_y - x w_z
"""

from __future__ import annotations

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray, Image
from haustra.flow import open_flow
from haustra.lab.baselines.essential import track
from haustra.lab.baselines.rival import Rival, grey, seen, unknown

SIZE = 128
STRIDE = 4
CORNERS = 150
SPREAD_PX = 8.0  # standard deviation of the weight of a tracked corner's correction
# Grid search of the FOE up to twice the picture's edge (67 degrees off-axis), then refined around the best: (grid
# points per side, every n-th pixel).
GRID = ((15, 6), (5, 3), (5, 2), (5, 1))
REACH = 2.4
REWEIGHTINGS = 4
FARTHEST = 6.0  # radii: visible end of the tube
FEWEST = 60


class LiuFlow(Rival):
    """One pair at a time, as published, but without that work's smoothing over time."""

    recipe = "liu2013"

    def __init__(self, flow: str = "dis") -> None:
        super().__init__(size=SIZE, flow_name=flow)
        self._flow = open_flow(flow)

    def pair(self, a: Image, b: Image) -> FloatArray:
        visible = seen(a, b, border=3)[::STRIDE, ::STRIDE]
        if int(visible.sum()) < FEWEST:
            return unknown()
        rows, columns = np.nonzero(visible)
        pixels = STRIDE * np.stack([columns, rows], axis=1).astype(np.float64)
        moved = self._combined_flow(a, b)[::STRIDE, ::STRIDE][visible]
        f = self.K[0, 0]
        points, flow = (pixels - self.K[:2, 2]) / f, moved.astype(np.float64) / f
        foe = find_foe(points, flow)
        w, _ = rotation_across(points, flow, foe[None])
        t = translation_in_tube(points, flow - rotational_flow(points, w[0]), foe)
        T_a_b = np.eye(4)
        T_a_b[:3, :3] = Rotation.from_rotvec(w[0]).as_matrix()
        T_a_b[:3, 3] = t
        return T_a_b

    def _combined_flow(self, a: Image, b: Image) -> FloatArray:
        """Dense flow plus the weighted mean correction by tracked corners nearby."""
        dense = np.asarray(self._flow(a, b), np.float64)
        grey_a, grey_b = grey(a), grey(b)
        mask = seen(a, b, border=6).astype(np.uint8)
        corners = cv2.goodFeaturesToTrack(grey_a, CORNERS, 0.01, 5, mask=mask)
        if corners is None:
            return dense
        start, there = track(grey_a, grey_b, np.asarray(corners, np.float32).reshape(-1, 1, 2), back_px=0.3)
        column, row = np.clip(np.rint(start).astype(int), 0, SIZE - 1).T
        wanted = there - start - dense[row, column]
        correction, weight = np.zeros_like(dense), np.full(dense.shape[:2], 0.02)
        np.add.at(correction, (row, column), wanted * SPREAD_PX**2)
        np.add.at(weight, (row, column), SPREAD_PX**2)
        spread, weights = (np.asarray(cv2.GaussianBlur(v, (0, 0), SPREAD_PX)) for v in (correction, weight))
        return np.asarray(dense + spread / weights[..., None])


def rotational_flow(points: FloatArray, w: FloatArray) -> FloatArray:
    """Flow (n, 2) due to rotation w."""
    return np.asarray(_rotation_rows(points) @ w)


def _rotation_rows(points: FloatArray) -> FloatArray:
    x, y = points.T
    u = np.stack([x * y, -(1 + x**2), y], axis=-1)
    v = np.stack([1 + y**2, -x * y, -x], axis=-1)
    return np.stack([u, v], axis=1)


def rotation_across(points: FloatArray, flow: FloatArray, foes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rotation (m, 3) for each FOE (m, 2), and the mean absolute residual of the flow across (m,)."""
    away = points[None] - foes[:, None]
    distance = np.linalg.norm(away, axis=-1, keepdims=True)
    across = np.stack([-away[..., 1], away[..., 0]], axis=-1) / np.maximum(distance, 0.05)
    u, v = np.moveaxis(_rotation_rows(points), 1, 0)
    rows = across[..., :1] * u + across[..., 1:] * v
    values = across[..., 0] * flow[:, 0] + across[..., 1] * flow[:, 1]
    weight = np.ones(values.shape)
    for _ in range(REWEIGHTINGS):
        weighted = np.swapaxes(rows * weight[..., None], 1, 2)
        w = np.linalg.solve(weighted @ rows + 1e-9 * np.eye(3), weighted @ values[..., None])
        left = np.abs(values - (rows @ w)[..., 0])
        weight = 1 / np.maximum(left, 1e-3)
    return w[..., 0], left.mean(axis=1)


def find_foe(points: FloatArray, flow: FloatArray) -> FloatArray:
    """The FOE (2,) with the smallest residual, by coarse-to-fine grid search."""
    best, reach = np.zeros(2), REACH
    for count, every in GRID:
        steps = np.linspace(-reach, reach, count)
        grid = best + np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        _, left = rotation_across(points[::every], flow[::every], grid)
        best = grid[int(np.argmin(left))]
        reach = 2 * reach / (count - 1)
    return np.asarray(best, np.float64)


def translation_in_tube(points: FloatArray, flow: FloatArray, foe: FloatArray) -> FloatArray:
    """t (3,) in tube radii: median over pixels of the translation by their flow away from the FOE and their depth."""
    away = points - foe
    distance = np.linalg.norm(away, axis=1)
    outward = (flow * away).sum(axis=1) / np.maximum(distance, 1e-9)
    expected = distance / tube_depth(points, foe)
    usable = expected > np.quantile(expected, 0.25)  # near the FOE flow vanishes whatever the depth
    t_z = float(np.median(outward[usable] / expected[usable]))
    return t_z * np.array([foe[0], foe[1], 1.0])


def tube_depth(points: FloatArray, foe: FloatArray) -> FloatArray:
    """z of the wall of a tube of radius 1 with its axis through the camera and the FOE."""
    axis = np.array([foe[0], foe[1], 1.0])
    axis /= np.linalg.norm(axis)
    rays = np.concatenate([points, np.ones((len(points), 1))], axis=1)
    off_axis = np.linalg.norm(np.cross(rays, axis), axis=1)
    return np.asarray(np.minimum(1 / np.maximum(off_axis, 1e-9), FARTHEST), np.float64)
