"""Start of a calibration without a guess: poses and polynomial by linear algebra (Scaramuzza 2006), centre searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.camera.model import Camera
from haustra.errors import HaustraError

FloatArray = NDArray[np.float64]

_START_DEGREE = 4
_SIGN_ROUNDS = 5
_CENTER_STEPS = (0.1, 0.05, 0.02, 0.01, 0.004)
_NOT_SEEN_PX = 1e3


@dataclass(frozen=True)
class Fit:
    """A camera and the pose of the board in each of V pictures: X_camera = R_c_b X_board + t_c_b."""

    camera: Camera
    R_c_b: FloatArray  # (V, 3, 3)
    t_c_b: FloatArray  # (V, 3)

    def project(self, board: FloatArray) -> FloatArray:
        """Pixels (V, N, 2) of the board's points (N, 2)."""
        return self.camera.project(self.in_camera(board))

    def in_camera(self, board: FloatArray) -> FloatArray:
        """Points (V, N, 3) of the board in each camera frame."""
        return np.einsum("vij,nj->vni", self.R_c_b[:, :, :2], board) + self.t_c_b[:, None]

    def errors(self, corners: FloatArray, board: FloatArray) -> FloatArray:
        """Reprojection errors (V, N) in pixels; a large number where a point cannot be seen."""
        distance = np.linalg.norm(self.project(board) - corners, axis=-1)
        return np.where(np.isnan(distance), _NOT_SEEN_PX, distance)


def closed_form_fit(corners: FloatArray, board: FloatArray, size: tuple[int, int]) -> Fit:
    """Best closed-form fit over the position of the centre: a grid around the middle that is made finer and finer."""
    best: tuple[float, Fit] | None = None
    center = np.array([(size[0] - 1) / 2, (size[1] - 1) / 2])
    for step in _CENTER_STEPS:
        offsets = np.stack(np.meshgrid([-2, -1, 0, 1, 2], [-2, -1, 0, 1, 2]), axis=-1).reshape(-1, 2)
        for candidate in center + offsets * step * min(size):
            fit = fit_at_center(corners, board, size, candidate)
            error = np.inf if fit is None else float(np.median(fit.errors(corners, board)))
            if fit is not None and (best is None or error < best[0]):
                best = (error, fit)
        if best is not None:
            center = np.array(best[1].camera.center)
    if best is None:
        raise HaustraError("no fisheye camera explains these corners: tilt the board more and bring it near the edge")
    return best[1]


def fit_at_center(corners: FloatArray, board: FloatArray, size: tuple[int, int], center: FloatArray) -> Fit | None:
    """Closed-form fit with a known centre, or None when it gives no camera that looks forward."""
    uv = corners - center
    scale = float(np.hypot(*size) / 2)
    sides = np.stack([_side_pose(view, board) for view in uv / scale])
    signs = np.array([_own_sign(view, board, side) for view, side in zip(uv / scale, sides, strict=True)])
    for _ in range(_SIGN_ROUNDS):
        columns = _columns(sides, signs)
        normalised, depths, _ = _solve_polynomial(uv / scale, board, columns, _START_DEGREE)
        better = _better_signs(uv / scale, board, sides, normalised)
        if np.array_equal(better, signs):
            break
        signs = better
    if normalised[0] <= 0:
        return None
    coefficients = [float(a) * scale ** (1 - i) for i, a in zip(_powers(_START_DEGREE), normalised, strict=True)]
    camera = Camera(*size, (float(center[0]), float(center[1])), (coefficients[0], 0.0, *coefficients[1:]))
    return _with_rotations(camera, columns, depths)


def _powers(degree: int) -> list[int]:
    return [0, *range(2, degree + 1)]


def _side_pose(uv: FloatArray, board: FloatArray) -> FloatArray:
    """[r11 r12 r21 r22 t1 t2] up to scale: u (r21 X + r22 Y + t2) = v (r11 X + r12 Y + t1) for every corner."""
    u, v = uv.T
    x, y = board.T
    _, _, vt = np.linalg.svd(np.stack([-v * x, -v * y, u * x, u * y, -v, u], axis=1))
    side: FloatArray = vt[-1]
    p, q = _sideways(side, board)
    return side if (u * p + v * q).sum() > 0 else -side


def _sideways(side: FloatArray, board: FloatArray) -> tuple[FloatArray, FloatArray]:
    """x and y of the board's points in the camera frame."""
    x, y = board.T
    return side[0] * x + side[1] * y + side[4], side[2] * x + side[3] * y + side[5]


def _columns(sides: FloatArray, signs: FloatArray) -> FloatArray:
    """Rows (V, 8): r11 r12 r21 r22 t1 t2 r31 r32; r31 and r32 follow from r1 . r2 = 0 and |r1| = |r2|."""
    r11, r12, r21, r22 = sides[:, :4].T
    product = -(r11 * r12 + r21 * r22)
    difference = (r12**2 + r22**2) - (r11**2 + r21**2)
    root = np.hypot(difference, 2 * product)
    r31 = np.sqrt(np.maximum(difference + root, 0) / 2)
    r32 = np.sqrt(np.maximum(root - difference, 0) / 2) * np.where(product < 0, -1.0, 1.0)
    full = np.concatenate([sides, (signs * r31)[:, None], (signs * r32)[:, None]], axis=1)
    return full / np.sqrt(r11**2 + r21**2 + r31**2)[:, None]


def _equations(uv: FloatArray, board: FloatArray, columns: FloatArray, degree: int) -> tuple[FloatArray, ...]:
    """z(l) p - t3 u = (r31 X + r32 Y) u, the same with q and v: blocks for the a_i, for t3, and the right side."""
    p, q = _sideways(columns, board)
    deep = columns[6] * board[:, 0] + columns[7] * board[:, 1]
    radius = np.hypot(*uv.T)
    powers = np.stack([radius**i for i in _powers(degree)], axis=1)
    polynomial_part = np.concatenate([powers * p[:, None], powers * q[:, None]])
    return polynomial_part, -np.concatenate([uv[:, 0], uv[:, 1]]), np.concatenate([deep * uv[:, 0], deep * uv[:, 1]])


def _solve_polynomial(
    uv: FloatArray, board: FloatArray, columns: FloatArray, degree: int
) -> tuple[FloatArray, FloatArray, float]:
    """Coefficients shared by all pictures, t3 of each, and the sum of squared residuals."""
    views, count = uv.shape[:2]
    terms = len(_powers(degree))
    matrix = np.zeros((views * 2 * count, terms + views))
    right = np.zeros(views * 2 * count)
    for view in range(views):
        rows = slice(view * 2 * count, (view + 1) * 2 * count)
        matrix[rows, :terms], matrix[rows, terms + view], right[rows] = _equations(
            uv[view], board, columns[view], degree
        )
    solution = np.linalg.lstsq(matrix, right)[0]
    return solution[:terms], solution[terms:], float(((matrix @ solution - right) ** 2).sum())


def _own_sign(uv: FloatArray, board: FloatArray, side: FloatArray) -> float:
    """The sign of r31 that this picture alone explains better with a camera that looks forward."""
    costs = []
    for sign in (1.0, -1.0):
        coefficients, depth, cost = _solve_polynomial(uv[None], board, _columns(side[None], np.array([sign])), 2)
        costs.append(cost if coefficients[0] > 0 and depth[0] > 0 else np.inf)
    return 1.0 if costs[0] <= costs[1] else -1.0


def _better_signs(uv: FloatArray, board: FloatArray, sides: FloatArray, coefficients: FloatArray) -> FloatArray:
    """For each picture the sign of r31 that agrees better with the polynomial of all pictures."""
    costs = np.empty((2, len(uv)))
    for row, sign in enumerate((1.0, -1.0)):
        columns = _columns(sides, np.full(len(uv), sign))
        for view in range(len(uv)):
            known, depth_part, right = _equations(uv[view], board, columns[view], _START_DEGREE)
            rest = right - known @ coefficients
            depth = (depth_part @ rest) / (depth_part @ depth_part)
            costs[row, view] = ((rest - depth * depth_part) ** 2).sum()
    return np.where(costs[0] <= costs[1], 1.0, -1.0)


def _with_rotations(camera: Camera, columns: FloatArray, depths: FloatArray) -> Fit:
    """Full rotations nearest to the two columns found."""
    r1, r2 = columns[:, [0, 2, 6]], columns[:, [1, 3, 7]]
    u, _, vt = np.linalg.svd(np.stack([r1, r2, np.cross(r1, r2)], axis=2))
    flip = np.ones((len(columns), 1, 3))
    flip[:, 0, 2] = np.linalg.det(u @ vt)
    return Fit(camera, (u * flip) @ vt, np.column_stack([columns[:, 4], columns[:, 5], depths]))
