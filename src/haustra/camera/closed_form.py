"""Closed-form start of a calibration (Scaramuzza 2006): linear poses and polynomial, grid search for the centre."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.camera.model import Camera
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError

_START_DEGREE = 4
_SIGN_ROUNDS = 5
# Steps of the search for the centre, in parts of the shorter side; the refinement does the rest.
_CENTER_STEPS = (0.1, 0.04, 0.015, 0.006)
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
        """Reprojection errors (V, N) in pixels; a large number where a point cannot be seen, NaN without a corner."""
        distance = np.linalg.norm(self.project(board) - corners, axis=-1)
        distance = np.where(np.isnan(distance), _NOT_SEEN_PX, distance)
        return np.where(np.isnan(corners[..., 0]), np.nan, distance)


def closed_form_fit(corners: FloatArray, board: FloatArray, size: tuple[int, int]) -> Fit:
    """Best closed-form fit over the position of the centre: a grid around the middle that is made finer and finer."""
    best: tuple[float, Fit] | None = None
    center = np.array([(size[0] - 1) / 2, (size[1] - 1) / 2])
    for step in _CENTER_STEPS:
        offsets = np.stack(np.meshgrid([-2, -1, 0, 1, 2], [-2, -1, 0, 1, 2]), axis=-1).reshape(-1, 2)
        for candidate in center + offsets * step * min(size):
            fit = fit_at_center(corners, board, size, candidate)
            error = np.inf if fit is None else float(np.nanmedian(fit.errors(corners, board)))
            if fit is not None and (best is None or error < best[0]):
                best = (error, fit)
        if best is not None:
            center = np.array(best[1].camera.center)
    if best is None:
        raise HaustraError("no fisheye camera explains these corners: tilt the board more and bring it near the edge")
    return best[1]


def fit_at_center(corners: FloatArray, board: FloatArray, size: tuple[int, int], center: FloatArray) -> Fit | None:
    """Closed-form fit with a known centre, or None when it gives no camera that looks forward."""
    scale = float(np.hypot(*size) / 2)
    uv = np.nan_to_num((corners - center) / scale)  # a corner that is not known is put at the centre and counts nothing
    sides = _side_poses(uv, board)
    signs = _own_signs(uv, board, sides)
    for _ in range(_SIGN_ROUNDS):
        equations = _equations(uv, board, _columns(sides, signs), _START_DEGREE)
        normalised = equations.shared_polynomial()
        better = _better_signs(uv, board, sides, normalised)
        if np.array_equal(better, signs):
            break
        signs = better
    if normalised[0] <= 0:
        return None
    coefficients = [float(a) * scale ** (1 - i) for i, a in zip(_powers(_START_DEGREE), normalised, strict=True)]
    camera = Camera(*size, (float(center[0]), float(center[1])), (coefficients[0], 0.0, *coefficients[1:]))
    return _with_rotations(camera, equations.columns, equations.depths(normalised))


def _powers(degree: int) -> list[int]:
    return [0, *range(2, degree + 1)]


def _side_poses(uv: FloatArray, board: FloatArray) -> FloatArray:
    """(V, 6): [r11 r12 r21 r22 t1 t2] up to scale, from u (r21 X + r22 Y + t2) = v (r11 X + r12 Y + t1)."""
    u, v = uv[..., 0], uv[..., 1]
    x, y = board.T
    rows = np.stack([-v * x, -v * y, u * x, u * y, -v, u], axis=-1)
    sides: FloatArray = np.linalg.svd(rows, full_matrices=False)[2][:, -1]
    p, q = _sideways(sides, board)
    return sides * np.where((u * p + v * q).sum(axis=1) > 0, 1.0, -1.0)[:, None]


def _sideways(sides: FloatArray, board: FloatArray) -> tuple[FloatArray, FloatArray]:
    """x and y (V, N) of the board's points in the camera frames."""
    x, y = board.T
    r11, r12, r21, r22, t1, t2 = sides.T[:6, :, None]
    return r11 * x + r12 * y + t1, r21 * x + r22 * y + t2


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


@dataclass(frozen=True)
class _Equations:
    """powers(l) p . a - t3 u = (r31 X + r32 Y) u and the same with q and v, for V pictures.

    t3 of each picture is eliminated: `known` . a = `right` holds across its direction `depth_part`.
    """

    columns: FloatArray  # (V, 8)
    full_known: FloatArray  # (V, 2N, terms)
    full_right: FloatArray  # (V, 2N)
    depth_part: FloatArray  # (V, 2N), of length 1
    depth_scale: FloatArray  # (V,)

    @property
    def known(self) -> FloatArray:
        along = np.einsum("vn,vnt->vt", self.depth_part, self.full_known)
        return self.full_known - self.depth_part[..., None] * along[:, None]

    @property
    def right(self) -> FloatArray:
        along = np.einsum("vn,vn->v", self.depth_part, self.full_right)
        return self.full_right - self.depth_part * along[:, None]

    def shared_polynomial(self) -> FloatArray:
        """The coefficients that serve all pictures best."""
        known = self.known
        return np.asarray(np.linalg.lstsq(known.reshape(-1, known.shape[-1]), self.right.ravel())[0])

    def own_polynomials(self) -> FloatArray:
        """(V, terms): the coefficients that serve each picture best."""
        return np.asarray(np.einsum("vtn,vn->vt", np.linalg.pinv(self.known), self.right))

    def costs(self, coefficients: FloatArray) -> FloatArray:
        """Sum of squares of each picture with the polynomial (terms,) of all or (V, terms) of each."""
        gap = np.einsum("vnt,vt->vn", self.known, np.broadcast_to(coefficients, self.known[:, 0].shape)) - self.right
        return np.asarray((gap**2).sum(axis=1))

    def depths(self, coefficients: FloatArray) -> FloatArray:
        """t3 of each picture."""
        coefficients = np.broadcast_to(coefficients, self.full_known[:, 0].shape)
        rest = self.full_right - np.einsum("vnt,vt->vn", self.full_known, coefficients)
        return np.asarray(np.einsum("vn,vn->v", self.depth_part, rest) / self.depth_scale)


def _equations(uv: FloatArray, board: FloatArray, columns: FloatArray, degree: int) -> _Equations:
    p, q = _sideways(columns, board)
    deep = columns[:, 6:7] * board[:, 0] + columns[:, 7:8] * board[:, 1]
    u, v = uv[..., 0], uv[..., 1]
    radius = np.hypot(u, v)
    powers = np.stack([np.where(radius > 0, radius**i, 0.0) for i in _powers(degree)], axis=-1)
    known = np.concatenate([powers * p[..., None], powers * q[..., None]], axis=1)
    depth = -np.concatenate([u, v], axis=1)
    length = np.linalg.norm(depth, axis=1)
    right = np.concatenate([deep * u, deep * v], axis=1)
    return _Equations(columns, known, right, depth / length[:, None], length)


def _own_signs(uv: FloatArray, board: FloatArray, sides: FloatArray) -> FloatArray:
    """The signs of r31 that each picture alone explains better with a camera that looks forward."""
    costs = []
    for sign in (1.0, -1.0):
        equations = _equations(uv, board, _columns(sides, np.full(len(uv), sign)), 2)
        coefficients = equations.own_polynomials()
        forward = (coefficients[:, 0] > 0) & (equations.depths(coefficients) > 0)
        costs.append(np.where(forward, equations.costs(coefficients), np.inf))
    return np.where(costs[0] <= costs[1], 1.0, -1.0)


def _better_signs(uv: FloatArray, board: FloatArray, sides: FloatArray, coefficients: FloatArray) -> FloatArray:
    """For each picture the sign of r31 that agrees better with the polynomial of all pictures."""
    costs = [
        _equations(uv, board, _columns(sides, np.full(len(uv), sign)), _START_DEGREE).costs(coefficients)
        for sign in (1.0, -1.0)
    ]
    return np.where(costs[0] <= costs[1], 1.0, -1.0)


def _with_rotations(camera: Camera, columns: FloatArray, depths: FloatArray) -> Fit:
    """Full rotations nearest to the two columns found."""
    r1, r2 = columns[:, [0, 2, 6]], columns[:, [1, 3, 7]]
    u, _, vt = np.linalg.svd(np.stack([r1, r2, np.cross(r1, r2)], axis=2))
    flip = np.ones((len(columns), 1, 3))
    flip[:, 0, 2] = np.linalg.det(u @ vt)
    return Fit(camera, (u * flip) @ vt, np.column_stack([columns[:, 4], columns[:, 5], depths]))
