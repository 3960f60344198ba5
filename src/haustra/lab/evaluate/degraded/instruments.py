"""Draw an instrument into a picture: synthetic members of the forceps class.

A catheter enters from the border and tapers with depth; it ends in biopsy cups, a snare loop, a needle or nothing.
Cylinder shading, a highlight along it, a soft shadow beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Float32Array, Image
from haustra.lab.evaluate.degraded.degrade import inside_only

SHEATHS = (
    (235, 235, 230),
    (215, 222, 235),
    (150, 175, 225),
    (90, 150, 210),
    (225, 205, 90),
    (60, 62, 66),
    (170, 172, 175),
    (205, 195, 175),
    (120, 170, 130),
)
METAL = np.array([172, 176, 180], np.float32)
DARK_METAL = np.array([84, 86, 90], np.float32)


@dataclass(frozen=True)
class _Tube:
    """Entry point, unit direction, visible length, radius at the entry and at the tip, in pixels."""

    start: Float32Array
    direction: Float32Array
    length: float
    radius: float
    tip_radius: float

    @property
    def tip(self) -> Float32Array:
        return np.asarray(self.start + self.length * self.direction, np.float32)

    @property
    def side(self) -> Float32Array:
        return np.array([-self.direction[1], self.direction[0]], np.float32)


def draw_instrument(image: Image, rng: np.random.Generator) -> Image:
    """The picture with one instrument in it."""
    canvas = image.astype(np.float32)
    tube = _place(image.shape[0], rng)
    light = float(rng.uniform(0.55, 1.35))
    _shadow(canvas, tube, rng)
    end = rng.choice(["cups", "snare", "needle", "bare"], p=[0.45, 0.22, 0.08, 0.25])
    if end == "snare":
        _draw_snare(canvas, tube, light, rng)
    _draw_tube(canvas, tube, light, rng)
    if end == "cups":
        _draw_cups(canvas, tube, light, rng)
    elif end == "needle":
        tip = tube.tip + tube.direction * tube.length * rng.uniform(0.1, 0.3)
        cv2.line(canvas, _point(tube.tip), _point(tip), (METAL * light).tolist(), _thick(tube, 0.3), cv2.LINE_AA)
    if rng.random() < 0.5:
        canvas = cv2.GaussianBlur(canvas, (0, 0), image.shape[0] * rng.uniform(0.001, 0.004)).astype(np.float32)
    return inside_only(image, canvas)


def _place(size: int, rng: np.random.Generator) -> _Tube:
    """From just outside the border towards the middle, mostly from below, where the working channel opens."""
    where = rng.uniform(0, 2 * np.pi) if rng.random() < 0.3 else rng.uniform(0.15, 0.85) * np.pi
    outward = np.array([np.cos(where), np.sin(where)])
    start = size * (0.5 + 0.52 * outward)
    aim = size * (0.5 + rng.normal(0, 0.14, 2))
    direction = (aim - start) / np.linalg.norm(aim - start)
    radius = size * rng.uniform(0.018, 0.075)
    length = size * rng.uniform(0.14, 0.6)
    taper = rng.uniform(0.45, 0.95)
    return _Tube(
        start.astype(np.float32), direction.astype(np.float32), float(length), float(radius), float(radius * taper)
    )


def _draw_tube(canvas: Float32Array, tube: _Tube, light: float, rng: np.random.Generator) -> None:
    """Cylinder shading by the distance of each pixel to the axis."""
    along, across, radius = _coordinates(canvas.shape[0], tube)
    offset = across / radius
    cover = np.clip((radius - np.abs(across)) + 0.5, 0, 1) * np.clip(tube.length - along + 0.5, 0, 1)
    colour = np.array(SHEATHS[int(rng.integers(len(SHEATHS)))], np.float32) * rng.uniform(0.85, 1.1)
    shade = 0.35 + 0.65 * np.sqrt(np.clip(1 - offset**2, 0, 1))
    if rng.random() < 0.3:  # a coil instead of a smooth sheath
        shade = shade * (1 + 0.22 * np.sign(np.sin(2 * np.pi * along / max(3.0, tube.radius * 0.7))))
    bright = light * (1.25 - 0.5 * np.clip(along / tube.length, 0, 1))
    glint = np.exp(-(((offset - rng.uniform(-0.5, 0.5)) / rng.uniform(0.08, 0.25)) ** 2)) * rng.uniform(30, 170)
    surface = colour * (shade * bright)[..., None] + glint[..., None]
    if rng.random() < 0.4:  # a metal or coloured band at the end
        band = (along > tube.length * rng.uniform(0.8, 0.95))[..., None]
        surface = np.where(band, surface * rng.uniform(0.3, 0.8), surface)
    cover = (cover * (rng.uniform(0.6, 0.85) if rng.random() < 0.25 else 1.0))[..., None]  # some are translucent
    canvas[:] = canvas * (1 - cover) + np.clip(surface, 0, 255) * cover


def _draw_cups(canvas: Float32Array, tube: _Tube, light: float, rng: np.random.Generator) -> None:
    """Two open jaws, each a shaded ellipse with a dark hollow and a glint."""
    opening = rng.uniform(0.05, 1.0)
    length = tube.tip_radius * rng.uniform(2.0, 4.5)
    heading = np.arctan2(tube.direction[1], tube.direction[0])
    metal = (METAL if rng.random() < 0.7 else DARK_METAL) * light
    for sign in (-1, 1):
        turn = heading + sign * opening / 2
        axis = np.array([np.cos(turn), np.sin(turn)])
        centre = tube.tip + axis * length * 0.5 + sign * tube.side * tube.tip_radius * 0.35
        half = (max(1, int(length * 0.55)), max(1, int(tube.tip_radius * rng.uniform(0.45, 0.75))))
        degrees = float(np.degrees(turn))
        cv2.ellipse(canvas, _point(centre), half, degrees, 0, 360, (metal * 0.8).tolist(), -1, cv2.LINE_AA)
        inner = (max(1, int(half[0] * 0.7)), max(1, int(half[1] * 0.5)))
        hollow = centre - sign * tube.side * half[1] * 0.3
        cv2.ellipse(canvas, _point(hollow), inner, degrees, 0, 360, (metal * 0.35).tolist(), -1, cv2.LINE_AA)
        edge = centre + sign * tube.side * half[1] * 0.5
        glint = (max(1, int(half[0] * 0.6)), max(1, int(half[1] * 0.2)))
        cv2.ellipse(canvas, _point(edge), glint, degrees, 0, 360, (250, 250, 250), -1, cv2.LINE_AA)
    cv2.circle(canvas, _point(tube.tip), _thick(tube, 0.6), (metal * 0.55).tolist(), -1, cv2.LINE_AA)


def _draw_snare(canvas: Float32Array, tube: _Tube, light: float, rng: np.random.Generator) -> None:
    """A wire loop beyond the tip."""
    size = canvas.shape[0]
    half = (size * rng.uniform(0.08, 0.26), size * rng.uniform(0.04, 0.2))
    centre = tube.tip + tube.direction * half[0]
    degrees = float(np.degrees(np.arctan2(tube.direction[1], tube.direction[0])))
    axes = (max(2, int(half[0])), max(2, int(half[1])))
    width = max(1, round(size * rng.uniform(0.004, 0.011)))
    wire = METAL * light * rng.uniform(0.45, 1.0)
    cv2.ellipse(canvas, _point(centre), axes, degrees, 0, 360, wire.tolist(), width, cv2.LINE_AA)
    first = float(rng.uniform(0, 300))
    cv2.ellipse(canvas, _point(centre), axes, degrees, first, first + 60, (245, 245, 240), 1, cv2.LINE_AA)


def _shadow(canvas: Float32Array, tube: _Tube, rng: np.random.Generator) -> None:
    moved = _Tube(
        np.asarray(tube.start + tube.side * tube.radius * rng.uniform(-2.5, 2.5), np.float32),
        tube.direction,
        tube.length,
        tube.radius,
        tube.tip_radius,
    )
    along, across, radius = _coordinates(canvas.shape[0], moved)
    dark = np.exp(-((across / (1.3 * radius)) ** 2)) * np.clip((tube.length - along) / tube.radius, 0, 1)
    canvas *= (1 - rng.uniform(0.0, 0.6) * dark)[..., None]


def _coordinates(size: int, tube: _Tube) -> tuple[Float32Array, Float32Array, Float32Array]:
    """Of each pixel: distance along the axis, across it, and the tube's radius there."""
    y, x = np.mgrid[:size, :size].astype(np.float32)
    dx, dy = x - tube.start[0], y - tube.start[1]
    along = dx * tube.direction[0] + dy * tube.direction[1]
    across = dx * tube.side[0] + dy * tube.side[1]
    share = np.clip(along / tube.length, 0, 1)
    return along, across, np.asarray(tube.radius + (tube.tip_radius - tube.radius) * share, np.float32)


def _point(where: NDArray[np.generic]) -> tuple[int, int]:
    x, y = np.asarray(where, np.float64)
    return round(float(x)), round(float(y))


def _thick(tube: _Tube, share: float) -> int:
    return max(1, round(tube.tip_radius * share))
