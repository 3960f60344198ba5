"""The look of a patient: textures of the mucosa and how colour, vessels and remnants change along the colon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from haustra.core.arrays import FloatArray

from .colon import Colon
from .textures import Tile, make_mucosa_tile, make_remnant_tile
from .wall import N_THETA, soften_pole

# Linear albedo of healthy and less healthy mucosa: pale pink, pink, red, orange, brown, grey-pink.
_PALETTE = np.array(
    [[0.80, 0.47, 0.38], [0.74, 0.36, 0.27], [0.66, 0.24, 0.16], [0.78, 0.38, 0.18], [0.60, 0.32, 0.15],
     [0.60, 0.41, 0.34]]
)  # fmt: skip
_STOOL = np.array([[0.70, 0.41, 0.10], [0.45, 0.23, 0.07], [0.46, 0.34, 0.09], [0.78, 0.55, 0.28]])
# Names of the channels of `regions`: albedo r, g, b, then these.
VESSELS, STOOL, FOAM, FLUID, OPEN = 3, 4, 5, 6, 7
CHANNELS = 8


@dataclass(frozen=True, eq=False)
class Look:
    """Everything about a patient's mucosa that does not depend on the shape of the colon."""

    seed: int
    mucosa: Tile
    remnants: Tile
    colour: FloatArray
    colour_far: FloatArray
    redness_noise: float
    vessels: float
    inflamed: float
    stool: float
    stool_colour: FloatArray
    foam: float
    fluid_colour: FloatArray
    roughness: float
    wetness: float
    bump: float
    mottle: float


def make_look(seed: int) -> Look:
    """Pale to red to brown, clean to dirty, dry to wet, healthy to inflamed: wide on purpose."""
    rng = np.random.default_rng([seed, 202])
    inflamed = float(rng.uniform(0.4, 1.0)) if rng.random() < 0.2 else 0.0
    colour = rng.dirichlet(np.full(len(_PALETTE), 0.45)) @ _PALETTE * rng.uniform(0.85, 1.1)
    far = 0.65 * colour + 0.35 * rng.dirichlet(np.full(len(_PALETTE), 0.45)) @ _PALETTE
    dirt = rng.choice([0.0, 0.35, 0.8], p=[0.4, 0.4, 0.2]) * rng.uniform(0.7, 1.2)
    return Look(
        seed=seed,
        mucosa=make_mucosa_tile(rng, granular=inflamed),
        remnants=make_remnant_tile(rng),
        colour=colour,
        colour_far=far,
        redness_noise=float(rng.uniform(0.04, 0.13)),
        vessels=float(rng.uniform(0.25, 1.1)),
        inflamed=inflamed,
        stool=float(dirt),
        stool_colour=rng.dirichlet(np.full(4, 0.6)) @ _STOOL,
        foam=float(rng.choice([0.0, 0.4, 0.9], p=[0.55, 0.3, 0.15])),
        fluid_colour=np.array([0.75, 0.60, 0.22]) * rng.uniform([0.6, 0.55, 0.3], [1.2, 1.1, 1.6]),
        roughness=float(rng.uniform(0.035, 0.10)),
        wetness=float(rng.uniform(0.5, 1.4)),
        bump=float(np.exp(rng.uniform(np.log(0.35), np.log(1.05)))),
        mottle=float(rng.uniform(0.5, 1.3)),
    )


def regions(look: Look, colon: Colon) -> NDArray[np.float32]:
    """Albedo, visibility of vessels, stool, foam, fluid depth and openness at every grid point of the wall."""
    rng = np.random.default_rng([look.seed, 203])
    n = len(colon.centreline_mm)
    along = _noise(rng, n, 90.0, 60.0) * 0.5 + np.linspace(-1, 1, n)[:, None]
    share = np.clip(0.5 + 0.35 * along, 0.0, 1.0)[..., None]
    albedo = look.colour * (1 - share) + look.colour_far * share
    red = look.redness_noise * (_noise(rng, n, 14.0, 14.0) + 0.7 * _noise(rng, n, 5.0, 6.0)) + 0.22 * look.inflamed
    red = red + 0.18 * colon.wall.polyp * rng.uniform(0.0, 1.6)
    albedo = albedo * np.stack([1 + 0.25 * red, 1 - 0.9 * red, 1 - 0.9 * red], axis=-1)
    out = np.empty((n, N_THETA, CHANNELS), np.float32)
    out[..., :3] = np.clip(albedo, 0.03, 0.95)
    fade = np.clip(0.6 + 0.5 * _noise(rng, n, 25.0, 25.0), 0.0, 1.2)
    out[..., VESSELS] = look.vessels * fade * (1 - 0.95 * look.inflamed) * (1 - 0.4 * colon.wall.polyp)
    out[..., STOOL] = _patches(rng, n, 13.0, look.stool)
    floating = np.where(colon.wall.fluid_mm > 0.05, 0.7, 0.0)
    out[..., FOAM] = np.clip(_patches(rng, n, 11.0, look.foam) + floating, -1.0, 1.0)
    out[..., FLUID] = colon.wall.fluid_mm
    # Light from all around reaches a crest more easily than the bottom of a haustrum.
    out[..., OPEN] = np.clip(0.85 + 0.055 * colon.wall.hollow_mm, 0.35, 1.05)
    return out


def _noise(rng: np.random.Generator, n: int, arc_mm: float, steps: float) -> FloatArray:
    """Smooth unit-variance noise on the wall; drawn on a coarse grid where it is very smooth."""
    shrink = max(1, int(min(arc_mm, steps) / 4))
    shape = (-(-n // shrink) + 1, N_THETA // shrink)
    raw = gaussian_filter(rng.standard_normal(shape), (arc_mm / shrink, steps / shrink), mode=("reflect", "wrap"))
    raw = (raw - raw.mean()) / raw.std()
    wide = np.concatenate([raw, raw[:, :1]], axis=1)
    columns = np.arange(N_THETA) * (shape[1] / N_THETA)
    rows = np.arange(n) / shrink
    grid = np.meshgrid(columns.astype(np.float32), rows.astype(np.float32))
    noise = cv2.remap(wide.astype(np.float32), grid[0], grid[1], cv2.INTER_LINEAR)
    return soften_pole(np.asarray(noise, np.float64))


def _patches(rng: np.random.Generator, n: int, size_mm: float, amount: float) -> NDArray[Any]:
    """-1 (none) .. 1 (covered): patches whose share of the wall grows with `amount`, in stretches along the colon."""
    if amount <= 0.0:
        return np.full((n, N_THETA), -1.0)
    stretches = _noise(rng, n, 60.0, 200.0)
    return np.clip(_noise(rng, n, size_mm, size_mm) + 0.8 * stretches - 2.6 + 1.7 * amount, -1.0, 1.0)
