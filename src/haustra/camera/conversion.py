"""OpenCV's pinhole and Kannala-Brandt cameras as a `Camera`: the polynomial is fitted, what is left is reported.

Both are radial lenses: the distance from the centre is a smooth function l(angle), so z = l / tan(angle) is a smooth
even function of l and a few even powers follow it to far below a hundredth of a pixel. Only tangential distortion
has no counterpart; it stays in the residual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera.model import Camera
from haustra.errors import HaustraError

FloatArray = NDArray[np.float64]

_POWERS = (0, 2, 4, 6, 8, 10)
_SAMPLES = 2000
_WIDEST = {"pinhole": np.radians(85.0), "fisheye": np.radians(130.0)}


@dataclass(frozen=True)
class Imported:
    """A camera read from a foreign file; `residual_px` is the largest error of its conversion over the frame."""

    camera: Camera
    source: str
    residual_px: float = 0.0


def from_opencv(model: str, K: FloatArray, D: FloatArray, size: tuple[int, int]) -> Imported:
    """`model` is 'pinhole' (up to 14 distortion coefficients, OpenCV's order) or 'fisheye' (k1..k4)."""
    if K.shape != (3, 3) or not np.isfinite(K).all() or min(K[0, 0], K[1, 1]) <= 0:
        raise HaustraError(f"camera field 'K' must be a 3x3 matrix with positive focal lengths, found {K.tolist()}")
    if not np.isfinite(D).all() or D.size not in ((4,) if model == "fisheye" else (0, 4, 5, 8, 12, 14)):
        raise HaustraError(f"camera field 'D' holds {D.size} coefficients, which no {model} model of OpenCV has")
    angle = np.linspace(0.0, _WIDEST[model], _SAMPLES + 1)[1:]
    normalised = _fisheye_radius(angle, D) if model == "fisheye" else _pinhole_radius(angle, D)
    camera = _fit(angle, normalised, K, size)
    exact = _fisheye_project if model == "fisheye" else _pinhole_project
    return Imported(camera, f"OpenCV {model}", _residual(camera, K, D, exact))


def _fit(angle: FloatArray, normalised: FloatArray, K: FloatArray, size: tuple[int, int]) -> Camera:
    fx, fy, skew = K[0, 0], K[1, 1], K[0, 1]
    center = (float(K[0, 2]), float(K[1, 2]))
    stretch = ((float(fx / fy), float(skew / fy)), (0.0, 1.0))
    radius = normalised * fy
    falling = np.flatnonzero(np.diff(radius) <= 0)
    usable = slice(0, int(falling[0]) + 1 if falling.size else None)
    farthest = Camera(*size, center, (float(fy),), stretch).max_radius
    inside = radius[usable] <= farthest * 1.02
    angle, radius = angle[usable][inside], radius[usable][inside]
    powers = np.stack([(radius / farthest) ** i for i in _POWERS], axis=1)
    # d l / d z at a fixed angle is about sin: so weighted, the fit is one of pixels.
    weight = np.sin(angle)
    solution = np.linalg.lstsq(powers * weight[:, None], radius * np.cos(angle))[0]
    coefficients = np.zeros(_POWERS[-1] + 1)
    coefficients[list(_POWERS)] = solution / farthest ** np.array(_POWERS, dtype=np.float64)
    return Camera(*size, center, tuple(coefficients.tolist()), stretch)


def _fisheye_radius(angle: FloatArray, D: FloatArray) -> FloatArray:
    square = angle**2
    return angle * (1 + square * (D[0] + square * (D[1] + square * (D[2] + square * D[3]))))


def _pinhole_radius(angle: FloatArray, D: FloatArray) -> FloatArray:
    radial = D.copy()
    radial[2:4] = 0.0  # p1, p2: the radial part only
    radial[8:] = 0.0  # thin prism and tilt
    points = np.stack([np.tan(angle), np.zeros_like(angle), np.ones_like(angle)], axis=1)
    return _pinhole_project(points, np.eye(3), radial)[:, 0]


def _pinhole_project(points: FloatArray, K: FloatArray, D: FloatArray) -> FloatArray:
    coefficients = D if D.size else np.zeros(5)
    pixels = cv2.projectPoints(points.reshape(-1, 1, 3), np.zeros(3), np.zeros(3), K, coefficients)[0].reshape(-1, 2)
    return np.asarray(pixels, dtype=np.float64)


def _fisheye_project(points: FloatArray, K: FloatArray, D: FloatArray) -> FloatArray:
    side = np.maximum(np.hypot(points[:, 0], points[:, 1]), 1e-12)
    radius = _fisheye_radius(np.arctan2(side, points[:, 2]), D)
    flat = np.column_stack([points[:, :2] * (radius / side)[:, None], np.ones(len(points))])
    return np.asarray((flat @ K.T)[:, :2], dtype=np.float64)


def _residual(
    camera: Camera,
    K: FloatArray,
    D: FloatArray,
    exact: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
) -> float:
    """Largest distance over a grid of the frame between a pixel and where the exact model puts its ray."""
    x, y = np.meshgrid(np.linspace(0, camera.width - 1, 41), np.linspace(0, camera.height - 1, 41))
    pixels = np.stack([x.ravel(), y.ravel()], axis=1)
    rays = camera.unproject(pixels)
    limit = _WIDEST["fisheye"] if exact is _fisheye_project else _WIDEST["pinhole"]
    seen = np.arctan2(np.hypot(rays[:, 0], rays[:, 1]), rays[:, 2]) < limit
    return float(np.linalg.norm(exact(rays[seen], K, D) - pixels[seen], axis=1).max(initial=0.0))
