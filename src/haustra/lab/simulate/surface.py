"""What lies at a place of the wall: tissue with its vessels, stool and foam on it, fluid over it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import njit
from .mucosa import FLUID, FOAM, STOOL, VESSELS, Look
from .texture_samples import LOD, Array, sample_texture, smoothstep
from .textures import GRADIENT_SCALE, TILE_TEXELS

# Rows of what a block of pixels gets: slopes along the tube and around the lumen, alpha^2 and strength of highlights.
ALONG, AROUND, ALPHA2, STRENGTH, FINISH = 0, 1, 2, 3, 4
# Fresnel reflection of a wet surface seen along its normal, with the headroom that real highlights show.
_WET = 0.075
_MURK_PER_MM = 0.13
_CLEAN = -0.8  # below it neither stool nor foam can show

Vector = tuple[float, float, float]


class Material(NamedTuple):
    """The numbers of a `Look` for numba: no arrays, since numba counts references of every array it unpacks."""

    stool: Vector
    fluid: Vector
    pole_mm: float
    roughness: float
    wetness: float
    bump: float
    mottle: float


def material_of(look: Look, pole_mm: float) -> Material:
    """The shader's view of a patient's look; `pole_mm` is the radius of the blind pole."""
    return Material(
        _tuple(look.stool_colour), _tuple(look.fluid_colour), pole_mm, look.roughness, look.wetness, look.bump,
        look.mottle,
    )  # fmt: skip


def texels_of(look: Look) -> NDArray[np.int32]:
    """Both tiles, mucosa first, all mip levels; the four bytes of a texel as one number, first channel lowest."""
    texels = np.concatenate([look.mucosa.texels, look.remnants.texels])
    return texels.view("<i4").astype(np.int32).reshape(-1)


def _tuple(values: Array) -> Any:
    return tuple(float(v) for v in values)


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _tissue(
    count: int, variances: Array, material: Material, place: Array, sample: Array, region: Array, finish: Array
) -> None:
    """Mottled mucosa, whose vessels take green and blue light away; the slopes are those of its relief."""
    for i in range(count):
        vessel = sample[0, i] * region[VESSELS, i] / 255.0
        tone = 1.0 + material.mottle * (sample[1, i] - 128.0) * (0.055 / 30.0)
        region[0, i] *= tone * (1 - 0.38 * vessel)
        region[1, i] *= tone * (1 - 0.80 * vessel)
        region[2, i] *= tone * (1 - 0.72 * vessel)
        finish[ALONG, i], finish[AROUND, i] = sample[2, i], sample[3, i]
        finish[ALPHA2, i] = variances[0, int(place[LOD, i] + 0.5)]


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _remnants(
    count: int, variances: Array, material: Material, place: Array, sample: Array, region: Array, finish: Array,
    covered: Array,
) -> None:  # fmt: skip
    """Stool, a thin stain around thick clumps, and foam, bubbles with bright rims, over the tissue of a block."""
    for i in range(count):
        bubble, clump = sample[0, i], (sample[1, i] - 128.0) * (1 / 40.0)
        stain, present = region[STOOL, i] + 0.55 * clump, max(region[STOOL, i], region[FOAM, i]) > _CLEAN
        cover = 0.30 * smoothstep(-0.5, 0.3, stain) + 0.62 * smoothstep(0.1, 0.45, stain)
        froth = 0.85 * smoothstep(0.0, 0.3, region[FOAM, i] + 0.25 * clump) * min(1.0, bubble / 90.0)
        cover, froth = (cover, froth) if present else (0.0, 0.0)
        tone, white = 0.8 + 0.14 * clump, bubble / 255.0
        region[0, i] = under_remnants(region[0, i], material.stool[0] * tone, 0.70 * white, cover, froth)
        region[1, i] = under_remnants(region[1, i], material.stool[1] * tone, 0.58 * white, cover, froth)
        region[2, i] = under_remnants(region[2, i], material.stool[2] * tone, 0.46 * white, cover, froth)
        mix = max(cover, froth)
        finish[ALONG, i] += mix * (sample[2, i] - finish[ALONG, i])
        finish[AROUND, i] += mix * (sample[3, i] - finish[AROUND, i])
        finish[ALPHA2, i] += mix * (variances[1, int(place[LOD, i] + 0.5)] - finish[ALPHA2, i])
        covered[0, i], covered[1, i] = cover, froth


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy", inline="always")
def under_remnants(own: float, stool: float, white: float, cover: float, froth: float) -> float:
    """One colour channel under stool of colour `stool` and foam of brightness `white`."""
    own += cover * (stool - own)
    return own + froth * (white - 0.3 * own)


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy", inline="always")
def under_fluid(own: float, fluid: float, murk: float) -> float:
    """One colour channel seen through fluid: the murkier the more of the fluid's own colour."""
    return own + murk * (fluid * 0.75 * (0.5 + 0.5 * own) - own)


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _fluid(count: int, material: Material, region: Array, covered: Array, calm: Array) -> None:
    """Pools tint what lies under them and smooth its relief; foam on them stays rough."""
    for i in range(count):
        depth = region[FLUID, i]
        calm[i] = 1.0
        if depth > 0.0:
            murk = 1.0 - math.exp(-_MURK_PER_MM * depth)
            for q in range(3):
                region[q, i] = under_fluid(region[q, i], material.fluid[q], murk)
            calm[i] = max(math.exp(-2.5 * depth), 0.06 + covered[1, i])


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def cover_surface(
    count: int, texels: Array, variances: Array, material: Material, cols: int, place: Array, region: Array,
    finish: Array,
) -> None:  # fmt: skip
    """Albedo (into the first three rows of `region`), slopes and highlights (`finish`) at the places of a block."""
    sample, covered, calm = np.empty((4, count)), np.zeros((2, count)), np.empty(count)
    sample_texture(count, texels, 0, material.pole_mm, cols, 1.0, place, sample)
    _tissue(count, variances, material, place, sample, region, finish)
    dirty = False
    for i in range(count):
        dirty = dirty or max(region[STOOL, i], region[FOAM, i]) > _CLEAN
    if dirty:
        sample_texture(count, texels, TILE_TEXELS, material.pole_mm, cols, 0.75, place, sample)
        _remnants(count, variances, material, place, sample, region, finish, covered)
    _fluid(count, material, region, covered, calm)
    for i in range(count):
        steep = material.bump * calm[i]
        alpha = material.roughness + 0.25 * covered[0, i] * (1 - 0.5 * calm[i])
        # Slopes that a coarse mip level has averaged away come back as roughness (Toksvig's idea).
        finish[ALPHA2, i] = alpha * alpha + 0.5 * steep * steep * finish[ALPHA2, i]
        finish[ALONG, i] *= steep / GRADIENT_SCALE
        finish[AROUND, i] *= steep / GRADIENT_SCALE
        finish[STRENGTH, i] = _WET * material.wetness * (1 - 0.7 * covered[0, i])
