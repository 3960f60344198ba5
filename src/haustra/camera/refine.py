"""Bundle adjustment of a calibration: centre, polynomial, stretch and all board poses at once.

Parameters: center x, y | c, d | log b0, b2 .. bN | rotation vector and translation of each picture. b_i are the a_i
in units of half the picture's diagonal, log b0 keeps the camera looking forward. A turn of all poses about the optical
axis is the same as a turn inside the stretch matrix: e = 0 fixes it. Sensors have square pixels, so c = 1 and d = 0
unless requested: two parameters fewer make every other one more certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.polynomial import polynomial
from scipy.optimize import least_squares

from haustra.camera.closed_form import Fit
from haustra.camera.model import Camera
from haustra.core.arrays import FloatArray

# Glare moves single corners by a pixel or more: beyond about this error a corner counts linearly, not squared.
_ROBUST_PX = 0.3
# Less relative gain than this in one step moves no parameter by more than a small part of its uncertainty.
_TOLERANCE = 1e-7
_SQUARE_PIXELS = (1.0, 0.0)
_STRETCH = slice(2, 4)
_SHARED_BEFORE_POLYNOMIAL = 4


@dataclass(frozen=True)
class _Layout:
    """Where each parameter lives in the vector."""

    size: tuple[int, int]
    degree: int
    views: int

    @property
    def scale(self) -> float:
        return float(np.hypot(*self.size) / 2)

    @property
    def powers(self) -> list[int]:
        return [0, *range(2, self.degree + 1)]

    @property
    def shared(self) -> int:
        return _SHARED_BEFORE_POLYNOMIAL + len(self.powers)

    def camera(self, x: FloatArray) -> Camera:
        b = [float(np.exp(x[4])), 0.0, *x[5 : self.shared].tolist()]
        coefficients = tuple(value * self.scale ** (1 - i) for i, value in enumerate(b))
        c, d = float(x[2]), float(x[3])
        return Camera(*self.size, (float(x[0]), float(x[1])), coefficients, ((c, d), (0.0, 1.0)))

    def vector(self, fit: Fit) -> FloatArray:
        (c, d), _ = fit.camera.stretch
        b = self._polynomial(fit.camera)
        shared = [*fit.camera.center, c, d, np.log(b[0]), *b[1:]]
        rotations = [cv2.Rodrigues(R)[0].ravel() for R in fit.R_c_b]
        return np.concatenate([shared, np.column_stack([rotations, fit.t_c_b]).ravel()])

    def _polynomial(self, camera: Camera) -> FloatArray:
        """b0, b2 .. bN nearest to a camera whose polynomial may have another degree, over the radii of its frame."""
        radius = np.linspace(0.0, min(0.8, camera.max_radius / self.scale), 100)
        powers = np.stack([radius**i for i in self.powers], axis=1)
        solution = np.linalg.lstsq(powers, camera.depth(radius * self.scale) / self.scale)[0]
        return np.asarray(solution, dtype=np.float64)

    def poses(self, x: FloatArray) -> FloatArray:
        return x[self.shared :].reshape(self.views, 6)

    def fit(self, x: FloatArray) -> Fit:
        poses = self.poses(x)
        R_c_b = np.stack([cv2.Rodrigues(pose[:3])[0] for pose in poses])
        return Fit(self.camera(x), R_c_b, poses[:, 3:].copy())


def refine(start: Fit, corners: FloatArray, board: FloatArray, degree: int, *, stretch: bool = False) -> Fit:
    """The fit of this polynomial degree with the smallest robust reprojection error; pixels are square or `stretch`."""
    layout, known = _Layout(start.camera.size, degree, len(corners)), np.isfinite(corners)
    x_start = layout.vector(start)
    free = np.ones(x_start.size, dtype=bool)
    if not stretch:
        x_start[_STRETCH], free[_STRETCH] = _SQUARE_PIXELS, False

    def full(values: FloatArray) -> FloatArray:
        x = x_start.copy()
        x[free] = values
        return x

    def residuals(values: FloatArray) -> FloatArray:
        return (_clipped_projection(layout.fit(full(values)), board) - corners)[known]

    def jacobian(values: FloatArray) -> FloatArray:
        return _jacobian(layout, full(values), board)[known.ravel()][:, free]

    return layout.fit(full(_solve(residuals, jacobian, x_start[free])))


def refine_poses(fit: Fit, corners: FloatArray, board: FloatArray) -> Fit:
    """Only the poses, the camera stays as it is: how a finished camera explains pictures it was not fitted to."""
    layout, known = _Layout(fit.camera.size, len(fit.camera.coefficients) - 1, len(corners)), np.isfinite(corners)
    x_start = layout.vector(fit)
    camera_part, layout_shared = x_start[: layout.shared], layout.shared

    def residuals(poses: FloatArray) -> FloatArray:
        moved = Fit(fit.camera, *_split(poses, layout.views))
        return (_clipped_projection(moved, board) - corners)[known]

    def jacobian(poses: FloatArray) -> FloatArray:
        return _jacobian(layout, np.concatenate([camera_part, poses]), board)[known.ravel(), layout_shared:]

    return Fit(fit.camera, *_split(_solve(residuals, jacobian, x_start[layout_shared:]), layout.views))


def _split(poses: FloatArray, views: int) -> tuple[FloatArray, FloatArray]:
    table = poses.reshape(views, 6)
    return np.stack([cv2.Rodrigues(row[:3])[0] for row in table]), table[:, 3:].copy()


def _solve(residuals: Any, jacobian: Any, start: FloatArray) -> FloatArray:
    """Plain squares first: they converge in a few steps, the robust loss only from nearby."""
    options: dict[str, Any] = {"jac": jacobian, "x_scale": "jac", "max_nfev": 200, "ftol": _TOLERANCE}
    near = least_squares(residuals, start, **options).x
    solution = least_squares(residuals, near, loss="soft_l1", f_scale=_ROBUST_PX, **options)
    return np.asarray(solution.x, dtype=np.float64)


def _clipped_projection(fit: Fit, board: FloatArray) -> FloatArray:
    """Like `Fit.project`, but a point beyond the largest angle stays at the edge: the solver may pass by there."""
    camera, points = fit.camera, fit.in_camera(board)
    radius, side = _radius(camera, points)
    return points[..., :2] * (radius / side)[..., None] @ np.asarray(camera.stretch).T + camera.center


def _radius(camera: Camera, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    side = np.maximum(np.hypot(points[..., 0], points[..., 1]), 1e-12)
    return camera.radius(np.minimum(np.arctan2(side, points[..., 2]), camera.max_angle)), side


def _jacobian(layout: _Layout, x: FloatArray, board: FloatArray) -> FloatArray:
    """Analytic: l solves z(l) s - l Z = 0 (s = hypot(X, Y)), so dl = (Z-part, s-part, a-part) / -(z'(l) s - Z)."""
    fit = layout.fit(x)
    camera, points = fit.camera, fit.in_camera(board)
    stretch = np.asarray(camera.stretch)
    radius, side = _radius(camera, points)
    direction = points[..., :2] / side[..., None]
    slope = polynomial.polyval(radius, polynomial.polyder(camera.coefficients)) * side - points[..., 2]
    count = len(board)
    result = np.zeros((layout.views, count, 2, x.size))
    result[..., 0, 0] = result[..., 1, 1] = 1.0
    result[..., 0, 2:4] = direction * radius[..., None]
    for column, power in enumerate(layout.powers):
        unit = camera.coefficients[0] if power == 0 else layout.scale ** (1 - power)
        growth = -(radius**power) * side / slope * unit
        result[..., _SHARED_BEFORE_POLYNOMIAL + column] = (direction * growth[..., None]) @ stretch.T
    by_point = _by_point(camera, radius, side, direction, slope)
    for view, pose in enumerate(layout.poses(x)):
        turned = cv2.Rodrigues(pose[:3])[1].reshape(3, 3, 3)[:, :, :2]  # d R / d rotation vector, first two columns
        by_rotation = np.einsum("nai,kij,nj->nak", by_point[view], turned, board)
        first = layout.shared + 6 * view
        result[view, :, :, first : first + 3] = by_rotation
        result[view, :, :, first + 3 : first + 6] = by_point[view]
    return result.reshape(-1, x.size)


def _by_point(
    camera: Camera, radius: FloatArray, side: FloatArray, direction: FloatArray, slope: FloatArray
) -> FloatArray:
    """d pixel / d (X, Y, Z) of the camera point, (V, N, 2, 3)."""
    by_side, by_depth = -camera.depth(radius) / slope, radius / slope
    outer = direction[..., :, None] * direction[..., None, :]
    across = (np.eye(2) - outer) * (radius / side)[..., None, None]
    flat = across + outer * by_side[..., None, None]
    deep = direction * by_depth[..., None]
    return np.asarray(camera.stretch) @ np.concatenate([flat, deep[..., None]], axis=-1)
