"""What comes between the lens and the scene: water and bubbles on the lens, and the room when the scope is outside."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from scipy.ndimage import gaussian_filter

from haustra.core.arrays import FloatArray
from haustra.lab.simulate.compiled import njit
from haustra.lab.simulate.episodes import Episode
from haustra.lab.simulate.lens_effects import Light, pixel_grid

FIELD = 96  # the film on the lens is smooth: a coarse field is enough
TINTS = ((0.95, 0.98, 0.90), (1.0, 0.86, 0.45), (0.80, 0.86, 0.62), (1.0, 0.72, 0.50))


@dataclass(frozen=True, eq=False)
class Splash:
    """The film and the bubbles of one water episode, in shares of the picture width."""

    episode: Episode
    film: Light
    drift: tuple[float, float]
    tint: Light
    turbid: float
    bubbles: FloatArray


def make_splash(seed: int, episode: Episode) -> Splash:
    """Film, colour and bubbles of an episode; some are clear water, some are foam."""
    rng = np.random.default_rng([seed, 910, round(episode.start_s * 1000)])
    film = np.stack([_smooth(rng, 6.0 + 8.0 * rng.random()) for _ in range(3)], axis=-1)
    foam = rng.random() < 0.45
    count = int(rng.integers(90, 260)) if foam else int(rng.integers(6, 40))
    heart, spread = rng.uniform(0.15, 0.85, 2), rng.uniform(0.15, 0.35) if foam else 0.4
    place = heart + spread * rng.standard_normal((count, 2))
    size = np.clip(rng.lognormal(math.log(0.016 if foam else 0.024), 0.55, count), 0.005, 0.09)
    bubbles = np.column_stack([place, size, rng.random(count)])
    tint = np.array(TINTS[int(rng.integers(len(TINTS)))], np.float32)
    drift = (float(rng.normal(0, 0.25)), float(rng.normal(0.1, 0.25)))
    return Splash(episode, film.astype(np.float32), drift, tint, float(rng.uniform(0.15, 0.7)), bubbles)


def _smooth(rng: np.random.Generator, sigma: float) -> FloatArray:
    field = gaussian_filter(rng.standard_normal((FIELD, FIELD)), sigma, mode="wrap")
    return np.asarray(field / field.std())


def draw_splash(light: Light, splash: Splash, time_s: float) -> Light:
    """The scene through moving water: bent, soft, tinted, with bubbles that show it once more."""
    degree = float(splash.episode.degree(time_s))
    if degree <= 0:
        return light
    height, width = light.shape[:2]
    film = _film(splash, time_s, width, height)
    x, y = pixel_grid(width, height)
    bend = np.float32(0.07 * width * degree)
    bent = cv2.remap(
        light, x + bend * film[..., 0], y + bend * film[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    soft = cv2.GaussianBlur(bent, (0, 0), max(0.016 * width * degree, 0.3))
    coarse = cv2.GaussianBlur(cv2.resize(light, (48, 48), interpolation=cv2.INTER_AREA).mean(axis=-1), (0, 0), 6.0)
    haze = cv2.resize(coarse, (width, height))[..., None] * splash.tint * np.float32(1.25)
    veil = degree * splash.turbid * np.clip(0.6 + 0.45 * film[..., 2:], 0.0, 1.0)
    wet = soft * (1 - veil) + haze * veil
    # Where the film is steep it mirrors the lamps.
    glint = np.clip(film[..., 2:] - 1.7, 0.0, 1.0) ** 2 * degree
    wet = wet + 2.5 * glint * light.mean()
    return _draw_bubbles(wet.astype(np.float32), splash, degree, time_s)


def _film(splash: Splash, time_s: float, width: int, height: int) -> Light:
    """The film at a moment: it slides over the lens."""
    slide = (time_s - splash.episode.start_s) * np.array(splash.drift) * FIELD
    grid_x = (np.arange(width, dtype=np.float32) / width * FIELD + slide[0]) % FIELD
    grid_y = (np.arange(height, dtype=np.float32) / width * FIELD + slide[1]) % FIELD
    field = np.pad(splash.film, ((0, 2), (0, 2), (0, 0)), mode="wrap")
    map_x, map_y = np.meshgrid(grid_x.astype(np.float32), grid_y.astype(np.float32))
    return np.asarray(cv2.remap(field, map_x, map_y, cv2.INTER_LINEAR), dtype=np.float32)


def _draw_bubbles(light: Light, splash: Splash, degree: float, time_s: float) -> Light:
    """Each bubble: the scene upside down in a small ball, a dark rim, a bright spot."""
    height, width = light.shape[:2]
    level = float(light.mean())
    age = time_s - splash.episode.start_s
    result = light.copy()
    for x, y, size, phase in splash.bubbles:
        if phase > degree:
            continue
        cx = (x + 0.05 * age * math.sin(6.28 * phase) + 0.3 * splash.drift[0] * age) * width
        cy = (y - 0.04 * age * (0.5 + phase)) * height
        _draw_bubble(result, light, cx, cy, size * width, level)
    return result


@njit(cache=True, nogil=True)
def _draw_bubble(result: Light, light: Light, cx: float, cy: float, radius: float, level: float) -> None:
    height, width = light.shape[:2]
    for y in range(max(int(cy - radius) - 1, 0), min(int(cy + radius) + 2, height)):
        for x in range(max(int(cx - radius) - 1, 0), min(int(cx + radius) + 2, width)):
            dx, dy = (x - cx) / radius, (y - cy) / radius
            r = math.hypot(dx, dy)
            inside = min((1.0 - r) * radius, 1.0)
            if inside <= 0.0:
                continue
            seen_x = int(min(max(cx - 1.6 * radius * dx, 0.0), width - 1.0))
            seen_y = int(min(max(cy - 1.6 * radius * dy, 0.0), height - 1.0))
            rim, edge = math.exp(-(((r - 0.93) / 0.08) ** 2)), math.exp(-(((r - 0.74) / 0.10) ** 2))
            spot = math.exp(-((dx + 0.35) ** 2 + (dy + 0.4) ** 2) / 0.03)
            spot += 0.6 * math.exp(-((dx - 0.4) ** 2 + (dy - 0.45) ** 2) / 0.02)
            for c in range(3):
                ball = light[seen_y, seen_x, c] * (0.85 + 0.35 * edge) * (1 - 0.6 * rim) + 3.2 * level * spot
                result[y, x, c] = result[y, x, c] * (1 - inside) + ball * inside
