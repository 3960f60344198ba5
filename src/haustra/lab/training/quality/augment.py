"""Augmentations that do not change a frame's label: view, colour, compression, mask, overlays.

Mild blur, noise and exposure changes are among them: a slightly soft frame is still informative.
"""

from __future__ import annotations

import cv2
import numpy as np

from haustra.core.arrays import Image
from haustra.lab.evaluate.degraded.degrade import motion_kernel

MILD_BLUR = 0.009  # share of the width; `degrade.MOTION_LENGTH` starts at three times this
MASKS = ("octagon", "round", "cut", "full")


def augment(image: Image, size: int, rng: np.random.Generator) -> Image:
    """A square picture larger than or equal to `size` to (size, size, 3)."""
    image = _view(image, size, rng)
    image = _colour(image, rng)
    image = _soften(image, rng)
    image = _code(image, rng)
    if rng.random() < 0.5:
        image = apply_mask(image, str(rng.choice(MASKS)), rng)
    if rng.random() < 0.25:
        image = _overlay(image, rng)
    return image


def _view(image: Image, size: int, rng: np.random.Generator) -> Image:
    """Mirror, and rotate, shift and zoom a little; black outside the picture."""
    if rng.random() < 0.5:
        image = image[:, ::-1]
    image = np.rot90(image, int(rng.choice([0, 0, 0, 1, 2, 3])))
    side = image.shape[0]
    turn = rng.normal(0, 8.0) if rng.random() < 0.5 else 0.0
    matrix = cv2.getRotationMatrix2D((side / 2, side / 2), float(turn), size / side * float(rng.uniform(0.95, 1.25)))
    matrix[:, 2] += (size - side) / 2 + rng.uniform(-0.06, 0.06, 2) * size
    how = int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA]))
    return np.asarray(cv2.warpAffine(np.ascontiguousarray(image), matrix, (size, size), flags=how), np.uint8)


def _colour(image: Image, rng: np.random.Generator) -> Image:
    """White balance, saturation, gamma and gain; black stays black."""
    values = image.astype(np.float32) / 255
    grey = values.mean(axis=2, keepdims=True)
    values = grey + (values - grey) * rng.uniform(0.5, 1.6)
    values = np.clip(values * rng.normal(1, 0.13, 3) * rng.uniform(0.75, 1.25), 0, 1) ** rng.uniform(0.8, 1.25)
    if rng.random() < 0.5:
        values = values + rng.normal(0, rng.uniform(0.002, 0.025), image.shape) * (values > 0.02)
    return np.clip(values * 255, 0, 255).astype(np.uint8)


def _soften(image: Image, rng: np.random.Generator) -> Image:
    if rng.random() < 0.5:
        return image
    size = image.shape[0]
    if rng.random() < 0.5:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), size * rng.uniform(0.001, MILD_BLUR / 2.5)), np.uint8)
    kernel = motion_kernel(max(1.0, size * rng.uniform(0.003, MILD_BLUR)), rng)
    return np.asarray(cv2.filter2D(image, -1, kernel), np.uint8)


def _code(image: Image, rng: np.random.Generator) -> Image:
    """Lossy compression, sometimes at a lower resolution."""
    size = image.shape[0]
    if rng.random() < 0.25:
        small = int(size * rng.uniform(0.6, 1.0))
        image = np.asarray(cv2.resize(image, (small, small), interpolation=cv2.INTER_AREA), np.uint8)
    if rng.random() < 0.6:
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 96))])
        image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return np.asarray(cv2.resize(image, (size, size), interpolation=cv2.INTER_LINEAR), np.uint8)


def apply_mask(image: Image, shape: str, rng: np.random.Generator) -> Image:
    """A video processor's picture outline, and sometimes a black inset in a lower corner."""
    size = image.shape[0]
    mask = np.zeros((size, size), np.uint8)
    if shape == "round":
        cv2.circle(mask, (size // 2, size // 2), int(size * rng.uniform(0.49, 0.62)), 1, -1)
    elif shape == "full":
        mask[:] = 1
    else:
        cut = int(size * (rng.uniform(0.24, 0.33) if shape == "octagon" else rng.uniform(0.04, 0.16)))
        far = size - 1
        corners = [(cut, 0), (far - cut, 0), (far, cut), (far, far - cut), (far - cut, far), (cut, far)]
        cv2.fillConvexPoly(mask, np.array([*corners, (0, far - cut), (0, cut)], np.int32), 1)
    if rng.random() < 0.25:
        width, height = (int(size * v) for v in rng.uniform(0.15, 0.36, 2))
        left = 0 if rng.random() < 0.8 else size - width
        mask[size - height :, left : left + width] = 0
    return image * mask[..., None]


def _overlay(image: Image, rng: np.random.Generator) -> Image:
    """Burnt-in text, which is sharp whatever the frame is and must be ignored."""
    image = image.copy()
    size = image.shape[0]
    shade = int(rng.integers(160, 256))
    left, top = int(rng.uniform(0, 0.15) * size), int(rng.uniform(0.1, 0.6) * size)
    for line in range(int(rng.integers(1, 6))):
        text = "".join(rng.choice(list("0123456789:/ABCDEFGNQ.<> "), int(rng.integers(3, 12))))
        where = (left, top + line * max(6, size // 18))
        cv2.putText(image, text, where, cv2.FONT_HERSHEY_PLAIN, size / 320, (shade, shade, shade), 1)
    return image
