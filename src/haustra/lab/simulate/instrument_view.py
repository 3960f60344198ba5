"""Draws an instrument into the light that reaches the sensor: sphere tracing, metal and plastic, a soft shadow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.lab.simulate.forceps import COIL, METAL, SHEATH

from .compiled import njit

if TYPE_CHECKING:
    from haustra.lab.simulate.forceps import Instrument

COIL_PITCH_MM = 0.45
FARTHEST_MM = 60.0


@njit(cache=True)
def _distance(cones: FloatArray, x: float, y: float, z: float) -> tuple[float, int, float]:
    """Distance to the nearest cone, its number, and the place along it."""
    best, which, along = 1e9, 0, 0.0
    for k in range(cones.shape[0]):
        ax, ay, az = cones[k, 0], cones[k, 1], cones[k, 2]
        bx, by, bz = cones[k, 3] - ax, cones[k, 4] - ay, cones[k, 5] - az
        h = ((x - ax) * bx + (y - ay) * by + (z - az) * bz) / (bx * bx + by * by + bz * bz)
        h = min(1.0, max(0.0, h))
        dx, dy, dz = x - ax - h * bx, y - ay - h * by, z - az - h * bz
        d = math.sqrt(dx * dx + dy * dy + dz * dz) - (cones[k, 6] * (1 - h) + cones[k, 7] * h)
        if d < best:
            best, which, along = d, k, h
    return best, which, along


@njit(cache=True)
def _trace(
    cones: FloatArray, rays: FloatArray, limit: FloatArray, pixel: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Per ray: coverage 0..1, distance, and normal with cone number and place along it (5)."""
    n = rays.shape[0]
    cover, reach, surface = np.zeros(n), np.zeros(n), np.zeros((n, 5))
    for i in range(n):
        dx, dy, dz = rays[i, 0], rays[i, 1], rays[i, 2]
        t, best, best_t = 0.3, 1e9, 0.0
        for _ in range(64):
            d, _k, _h = _distance(cones, dx * t, dy * t, dz * t)
            if d / t < best:
                best, best_t = d / t, t
            if d < 1e-3 or t > limit[i]:
                break
            t += 0.9 * d
        if best > pixel or best_t > limit[i]:
            continue
        cover[i], reach[i] = min(1.0, max(0.0, 1.0 - best / pixel)), best_t
        x, y, z, e = dx * best_t, dy * best_t, dz * best_t, 1e-3
        d, k, h = _distance(cones, x, y, z)
        nx = _distance(cones, x + e, y, z)[0] - d
        ny = _distance(cones, x, y + e, z)[0] - d
        nz = _distance(cones, x, y, z + e)[0] - d
        norm = math.sqrt(nx * nx + ny * ny + nz * nz) + 1e-12
        surface[i, 0], surface[i, 1], surface[i, 2] = nx / norm, ny / norm, nz / norm
        surface[i, 3], surface[i, 4] = k, h
    return cover, reach, surface


def draw_instrument(
    light: NDArray[np.float32],
    depth_mm: NDArray[np.float32],
    rays: FloatArray,
    lights: FloatArray,
    cones: FloatArray,
    instrument: Instrument,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The light with the instrument in it, and the instrument's coverage (H, W) from 0 to 1.

    `rays` are unit rays, zero outside the picture; `lights` are the lamps of the scope (x, y, z, share of the light).
    """
    height, width = depth_mm.shape
    cover = np.zeros((height, width), np.float32)
    directions = rays.reshape(-1, 3)
    bounds = _bounds(cones)
    near = (directions @ bounds[:, :3].T > np.maximum(bounds[:, 3], 0.05)).any(axis=1).reshape(height, width)
    if not near.any():
        return light, cover
    distance = depth_mm / np.maximum(rays[..., 2], 0.02)
    limit = np.where(depth_mm > 0, distance, FARTHEST_MM)[near].astype(np.float64)
    pixel = 2.4 / width
    alpha, reach, surface = _trace(cones, np.ascontiguousarray(rays[near]), limit, pixel)
    cover[near] = alpha
    level = _light_level(light, distance, depth_mm > 0)
    ambient = np.median(light[depth_mm > 0], axis=0) if (depth_mm > 0).any() else np.full(3, 0.1)
    colour = np.zeros((height, width, 3), np.float32)
    hit = alpha > 0
    seen = near.copy()
    seen[near] = hit
    colour[seen] = _shade(rays[seen], reach[hit], surface[hit], cones, instrument, lights, level, ambient)
    shadow = _shadow(cover)[..., None]
    return light * (1 - shadow) * (1 - cover[..., None]) + colour * cover[..., None], cover


def _bounds(cones: FloatArray) -> FloatArray:
    """Directions and cosines of small cones of view that together hold the instrument: other rays need no tracing."""
    at = (np.arange(4) + 0.5) / 4
    a, b = cones[:, None, :3], cones[:, None, 3:6]
    centres = (a + at[None, :, None] * (b - a)).reshape(-1, 3)
    radius = np.repeat(np.linalg.norm(b - a, axis=-1)[:, 0] / 8 + cones[:, 6:8].max(axis=1) + 0.1, 4)
    distance = np.linalg.norm(centres, axis=1)
    sine = np.minimum(radius / distance, 1.0)
    cosine = np.where(sine < 1, np.sqrt(1 - sine**2), -1.0)
    return np.column_stack([centres / distance[:, None], cosine])


def _light_level(light: NDArray[np.float32], distance: FloatArray, valid: NDArray[np.bool_]) -> float:
    """Brightness of the lamp as the scene shows it: what a white surface at 1 mm would send back."""
    if not valid.any():
        return 40.0
    return float(np.median(light[valid].mean(axis=-1) * distance[valid] ** 2)) / 0.6


def _shade(
    rays: FloatArray,
    reach: FloatArray,
    surface: FloatArray,
    cones: FloatArray,
    instrument: Instrument,
    lights: FloatArray,
    level: float,
    ambient: NDArray[Any],
) -> FloatArray:
    """Diffuse and two highlights per lamp; metal also mirrors the red of the wall."""
    point, normal = rays * reach[:, None], surface[:, :3]
    cone = surface[:, 3].astype(np.int64)
    material = cones[cone, 8]
    span = np.linalg.norm(cones[cone, 3:6] - cones[cone, :3], axis=1)
    wound = 0.75 + 0.25 * np.cos(2 * np.pi * surface[:, 4] * span / COIL_PITCH_MM)
    plain = np.where(material == COIL, wound, 1.0)[:, None]
    albedo = np.where((material == SHEATH)[:, None], np.array(instrument.sheath), np.array([0.30, 0.31, 0.33]))
    shine = np.where(material == METAL, 1.0, np.where(material == COIL, 0.7, 0.35))[:, None]
    diffuse, highlight = np.zeros((len(rays), 1)), np.zeros((len(rays), 1))
    for lamp in lights:
        towards = lamp[:3] - point
        distance = np.maximum(np.linalg.norm(towards, axis=1, keepdims=True), 0.5)
        towards = towards / distance
        half = towards - rays
        half /= np.maximum(np.linalg.norm(half, axis=1, keepdims=True), 1e-9)
        facing = np.clip((normal * towards).sum(axis=1, keepdims=True), 0, 1)
        gloss = np.clip((normal * half).sum(axis=1, keepdims=True), 0, 1)
        power = level * lamp[3] / (distance**2 + 25.0)
        diffuse += power * facing
        highlight += power * (0.45 * gloss**14 + 2.5 * gloss**140)
    mirror = shine * ambient * (0.35 + 0.25 * normal[:, 1:2]) * (material != SHEATH)[:, None]
    return (albedo * diffuse + shine * highlight) * plain + mirror


def _shadow(cover: NDArray[np.float32]) -> NDArray[np.float32]:
    """A soft dark band beside the instrument, where it stands between a lamp and the wall."""
    width = cover.shape[1]
    shift = np.array([[1, 0, -0.02 * width], [0, 1, 0.025 * width]])
    moved = cv2.warpAffine(cover, shift, (width, cover.shape[0]))
    return np.asarray(0.5 * cv2.GaussianBlur(moved, (0, 0), max(0.02 * width, 0.8)), dtype=np.float32)
