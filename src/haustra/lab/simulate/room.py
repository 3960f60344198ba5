"""The view outside the body: a procedure room around the scope, painted once per seed and looked up by direction."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray
from haustra.lab.simulate.lens_effects import Light

SIZE = 480  # the direction ahead is in the middle, the one behind is the circle that touches the sides
WALLS = ((0.55, 0.60, 0.52), (0.50, 0.56, 0.62), (0.62, 0.58, 0.50), (0.58, 0.58, 0.58))
CLOTHS = ((0.04, 0.22, 0.36), (0.03, 0.28, 0.22), (0.10, 0.16, 0.45), (0.55, 0.57, 0.60), (0.25, 0.42, 0.50))
GLOVES = ((0.72, 0.72, 0.70), (0.20, 0.28, 0.66), (0.34, 0.22, 0.55), (0.10, 0.34, 0.50))
SKINS = ((0.66, 0.40, 0.28), (0.52, 0.30, 0.19), (0.30, 0.16, 0.09), (0.74, 0.50, 0.38))


def make_room(seed: int) -> Light:
    """The room in linear light: ceiling with lamps, wall with a monitor, cloth, skin, a gloved hand."""
    rng = np.random.default_rng([seed, 920])
    room = np.zeros((SIZE, SIZE, 3), np.float32)
    room[:] = WALLS[int(rng.integers(len(WALLS)))]
    room[: SIZE // 4] = rng.uniform(0.55, 0.75)
    _boxes(rng, room)
    _cloth(rng, room)
    _skin(rng, room, SKINS[int(rng.integers(len(SKINS)))])
    _hand(rng, room, GLOVES[int(rng.integers(len(GLOVES)))])
    shade = 1 + 0.12 * _field(rng, (40.0, 40.0)) + 0.04 * _field(rng, (6.0, 6.0))
    room *= np.clip(shade, 0.4, 1.6)[..., None]
    for channel in range(3):
        room[..., channel] = gaussian_filter(room[..., channel], rng.uniform(1.2, 3.5), mode="nearest")
    return np.maximum(room, 0.002)


def _field(rng: np.random.Generator, sigma: tuple[float, float]) -> FloatArray:
    field = gaussian_filter(rng.standard_normal((SIZE, SIZE)), sigma, mode="nearest")
    return np.asarray(field / field.std())


def _boxes(rng: np.random.Generator, room: Light) -> None:
    """Ceiling lamps, cupboards, a monitor."""
    for _ in range(3):
        x, y = int(rng.integers(0, SIZE - 90)), int(rng.integers(60, 110))
        cv2.rectangle(room, (x, y), (x + 80, y + 16), (4.0, 4.0, 3.8), -1)
    for _ in range(5):
        x, y = int(rng.integers(0, SIZE - 80)), int(rng.integers(130, 210))
        grey = rng.uniform(0.08, 0.5) * rng.uniform(0.8, 1.1, 3)
        cv2.rectangle(room, (x, y), (x + int(rng.integers(20, 80)), y + int(rng.integers(40, 110))), grey.tolist(), -1)
    x, y = int(rng.integers(0, SIZE - 90)), int(rng.integers(130, 180))
    cv2.rectangle(room, (x, y), (x + 78, y + 48), (0.02, 0.02, 0.025), -1)
    cv2.circle(room, (x + 40, y + 24), 20, (0.9, 0.38, 0.28), -1)


def _cloth(rng: np.random.Generator, room: Light) -> None:
    """A drape over the lower half with folds that run down."""
    edge = gaussian_filter(SIZE * 0.52 + 16 * np.cumsum(rng.normal(0, 0.15, SIZE)), 12)
    below = np.arange(SIZE)[:, None] > edge[None, :]
    folds = np.clip(1 + 0.35 * _field(rng, (30.0, 5.0)) + 0.1 * _field(rng, (8.0, 2.5)), 0.25, 2.0)
    colour = np.array(CLOTHS[int(rng.integers(len(CLOTHS)))], np.float32)
    room[below] = (folds[..., None] * colour)[below]


def _skin(rng: np.random.Generator, room: Light, colour: tuple[float, ...]) -> None:
    """Rounded skin, lit from the front."""
    shape = np.zeros((SIZE, SIZE), np.uint8)
    centre = np.array([rng.uniform(0.25, 0.75) * SIZE, rng.uniform(0.5, 0.75) * SIZE])
    for _ in range(4):
        axes = (int(rng.uniform(30, 80)), int(rng.uniform(30, 80)))
        cv2.ellipse(shape, _pixel(centre + rng.normal(0, 30, 2)), axes, rng.uniform(0, 180), 0, 360, 255, -1)
    _solid(room, shape, colour, 45.0)


def _hand(rng: np.random.Generator, room: Light, colour: tuple[float, ...]) -> None:
    """A gloved hand: a palm and bent fingers."""
    shape = np.zeros((SIZE, SIZE), np.uint8)
    at = np.array([rng.uniform(0.3, 0.7) * SIZE, rng.uniform(0.45, 0.65) * SIZE])
    turn = rng.uniform(0, 2 * math.pi)
    cv2.ellipse(shape, _pixel(at), (34, 26), math.degrees(turn), 0, 360, 255, -1)
    for finger in range(5):
        angle = turn + (finger - 2) * 0.30 + rng.normal(0, 0.08)
        start = at + 22 * np.array([math.cos(angle), math.sin(angle)])
        for length in (rng.uniform(24, 34), rng.uniform(20, 30)):
            end = start + length * np.array([math.cos(angle), math.sin(angle)])
            cv2.line(shape, _pixel(start), _pixel(end), 255, 15, cv2.LINE_8)
            start, angle = end, angle + rng.uniform(-0.5, 0.5)
        _solid(room, shape, colour, 12.0)


def _solid(room: Light, shape: NDArray[np.uint8], colour: tuple[float, ...], roundness: float) -> None:
    """Paint a silhouette as a rounded body: brighter the farther from its outline."""
    inner = np.clip(cv2.distanceTransform(shape, cv2.DIST_L2, 5) / roundness, 0, 1)
    inner = gaussian_filter(np.asarray(inner, np.float64), 2.5)
    inside = shape > 0
    room[inside] = (0.35 + 0.8 * np.sqrt(inner[inside]))[:, None] * np.array(colour)


def _pixel(at: FloatArray) -> tuple[int, int]:
    return round(float(at[0])), round(float(at[1]))


def view_room(room: Light, seed: int, rays: FloatArray, time_s: float, level: float) -> Light:
    """The room along the rays of the lens while the scope hangs from a hand; `level` scales it to the scene's light."""
    rng = np.random.default_rng([seed, 921])
    speed, phase, start = rng.uniform(0.5, 1.6, 3), rng.uniform(0, 6.28, 3), rng.uniform(-1.2, 1.2, 3)
    angles = start * [0.25, 0.35, 1.0] + 0.3 * np.sin(speed * time_s + phase)
    d = np.nan_to_num(rays) @ Rotation.from_euler("XYZ", angles).as_matrix().T
    side = np.hypot(d[..., 0], d[..., 1])
    reach = np.arctan2(side, d[..., 2]) / np.maximum(side, 1e-9) * (SIZE / 2 / math.pi)
    x, y = (SIZE / 2 + reach * d[..., 0]).astype(np.float32), (SIZE / 2 + reach * d[..., 1]).astype(np.float32)
    seen = cv2.remap(room, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lamp = 0.55 + 0.9 * np.clip(np.nan_to_num(rays[..., 2]), 0, 1)[..., None] ** 3
    return np.asarray(seen * lamp * level, dtype=np.float32)
