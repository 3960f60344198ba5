"""The wide world: what real recordings show and the plain world does not.

The plain world is one style of body, mucosa, processor and hand. The wide one draws each of these from a range that
holds the real ones: calibre from half to one and a half of normal, changing along the colon and over time; long and
short colons; hasty and patient operators; any colour and texture; narrow-band light; a cap at the rim; banners and
pictures inside the picture; interlaced recorders. Every draw has a stream of its own: plain worlds stay what they were.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from scipy.ndimage import gaussian_filter1d

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.segments import LUMEN_DIAMETER_MM
from haustra.lab.simulate.mucosa import Look
from haustra.lab.simulate.scope import Scope
from haustra.lab.simulate.textures import make_mucosa_tile
from haustra.lab.simulate.wall import PLAIN_DIAMETER_MM
from haustra.lab.simulate.wall_motion import WallMotion

WorldName = Literal["plain", "wide"]
WORLDS: tuple[WorldName, ...] = get_args(WorldName)

# Diameters of real colons over those of the plain world, for each segment.
_TAPER = np.array(LUMEN_DIAMETER_MM) / np.array(PLAIN_DIAMETER_MM)
_NARROWEST, _WIDEST = 0.5, 1.5


def check_world(world: str) -> WorldName:
    """The name of a world, or a word about the ones there are."""
    for known in WORLDS:
        if world == known:
            return known
    raise HaustraError(f"no world '{world}': choose one of {', '.join(WORLDS)}")


@dataclass(frozen=True)
class Build:
    """How a body differs from the plain world's: length as a share; calibre as a share along the arc."""

    length: float
    overall: float
    seed: int

    def distension(self, boundaries_mm: FloatArray, n: int) -> FloatArray:
        """Share of the plain calibre at every mm: taper, air that lies unevenly, and stretches that have collapsed."""
        rng = np.random.default_rng([self.seed, 112])
        segment = np.searchsorted(boundaries_mm[1:-1], np.arange(n), side="right")
        taper = gaussian_filter1d(_TAPER[segment], 12.0, mode="nearest")
        waves = gaussian_filter1d(rng.standard_normal(n), 55.0, mode="nearest")
        share = self.overall * np.exp(0.2 * waves / waves.std())
        for _ in range(int(rng.integers(0, 4))):
            at, reach = rng.uniform(0.0, n), rng.uniform(15.0, 50.0)
            share *= 1 - rng.uniform(0.2, 0.55) * np.exp(-0.5 * ((np.arange(n) - at) / reach) ** 2)
        return np.asarray(taper * np.clip(share, _NARROWEST, _WIDEST), np.float64)


def wide_build(seed: int) -> Build:
    """From a short, collapsed colon to a long, over-distended one."""
    rng = np.random.default_rng([seed, 111])
    return Build(float(rng.uniform(0.65, 1.45)), float(np.exp(rng.uniform(np.log(0.62), np.log(1.4)))), seed)


def widen_look(look: Look) -> Look:
    """Textures, colours and wetness far beyond the plain ones, so that no cue of one renderer is worth learning."""
    rng = np.random.default_rng([look.seed, 212])
    tint = np.exp(rng.normal(0.0, 0.25, 3)) if rng.random() < 0.5 else np.ones(3)
    return replace(
        look,
        mucosa=make_mucosa_tile(rng, granular=float(rng.uniform(0.0, 2.5))) if rng.random() < 0.6 else look.mucosa,
        colour=np.clip(look.colour * tint, 0.05, 0.95),
        colour_far=np.clip(look.colour_far * tint * np.exp(rng.normal(0.0, 0.1, 3)), 0.05, 0.95),
        redness_noise=float(rng.uniform(0.0, 0.25)),
        vessels=float(rng.uniform(0.0, 2.2)),
        foam=float(rng.choice([look.foam, 1.4], p=[0.8, 0.2])),
        roughness=float(np.exp(rng.uniform(np.log(0.025), np.log(0.3)))),
        wetness=float(np.exp(rng.uniform(np.log(0.1), np.log(2.5)))),
        bump=float(np.exp(rng.uniform(np.log(0.12), np.log(1.8)))),
        mottle=float(np.exp(rng.uniform(np.log(0.2), np.log(3.0)))),
    )


def widen_scope(scope: Scope) -> Scope:
    """Other processors, lamps and recorders around the same lens."""
    rng = np.random.default_rng([scope.seed, 313])
    lights = scope.lights.copy()
    lights[:, 3] *= np.exp(rng.normal(0.0, 0.5, len(lights)))
    lights[:, 3] /= lights[:, 3].sum()
    banner = float(rng.uniform(0.05, 0.12)) if rng.random() < 0.2 else 0.0
    return replace(
        scope,
        lights=lights,
        target=float(rng.uniform(0.2, 0.55)),
        gamma=float(rng.uniform(1.4, 2.8)),
        contrast=float(rng.uniform(-0.3, 0.7)),
        saturation=float(rng.uniform(0.5, 1.9)),
        balance=np.exp(rng.normal(0.0, [0.15, 0.15, 0.25])),
        vignetting=float(rng.uniform(0.0, 0.8)),
        noise=float(np.exp(rng.uniform(np.log(0.002), np.log(0.03)))),
        sharpening=float(rng.uniform(0.0, 2.0)),
        blur=float(rng.uniform(0.3, 1.1)),
        narrow_band=bool(rng.random() < 0.15),
        cap=float(rng.uniform(0.78, 0.95)) if rng.random() < 0.15 else 0.0,
        banner=banner if rng.random() < 0.5 else -banner,
        picture_in_picture=bool(rng.random() < 0.1),
        interlaced=bool(rng.random() < 0.2),
    )


def wide_wall_motion(seed: int, always: bool) -> WallMotion | None:
    """A living wall in some patients (in all when `always`): breath, contractions, and air that comes and goes."""
    rng = np.random.default_rng([seed, 414])
    if not (rng.random() < 0.35 or always):
        return None
    return WallMotion(
        seed,
        breathing_mm=float(rng.uniform(0.2, 2.5)),
        breathing_period_s=float(rng.uniform(3.0, 6.0)),
        peristalsis=float(rng.uniform(0.0, 0.12)),
        insufflation=float(rng.uniform(0.0, 0.15)),
        insufflation_period_s=float(rng.uniform(15.0, 60.0)),
    )
