"""The endoscope: lens, picture on the screen, lamps and the tuning of its processor, drawn around real instruments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera.model import Camera
from haustra.camera.presets import MEASURED
from haustra.core.arrays import FloatArray

MaskShape = Literal["octagon", "round", "square"]

# Real lenses that simulated ones lie between, and the radius of the picture that is their unit.
_RADII = {"olympus-cf-hq190l": 640.0, "mirocam": 150.0, "pillcam": 120.0}


def _in_units(camera: Camera, radius: float) -> list[float]:
    """Scaramuzza coefficients a0, a2, a3, a4 with the radius as unit."""
    a0, _, a2, a3, a4 = camera.coefficients
    return [a0 / radius, a2 * radius, a3 * radius**2, a4 * radius**3]


_LENSES = np.array([_in_units(MEASURED[name], radius) for name, radius in _RADII.items()])


@dataclass(frozen=True, eq=False)
class Scope:
    """One endoscope and processor. `box` is the picture in the frame (x, y, width, height); lengths in mm."""

    seed: int
    camera: Camera
    mask: NDArray[np.bool_]
    box: tuple[int, int, int, int]
    lights: FloatArray
    shape: MaskShape
    target: float
    exposure_lag: float
    gamma: float
    contrast: float
    saturation: float
    balance: FloatArray
    vignetting: float
    noise: float
    sharpening: float
    bloom: float
    blur: float
    surround: float
    text: bool
    inset: bool
    narrow_band: bool = False
    cap: float = 0.0  # radius of its edge as a share of the picture's half diagonal; 0: none
    banner: float = 0.0  # height as a share of the box, at the bottom, negative: at the top
    picture_in_picture: bool = False
    interlaced: bool = False

    @property
    def width(self) -> int:
        """Of the frame, in pixels."""
        return self.camera.width

    @property
    def height(self) -> int:
        """Of the frame, in pixels."""
        return self.camera.height


def make_scope(seed: int, width: int, height: int) -> Scope:
    """The same seed gives the same instrument at every size."""
    rng = np.random.default_rng([seed, 303])
    box = _picture_box(rng, width, height)
    shape: MaskShape = rng.choice(np.array(["octagon", "octagon", "round", "square"]))
    mask = _mask(rng, shape, box, width, height)
    camera = _camera(rng, box, mask, width, height)
    inset = bool(rng.random() < 0.3)
    return Scope(
        seed=seed,
        camera=camera,
        mask=mask,
        box=box,
        lights=_lights(rng),
        shape=shape,
        target=float(rng.uniform(0.27, 0.45)),
        exposure_lag=float(rng.uniform(0.75, 0.93)),
        gamma=float(rng.uniform(1.8, 2.4)),
        contrast=float(rng.uniform(-0.1, 0.4)),
        saturation=float(rng.uniform(1.1, 1.6)),
        balance=np.array([1.0, 1.0, 1.0]) * np.exp(rng.normal(0.0, [0.05, 0.06, 0.12])),
        vignetting=float(rng.uniform(0.1, 0.5)),
        noise=float(np.exp(rng.uniform(np.log(0.003), np.log(0.014)))),
        sharpening=float(rng.uniform(0.3, 1.6)),
        bloom=float(rng.uniform(0.05, 0.35)),
        blur=float(rng.uniform(0.3, 0.7)),
        surround=float(rng.choice([0.0, 0.0, rng.uniform(0.0, 0.06)])),
        text=bool(rng.random() < 0.5),
        inset=inset,
    )


def _picture_box(rng: np.random.Generator, width: int, height: int) -> tuple[int, int, int, int]:
    """As on real recordings: full height, black bars at the sides, often more on the left, where the text stands."""
    share, aspect, place = (
        rng.uniform(0.95, 1.0),
        rng.uniform(1.0, 1.28),
        rng.choice([0.5, 0.5, rng.uniform(0.5, 0.95)]),
    )
    h = round(height * share)
    w = min(round(h * aspect), round(width * share))
    if w < h:
        h = max(w, round(h * min(1.0, w * 1.25 / h)))
    return round((width - w) * place), (height - h) // 2, w, h


def _mask(
    rng: np.random.Generator, shape: MaskShape, box: tuple[int, int, int, int], width: int, height: int
) -> NDArray[np.bool_]:
    x, y, w, h = box
    cut = rng.uniform(0.18, 0.30) if shape == "octagon" else rng.uniform(0.03, 0.10)
    reach = rng.uniform(1.0, 1.08)
    if shape == "round":
        rows, cols = np.mgrid[0:height, 0:width]
        radius = 0.5 * min(w, h) * reach
        disc = np.hypot(cols - x - (w - 1) / 2, rows - y - (h - 1) / 2) <= radius
        inside = (cols >= x) & (cols < x + w) & (rows >= y) & (rows < y + h)
        return np.asarray(disc & inside)
    c = cut * min(w, h)
    right, bottom = x + w - 1, y + h - 1
    corners = [(x + c, y), (right - c, y), (right, y + c), (right, bottom - c), (right - c, bottom), (x + c, bottom),
               (x, bottom - c), (x, y + c)]  # fmt: skip
    filled = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(filled, np.round(np.array(corners) * 16).astype(np.int32), 1, shift=4)
    return filled.astype(bool)


def _camera(
    rng: np.random.Generator, box: tuple[int, int, int, int], mask: NDArray[np.bool_], width: int, height: int
) -> Camera:
    """A lens between the real ones, scaled so that the farthest pixel of the picture sees half the field of view."""
    x, y, w, h = box
    field = rng.uniform(130.0, 170.0)
    unit = rng.dirichlet([1.2, 0.6, 0.6]) @ _LENSES * np.exp(rng.normal(0.0, [0.02, 0.05, 0.05, 0.05]))
    offset = rng.normal(0.0, 0.008, 2) * min(w, h)
    center = (x + (w - 1) / 2 + offset[0], y + (h - 1) / 2 + offset[1])
    stretch = ((1.0 + rng.normal(0.0, 0.002), rng.normal(0.0, 0.002)), (rng.normal(0.0, 0.002), 1.0))
    rows, cols = np.nonzero(mask)
    uv = np.stack([cols - center[0], rows - center[1]], axis=1) @ np.linalg.inv(np.asarray(stretch)).T
    farthest = float(np.hypot(uv[:, 0], uv[:, 1]).max())
    scale = farthest / _radius_at(unit, np.radians(field / 2))
    a0, a2, a3, a4 = unit
    coefficients = (a0 * scale, 0.0, a2 / scale, a3 / scale**2, a4 / scale**3)
    return Camera(width, height, center, coefficients, stretch)


def _radius_at(unit: FloatArray, angle: float) -> float:
    """Radius in units of the lens at which the ray leaves the axis by `angle`."""
    r = np.linspace(0.0, 2.0, 4001)
    angles = np.arctan2(r, unit[0] + unit[1] * r**2 + unit[2] * r**3 + unit[3] * r**4)
    return float(r[np.argmax(angles >= angle)])


def _lights(rng: np.random.Generator) -> FloatArray:
    """Two or three light guides 3-5 mm beside the lens: x, y, z, intensity."""
    count = int(rng.choice([1, 2, 2, 3]))
    turn = rng.uniform(0, 2 * np.pi) + np.arange(count) * 2 * np.pi / count + rng.normal(0.0, 0.25, count)
    away = rng.uniform(2.6, 4.8, count)
    power = rng.uniform(0.8, 1.2, count)
    return np.stack([away * np.cos(turn), away * np.sin(turn), np.full(count, -0.4), power / power.sum()], axis=1)
