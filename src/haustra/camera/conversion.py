"""Converts OpenCV's pinhole and Kannala-Brandt models to a `Camera`: polynomial fit, its residual is reported.

Both are radial lenses: the distance from the centre is a smooth function l(angle), so z = l / tan(angle) is a smooth
even function of l that a few even powers follow. Only tangential distortion has no counterpart; it stays in the
residual.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from haustra.camera.model import Camera
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError

_POWERS = (0, 2, 4, 6, 8, 10, 12, 14)
_REWEIGHTINGS = 5
# Where a pixel covers five times the angle it covers in the middle the lens formula nears its turning point, which no
# polynomial in l can follow: the fit ends there (82 degrees for EndoMapper's endoscopes).
_FLATTEST = 0.2
_SAMPLES = 2000
_WIDEST = {"pinhole": np.radians(85.0), "fisheye": np.radians(130.0)}


@dataclass(frozen=True)
class Imported:
    """A camera read from a foreign file; `residual_px` the largest error of its conversion in the frame."""

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
    camera, limit = _fit(angle, normalised, K, size)
    exact = _fisheye_project if model == "fisheye" else _pinhole_project
    rays = _rays_within(limit)
    pixels = exact(rays, K, D)
    inside = ((pixels >= -0.5) & (pixels <= np.array(size) - 0.5)).all(axis=1)
    error = np.linalg.norm(camera.project(rays[inside]) - pixels[inside], axis=1)
    return Imported(camera, f"OpenCV {model}", float(np.nanmax(error, initial=0.0)))


def _fit(angle: FloatArray, normalised: FloatArray, K: FloatArray, size: tuple[int, int]) -> tuple[Camera, float]:
    """The camera, and the angle up to which it was fitted."""
    fx, fy, skew = K[0, 0], K[1, 1], K[0, 1]
    center = (float(K[0, 2]), float(K[1, 2]))
    stretch = ((float(fx / fy), float(skew / fy)), (0.0, 1.0))
    farthest = Camera(*size, center, (float(fy),), stretch).max_radius
    radius = normalised * fy
    flat = np.flatnonzero(np.gradient(normalised, angle) < _FLATTEST)
    angle, radius = (values[: flat[0] if flat.size else None] for values in (angle, radius))
    angle, radius = angle[radius <= farthest], radius[radius <= farthest]
    scale = float(radius.max())
    powers = np.stack([(radius / scale) ** i for i in _POWERS], axis=1)
    weight = np.sin(angle)
    for _ in range(_REWEIGHTINGS):
        solution = np.linalg.lstsq(powers * weight[:, None], radius / np.tan(angle) * weight)[0]
        slope = powers @ (solution * _POWERS) / radius
        weight = np.sin(angle) / np.maximum(np.abs(slope * np.sin(angle) - np.cos(angle)), 1e-3)  # d l / d z
    coefficients = np.zeros(_POWERS[-1] + 1)
    coefficients[list(_POWERS)] = solution / scale ** np.array(_POWERS, dtype=np.float64)
    return Camera(*size, center, tuple(coefficients.tolist()), stretch), float(angle[-1])


def _rays_within(limit: float) -> FloatArray:
    angle, turn = np.meshgrid(np.linspace(0.0, limit, 60), np.linspace(0.0, 2 * np.pi, 72))
    side = np.sin(angle)
    return np.stack([side * np.cos(turn), side * np.sin(turn), np.cos(angle)], axis=-1).reshape(-1, 3)


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
