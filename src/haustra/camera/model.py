"""The fisheye camera of the paper's sec:camera_model (Scaramuzza 2006), with the stretch matrix of his toolbox.

A pixel p and its ray belong together by

    [u; v] = inv(stretch) (p - center),   ray ~ (u, v, z(l)),   z(l) = a0 + a2 l^2 + a3 l^3 + ...,   l = |(u, v)|

with z forward (OpenCV axes) and 0-based pixels whose centres are the integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError

Matrix2 = tuple[tuple[float, float], tuple[float, float]]
IDENTITY: Matrix2 = ((1.0, 0.0), (0.0, 1.0))

# So many samples that linear interpolation lands within hundredths of a pixel, where Newton needs two or three steps.
_TABLE_SIZE = 1025
_EDGE_SLACK = 1e-6
# What a lens and its picture can be: pixels of a side, terms of the polynomial, and its terms in pixels.
MOST_PIXELS, MOST_TERMS, LARGEST, SMALLEST = 16_384, 20, 1e12, 1e-3
_NEWTON_STEPS = 60


@dataclass(frozen=True)
class Camera:
    """A calibrated fisheye camera; `coefficients` are (a0, a1, a2, ...) with a1 = 0, `stretch` is [[c, d], [e, 1]]."""

    width: int
    height: int
    center: tuple[float, float]
    coefficients: tuple[float, ...]
    stretch: Matrix2 = IDENTITY

    def __post_init__(self) -> None:
        sizes = (("width", self.width), ("height", self.height))
        for name, value in sizes:
            if not 1 <= value <= MOST_PIXELS:
                raise HaustraError(
                    f"camera field '{name}' is {_shown(value)}: it must be from 1 to {MOST_PIXELS} pixels"
                )
        _require_within("center", self.center, 8 * MOST_PIXELS)
        if not 1 <= len(self.coefficients) <= MOST_TERMS:
            raise HaustraError(
                f"camera field 'coefficients' has {len(self.coefficients)} numbers, not 1 to {MOST_TERMS}"
            )
        _require_within("coefficients", self.coefficients, LARGEST)
        _require_within("stretch", self.stretch, 100.0)
        if not self.coefficients[0] >= SMALLEST:
            raise HaustraError("camera field 'coefficients' must start with a positive a0 (z points forward)")
        if len(self.coefficients) > 1 and self.coefficients[1] != 0:
            raise HaustraError(f"camera field 'coefficients' has a1 = {self.coefficients[1]:g}: a1 must be 0")
        (c, d), (e, one) = self.stretch
        if one != 1 or c - d * e < SMALLEST:
            raise HaustraError("camera field 'stretch' must be [[c, d], [e, 1]] with a positive determinant")
        terms = [abs(a) * self._farthest**i for i, a in enumerate(self.coefficients)]
        if max(terms) > LARGEST:
            raise HaustraError(f"camera field 'coefficients' gives {max(terms):g} pixels in a corner: no lens does")

    @property
    def size(self) -> tuple[int, int]:
        """(width, height), OpenCV's order."""
        return self.width, self.height

    def unproject(self, pixels: NDArray[Any]) -> FloatArray:
        """Unit rays (..., 3) of pixels (..., 2); NaN where the lens model holds no more (beyond `max_angle`)."""
        uv = (np.asarray(pixels, dtype=np.float64) - self.center) @ self._unstretch.T
        radius = np.hypot(uv[..., 0], uv[..., 1])
        rays = np.concatenate([uv, self.depth(radius)[..., None]], axis=-1)
        rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
        rays[radius > self.max_radius] = np.nan
        return rays

    def project(self, points: NDArray[Any]) -> FloatArray:
        """Pixels (..., 2) of camera points (..., 3) at any distance; NaN beyond `max_angle`."""
        points = np.asarray(points, dtype=np.float64)
        side = np.hypot(points[..., 0], points[..., 1])
        radius = self.radius(np.arctan2(side, points[..., 2]))
        direction = np.zeros((*side.shape, 2))
        np.divide(points[..., :2], side[..., None], out=direction, where=side[..., None] > 0)
        return direction * radius[..., None] @ np.asarray(self.stretch).T + self.center

    def depth(self, radius: FloatArray) -> FloatArray:
        """z(l), the third component of the ray at the distance l from the centre (sec:camera_model: d(l))."""
        return np.asarray(polynomial.polyval(radius, self.coefficients), dtype=np.float64)

    def angle(self, radius: NDArray[Any]) -> FloatArray:
        """Angle off the optical axis in radians at the (unstretched) distance `radius` from the centre."""
        radius = np.asarray(radius, dtype=np.float64)
        return np.arctan2(radius, self.depth(radius))

    def radius(self, angle: NDArray[Any]) -> FloatArray:
        """The inverse of `angle`: Newton inside a bracket from a table; NaN beyond `max_angle`."""
        angle = np.asarray(angle, dtype=np.float64)
        flat = np.atleast_1d(angle).ravel()
        usable = flat <= self.max_angle
        result = np.full(flat.shape, np.nan)
        result[usable] = self._solve_radius(flat[usable])
        return result.reshape(angle.shape)

    @cached_property
    def max_radius(self) -> float:
        """Largest usable distance from the centre: the farthest frame corner, or less where the angle stops growing."""
        return min(self._farthest, _turning_radius(self.coefficients, self._farthest))

    @cached_property
    def max_angle(self) -> float:
        """Largest angle off the optical axis, in radians, that the frame can hold."""
        return float(self.angle(np.array(self.max_radius)))

    def resized(self, width: int, height: int) -> Camera:
        """The same camera after its picture was resized (pixel centres: x' = (x + 0.5) sx - 0.5)."""
        sx, sy = width / self.width, height / self.height
        (c, d), (e, one) = self.stretch
        center = ((self.center[0] + 0.5) * sx - 0.5, (self.center[1] + 0.5) * sy - 0.5)
        # diag(sx, sy) stretch = sy [[c sx/sy, d sx/sy], [e, 1]]; the factor sy is a change of unit of l.
        coefficients = tuple(a * sy ** (1 - i) for i, a in enumerate(self.coefficients))
        return Camera(width, height, center, coefficients, ((c * sx / sy, d * sx / sy), (e, one)))

    def cropped(self, x: float, y: float, width: int, height: int) -> Camera:
        """The same camera for the part of its picture whose upper left pixel is (x, y); it may reach outside."""
        center = (self.center[0] - x, self.center[1] - y)
        return Camera(width, height, center, self.coefficients, self.stretch)

    @cached_property
    def _farthest(self) -> float:
        """(Unstretched) distance of the farthest corner of the frame from the centre."""
        x = np.array([-0.5, self.width - 0.5])
        y = np.array([-0.5, self.height - 0.5])
        corners = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2) - self.center
        return float(np.linalg.norm(corners @ self._unstretch.T, axis=1).max()) * (1 + _EDGE_SLACK)

    @cached_property
    def _unstretch(self) -> FloatArray:
        return np.linalg.inv(np.asarray(self.stretch, dtype=np.float64))

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        radius = np.linspace(0.0, self.max_radius, _TABLE_SIZE)
        return self.angle(radius), radius

    def _solve_radius(self, angle: FloatArray) -> FloatArray:
        """Root of f(l) = z(l) sin - l cos, which falls from a0 sin >= 0 to <= 0 over the usable radii."""
        angles, radii = self._table
        cell = np.clip(np.searchsorted(angles, angle), 1, _TABLE_SIZE - 1)
        low, high = radii[cell - 1], radii[cell]
        radius = np.interp(angle, angles, radii)
        slope_coefficients = polynomial.polyder(self.coefficients) if len(self.coefficients) > 1 else np.zeros(1)
        sin, cos = np.sin(angle), np.cos(angle)
        for _ in range(_NEWTON_STEPS):
            value = self.depth(radius) * sin - radius * cos
            low, high = np.where(value > 0, radius, low), np.where(value > 0, high, radius)
            slope = polynomial.polyval(radius, slope_coefficients) * sin - cos
            step = radius - np.divide(value, slope, out=np.full_like(value, np.inf), where=slope != 0)
            inside = (step >= low) & (step <= high)
            moved = np.where(inside, step, (low + high) / 2)
            change = np.abs(moved - radius).max(initial=0.0)
            radius = moved
            if change <= 1e-13 * self.max_radius:
                break
        return radius


def _require_within(field: str, values: Any, largest: float) -> None:
    numbers = np.abs(np.asarray(values, dtype=np.float64))
    if not (numbers <= largest).all():  # NaN is not either
        raise HaustraError(f"camera field '{field}' holds {_shown(values)}: allowed is up to {largest:g}")


def _shown(value: Any) -> str:
    return str(value)[:80]


def _turning_radius(coefficients: tuple[float, ...], farthest: float) -> float:
    """Smallest radius up to `farthest` where the angle stops growing, d(z/l)/dl = 0: sum (i - 1) a_i l^i = 0."""
    scaled = np.array([(i - 1) * a * farthest**i for i, a in enumerate(coefficients)])
    scaled[np.abs(scaled) < 1e-16 * np.abs(scaled).max()] = 0.0  # a vanishing last term would overflow the root finder
    roots = polynomial.polyroots(np.trim_zeros(scaled, "b"))
    real = roots.real[(np.abs(roots.imag) < 1e-9) & (roots.real > 0) & (roots.real <= 1)]
    # A hair before the turning point, so that the slope there is not zero.
    return float(real.min()) * farthest * (1 - 1e-6) if real.size else math.inf
