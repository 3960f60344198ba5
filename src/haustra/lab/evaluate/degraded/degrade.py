"""Degradations of real recordings applied to a good picture: synthetic members of the non-informative class.

Each function takes a square RGB picture and a random generator. Optical effects stay inside the endoscope picture: the
processor adds the black surround and insets afterwards, and they stay sharp.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Float32Array, Image
from haustra.lab.evaluate.degraded.outside import outside_picture

Degradation = Callable[[Image, np.random.Generator], Image]

# Shares of the picture's width. The simulator labels frames non-informative above 0.016, between the mildest of these
# and the strongest blur of an informative training picture (`augment.MILD_BLUR`).
MOTION_LENGTH = (0.028, 0.16)
DEFOCUS_SIGMA = (0.012, 0.05)


def lit_mask(image: Image) -> NDArray[np.bool_]:
    """Pixels of the endoscope picture: all but the black connected with the border (surround, insets)."""
    black = (image.max(axis=2) <= 16).astype(np.uint8)
    black = cv2.morphologyEx(black, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    framed = cv2.copyMakeBorder(black, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    cv2.floodFill(framed, None, (0, 0), 2)
    return np.asarray(framed[1:-1, 1:-1] != 2)


def inside_only(image: Image, degraded: Float32Array | Image) -> Image:
    """The degraded picture, inside the endoscope picture alone."""
    result = np.clip(degraded, 0, 255).astype(np.uint8)
    return np.where(lit_mask(image)[..., None], result, image)


def motion_kernel(length: float, rng: np.random.Generator) -> Float32Array:
    """Point-spread function of camera motion during the exposure: a slightly bent line of `length` pixels."""
    side = int(np.ceil(length)) | 1
    turn, bend = rng.uniform(0, np.pi), rng.uniform(-0.25, 0.25)
    t = np.linspace(-0.5, 0.5, 4 * side)
    along, across = length * t, length * bend * (t**2 - 0.08)
    x = along * np.cos(turn) - across * np.sin(turn) + side / 2
    y = along * np.sin(turn) + across * np.cos(turn) + side / 2
    kernel, _, _ = np.histogram2d(y, x, bins=side, range=[[0, side], [0, side]])
    return np.asarray(kernel / kernel.sum(), np.float32)


def motion_blur(image: Image, rng: np.random.Generator) -> Image:
    """Blur along a random short path."""
    length = max(3.0, image.shape[0] * float(rng.uniform(*MOTION_LENGTH)))
    return inside_only(image, np.asarray(cv2.filter2D(image, -1, motion_kernel(length, rng)), np.uint8))


def defocus(image: Image, rng: np.random.Generator) -> Image:
    """Gaussian blur: too near, or out of focus."""
    sigma = image.shape[0] * float(rng.uniform(*DEFOCUS_SIGMA))
    return inside_only(image, _smooth(image, sigma))


def underexposed(image: Image, rng: np.random.Generator) -> Image:
    """Too little light: low gain, gamma and sensor noise."""
    gain, gamma = rng.uniform(0.02, 0.22), rng.uniform(0.9, 1.4)
    dark = 255 * (gain * (image / 255.0) ** gamma)
    noise = rng.normal(0, rng.uniform(0.5, 4.0), image.shape)
    return inside_only(image, np.asarray(dark + noise, np.float32))


def overexposed(image: Image, rng: np.random.Generator) -> Image:
    """Too much light: most of the picture clips and blooms into the rest."""
    bright = image.astype(np.float32) * rng.uniform(2.2, 5.0) + rng.uniform(0, 60)
    glow = _smooth(np.minimum(bright, 400), image.shape[0] * rng.uniform(0.02, 0.08))
    return inside_only(image, np.maximum(bright, 0.85 * glow))


def wall(image: Image, rng: np.random.Generator) -> Image:
    """The lens against the mucosa: a patch of tissue fills the picture, out of focus, red, lit from beside the lens."""
    size = image.shape[0]
    close = np.asarray(cv2.resize(_patch(image, rng), (size, size), interpolation=cv2.INTER_CUBIC), np.float32)
    close = _smooth(close, size * rng.uniform(0.008, 0.06))
    mean = close.mean(axis=(0, 1))
    close = mean + (close - mean) * rng.uniform(0.3, 1.0)
    tint = np.array([rng.uniform(0.95, 1.35), rng.uniform(0.6, 1.05), rng.uniform(0.55, 1.05)], np.float32)
    close = close * tint * _light_field(size, rng)
    if rng.random() < 0.35:
        close = _add_highlights(close, rng)
    return inside_only(image, close)


def water(image: Image, rng: np.random.Generator) -> Image:
    """Flushing: the view through a film of water, bubbles and haze."""
    size = image.shape[0]
    flow = rng.normal(0, 1, (2, 8, 8)).astype(np.float32) * size * rng.uniform(0.02, 0.07)
    shift = [np.asarray(cv2.resize(part, (size, size), interpolation=cv2.INTER_CUBIC), np.float32) for part in flow]
    y, x = np.mgrid[:size, :size].astype(np.float32)
    swum = cv2.remap(image, x + shift[0], y + shift[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    film = _smooth(np.asarray(swum, np.float32), size * rng.uniform(0.006, 0.03))
    haze = np.array(rng.choice([(225, 215, 205), (200, 190, 120), (205, 180, 170), (180, 160, 110)]), np.float32)
    cover = rng.uniform(0.15, 0.6) * _clouds(size, rng)[..., None]
    film = film * (1 - cover) + haze * cover
    for _ in range(int(rng.integers(6, 45))):
        film = _add_bubble(film, rng)
    return inside_only(image, film)


def outside(image: Image, rng: np.random.Generator) -> Image:
    """A picture taken outside the body."""
    return inside_only(image, outside_picture(image.shape[0], rng))


DEGRADATIONS: dict[str, Degradation] = {
    "blur": motion_blur,
    "defocus": defocus,
    "underexposed": underexposed,
    "overexposed": overexposed,
    "wall": wall,
    "water": water,
    "outside": outside,
}
_WEIGHTS = np.array([0.2, 0.12, 0.12, 0.12, 0.22, 0.12, 0.1])


def degrade(image: Image, rng: np.random.Generator, kind: str | None = None) -> Image:
    """One degradation, drawn at random unless named; sometimes a blur on top."""
    kinds = list(DEGRADATIONS)
    first = kind or kinds[int(rng.choice(len(kinds), p=_WEIGHTS))]
    degraded = DEGRADATIONS[first](image, rng)
    if kind is None and first in ("wall", "water", "outside", "blur") and rng.random() < 0.25:
        degraded = DEGRADATIONS["blur" if rng.random() < 0.5 else "defocus"](degraded, rng)
    return degraded


def _smooth(image: NDArray[np.generic], sigma: float) -> Float32Array:
    return np.asarray(cv2.GaussianBlur(np.asarray(image, np.float32), (0, 0), max(float(sigma), 0.3)), np.float32)


def _patch(image: Image, rng: np.random.Generator) -> Image:
    """A small square of tissue from anywhere in the picture."""
    size = image.shape[0]
    side = int(size * rng.uniform(0.07, 0.24))
    mask = lit_mask(image)
    best, best_share = image[:side, :side], -1.0
    for _ in range(8):
        y, x = rng.integers(0, size - side, 2)
        patch = image[y : y + side, x : x + side]
        share = float(mask[y : y + side, x : x + side].mean()) * float(patch.mean() > 50)
        if share > best_share:
            best, best_share = patch, share
        if share > 0.99:
            break
    return best


def _light_field(size: int, rng: np.random.Generator) -> Float32Array:
    """Illumination of a wall lit from beside the lens: strong near a point, falling off."""
    y, x = np.mgrid[:size, :size].astype(np.float32) / size
    cx, cy = rng.uniform(-0.2, 1.2, 2)
    distance = np.hypot(x - cx, y - cy)
    field = 1.0 / (1.0 + (distance / rng.uniform(0.4, 1.2)) ** 2)
    return np.asarray(field / field.mean() * rng.uniform(0.6, 1.5), np.float32)[..., None]


def _clouds(size: int, rng: np.random.Generator) -> Float32Array:
    coarse = rng.random((5, 5)).astype(np.float32)
    return np.clip(np.asarray(cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC), np.float32) * 1.5, 0, 1)


def _add_highlights(image: Float32Array, rng: np.random.Generator) -> Float32Array:
    size = image.shape[0]
    layer = np.zeros((size, size), np.float32)
    for _ in range(int(rng.integers(1, 9))):
        centre = tuple(int(v) for v in rng.integers(0, size, 2))
        axes = tuple(int(v) for v in rng.integers(1, max(3, size // 20), 2))
        cv2.ellipse(layer, centre, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
    layer = _smooth(layer, size * rng.uniform(0.002, 0.012))[..., None]
    return image * (1 - layer) + 255 * layer


def _add_bubble(image: Float32Array, rng: np.random.Generator) -> Float32Array:
    """A thin bright rim and a glint."""
    size = image.shape[0]
    radius = max(2, int(size * rng.uniform(0.008, 0.09)))
    centre = tuple(int(v) for v in rng.integers(0, size, 2))
    bright = float(rng.uniform(150, 250))
    cv2.circle(image, centre, radius, (bright, bright, bright * 0.95), max(1, radius // 8), cv2.LINE_AA)
    glint = (centre[0] - radius // 2, centre[1] - radius // 2)
    cv2.circle(image, glint, max(1, radius // 5), (255, 255, 255), -1, cv2.LINE_AA)
    return image
