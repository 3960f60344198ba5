"""What wide worlds put before the lens: a transparent cap at the rim, a water jet, and the two fields of a recorder."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.lab.simulate.episodes import Episode
from haustra.lab.simulate.lens_effects import Light, pixel_grid
from haustra.lab.simulate.scope import Scope


class Cap:
    """A distal cap: beyond its edge the scene is seen through dull plastic that mirrors the lamps; it never moves."""

    def __init__(self, scope: Scope) -> None:
        rng = np.random.default_rng([scope.seed, 920])
        x, y, w, h = scope.box
        rows, cols = np.mgrid[0 : scope.height, 0 : scope.width]
        centre = (x + (w - 1) / 2 + rng.normal(0.0, 0.02 * w), y + (h - 1) / 2 + rng.normal(0.0, 0.02 * h))
        away = np.hypot(cols - centre[0], rows - centre[1]) / (0.5 * math.hypot(w, h) * 0.9) / scope.cap
        turn = np.arctan2(rows - centre[1], cols - centre[0])
        gleam = 1 + 0.6 * np.cos(turn * int(rng.integers(1, 4)) + rng.uniform(0, 6.3))
        edge = np.exp(-(((away - 1.0) / 0.015) ** 2)) * gleam
        self._dull = np.asarray(np.clip((away - 0.99) / 0.02, 0.0, 1.0) * rng.uniform(0.2, 0.7), np.float32)[..., None]
        self._gleam = np.asarray(0.9 * edge + 0.35 * self._dull[..., 0] * gleam, np.float32)[..., None]

    def __call__(self, light: Light) -> Light:
        level = np.float32(light.mean())
        soft = cv2.GaussianBlur(light, (0, 0), max(0.008 * light.shape[1], 0.3))
        seen = light + self._dull * (0.7 * soft - light) + level * self._gleam
        return np.asarray(seen, np.float32)


def draw_jet(light: Light, episode: Episode, time_s: float) -> Light:
    """Water from the channel: a flickering cone from the rim to where it strikes, and the splash there."""
    degree = float(episode.degree(time_s))
    if degree <= 0:
        return light
    rng = np.random.default_rng([round(1000 * episode.start_s), round(1000 * time_s)])
    height, width = light.shape[:2]
    start = np.array([0.5 + 0.7 * math.cos(episode.azimuth), 0.5 + 0.7 * math.sin(episode.azimuth)])
    end = np.array([0.5, 0.5]) + 0.25 * (np.array([episode.strength, 0.5]) - 0.5) + rng.normal(0.0, 0.015, 2)
    drawn = np.zeros((height, width), np.float32)
    for _ in range(14):
        spread = rng.normal(0.0, 0.03, 2)
        ends = [np.round((p * (width, height)) * 16).astype(int) for p in (start + 0.4 * spread, end + spread)]
        cv2.line(drawn, ends[0].tolist(), ends[1].tolist(), float(rng.uniform(0.2, 0.6)), max(1, width // 90), 16, 4)
    for place, size in zip(end + 0.08 * rng.standard_normal((60, 2)), rng.uniform(0.003, 0.02, 60), strict=True):
        cv2.circle(drawn, np.round(place * (width, height)).astype(int).tolist(), max(1, round(size * width)), 0.7, -1)
    veil = np.clip(cv2.GaussianBlur(drawn, (0, 0), 0.006 * width + 0.3), 0.0, 1.0)[..., None] * np.float32(degree)
    return np.asarray(light * (1 - 0.7 * veil) + veil * np.float32(2.2 * light.mean()), np.float32)


def weave(light: Light, field: NDArray[np.float32] | None) -> Light:
    """Two fields of one frame: the odd lines are those of a moment later, `field` pixels on; a still scene has none."""
    if field is None:
        return light
    height, width = light.shape[:2]
    x, y = pixel_grid(width, height)
    later = cv2.remap(light, x - field[..., 0], y - field[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    woven = light.copy()
    woven[1::2] = later[1::2]
    return woven
