"""Tiling textures of the mucosa with mip levels: 1024 rows over TILE_MM of arc, 1024 columns around the lumen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Float32Array, FloatArray

SIZE = 1024
TILE_MM = 110.0
LEVELS = 7
# Length of the flat array of texels of one tile.
TILE_TEXELS = sum((SIZE >> k) ** 2 for k in range(LEVELS))
# Gradients of the bump map are stored as 128 + GRADIENT_SCALE * slope.
GRADIENT_SCALE = 160.0


@dataclass(frozen=True, eq=False)
class Tile:
    """Four byte channels a texel, all mip levels in a flat array; `slope_variance`: what a level has averaged away."""

    texels: NDArray[np.uint8]
    slope_variance: FloatArray


def make_mucosa_tile(rng: np.random.Generator, granular: float) -> Tile:
    """Channels: vessels, mottling (128 neutral), slope along arc, slope around. `granular` is inflamed mucosa."""
    vessels = _vessels(rng)
    mottle = 0.5 * _noise(rng, 40) + 0.45 * _noise(rng, 9) + (0.35 + 0.5 * granular) * _noise(rng, 3)
    height = 0.32 * _noise(rng, 26) + (0.10 + 0.06 * granular) * _noise(rng, 7) + 0.022 * _noise(rng, 2.2)
    height += 0.05 * rng.uniform(0, 1.5) * _pits(rng)
    return _tile(vessels * 255, 128 + 30 * mottle, height - 0.06 * vessels)


def make_remnant_tile(rng: np.random.Generator) -> Tile:
    """Channels: clumps of stool (128 neutral), foam (0 none), slopes of both."""
    clumps = 0.7 * _noise(rng, 22) + 0.5 * _noise(rng, 8) + 0.3 * _noise(rng, 3)
    foam, domes = _bubbles(rng)
    return _tile(foam * 255, 128 + 40 * clumps, 0.35 * np.maximum(clumps, 0) + domes)


def _tile(first: Float32Array, second: Float32Array, height: Float32Array) -> Tile:
    """Packs two channels and the slopes of `height` (mm)."""
    mm = TILE_MM / SIZE
    along = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) / (2 * mm)
    around = (np.roll(height, -1, 1) - np.roll(height, 1, 1)) / (2 * mm)
    level = np.dstack([first, second, along, around]).astype(np.float32)
    total = float((level[..., 2:] ** 2).mean())
    flat, variance = [], []
    for _ in range(LEVELS):
        variance.append(max(0.0, total - float((level[..., 2:] ** 2).mean())))
        packed = level.copy()
        packed[..., 2:] = 128 + GRADIENT_SCALE * packed[..., 2:]
        flat.append(np.clip(np.rint(packed), 0, 255).astype(np.uint8).reshape(-1, 4))
        level = 0.25 * (level[::2, ::2] + level[1::2, ::2] + level[::2, 1::2] + level[1::2, 1::2])
    return Tile(np.concatenate(flat), np.asarray(variance))


def _noise(rng: np.random.Generator, sigma: float) -> Float32Array:
    """Periodic Gaussian noise of unit variance; `sigma` in texels."""
    shrink = max(1, 2 ** int(math.log2(max(1.0, sigma / 3))))
    small = _blur(rng.standard_normal((SIZE // shrink, SIZE // shrink)).astype(np.float32), sigma / shrink)
    wide = cv2.copyMakeBorder(small, 2, 2, 2, 2, cv2.BORDER_WRAP)
    wide = cv2.resize(wide, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_LINEAR)
    pad = 2 * shrink
    wide = wide[pad : pad + SIZE, pad : pad + SIZE]
    return ((wide - wide.mean()) / wide.std()).astype(np.float32)


def _blur(image: Float32Array, sigma: float) -> Float32Array:
    pad = min(int(4 * sigma) + 2, image.shape[0])
    wide = cv2.copyMakeBorder(image, pad, pad, pad, pad, cv2.BORDER_WRAP)
    return np.asarray(cv2.GaussianBlur(wide, (0, 0), sigma)[pad:-pad, pad:-pad], np.float32)


def _vessels(rng: np.random.Generator) -> Float32Array:
    """Branching trees: broad soft ones deep under the surface, fine sharp ones above them."""
    deep, fine = np.zeros((SIZE, SIZE), np.float32), np.zeros((SIZE, SIZE), np.float32)
    for _ in range(int(rng.integers(7, 15))):
        _grow(rng, deep, rng.uniform(0, SIZE, 2), rng.uniform(0, 6.3), rng.uniform(4, 8), 60, 3)
    for _ in range(int(rng.integers(25, 60))):
        _grow(rng, fine, rng.uniform(0, SIZE, 2), rng.uniform(0, 6.3), rng.uniform(2.2, 4.2), 42, 3)
    both = 0.45 * _blur(deep, 2.6) + 0.85 * _blur(fine, 0.8)
    return np.clip(both * (0.75 + 0.25 * _noise(rng, 60)), 0.0, 1.0).astype(np.float32)


def _grow(
    rng: np.random.Generator, image: Float32Array, start: FloatArray, angle: float, width: float, steps: int,
    depth: int,
) -> None:  # fmt: skip
    """One vessel as a wandering line that thins out, and its branches."""
    angles = angle + np.cumsum(rng.normal(0.0, 0.17, steps))
    path = start + np.cumsum(5.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1), axis=0)
    for low in range(0, steps - 1, 7):
        thick = width * (1 - 0.5 * low / steps)
        _draw(
            image, path[low : low + 8], max(1, round(thick)), (0.95 if thick > 1.5 else 0.6) * (1 - 0.3 * low / steps)
        )
    if depth == 0:
        return
    for at in np.flatnonzero(rng.random(steps) < 0.10):
        side = rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.0)
        _grow(rng, image, path[at], angles[at] + side, width * 0.66, int(steps * 0.6), depth - 1)


def _draw(image: Float32Array, path: FloatArray, thickness: int, value: float) -> None:
    base = np.floor(path.min(axis=0) / SIZE) * SIZE
    reach = path.max(axis=0) - base + 8 > SIZE
    for shift_x in (0, SIZE) if reach[0] else (0,):
        for shift_y in (0, SIZE) if reach[1] else (0,):
            points = np.round((path - base - (shift_x, shift_y)) * 16).astype(np.int32).reshape(-1, 1, 2)
            cv2.polylines(image, [points], False, value, thickness, cv2.LINE_AA, 4)


def _pits(rng: np.random.Generator) -> Float32Array:
    """Fine regular grain of gland openings, strongest in patches."""
    grain = _noise(rng, 2.6) - _noise(rng, 5.2)
    return np.asarray(np.clip(0.4 + 0.6 * _noise(rng, 50), 0, 1.5) * np.abs(grain), np.float32)


def _bubbles(rng: np.random.Generator) -> tuple[Float32Array, Float32Array]:
    """Foam: touching bubbles of many sizes, with bright rims, and their domes as height."""
    foam, domes = np.zeros((SIZE, SIZE), np.float32), np.zeros((SIZE, SIZE), np.float32)
    for radius in np.sort(np.clip(rng.lognormal(1.6, 0.55, 3500), 2.0, 22.0))[::-1]:
        x, y = rng.integers(0, SIZE, 2)
        ys, xs = np.mgrid[-int(radius) - 1 : int(radius) + 2, -int(radius) - 1 : int(radius) + 2]
        near = np.hypot(ys, xs) / radius
        inside = near < 1
        rows, cols = (y + ys[inside]) % SIZE, (x + xs[inside]) % SIZE
        foam[rows, cols] = 0.25 + 0.6 * near[inside] ** 4
        domes[rows, cols] = 0.11 * radius * 0.4 * np.sqrt(1 - near[inside] ** 2)
    return foam, domes
