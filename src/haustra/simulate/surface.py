"""What lies at a place of the wall: tissue with its vessels, stool and foam on it, fluid over it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import njit
from .mucosa import Look
from .textures import LEVELS, SIZE, TILE_MM, TILE_TEXELS
from .wall import pole_profile

TEXELS_PER_MM = SIZE / TILE_MM
# Rows around the blind pole whose texture lies flat across the tube, for the columns of the grid meet there.
POLE_ROWS = 16

Array = NDArray[Any]
Four = tuple[float, float, float, float]
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


def texels_of(look: Look) -> NDArray[np.uint8]:
    """Both tiles, mucosa first, all mip levels."""
    return np.concatenate([look.mucosa.texels, look.remnants.texels])


def _tuple(values: Array) -> Any:
    return tuple(float(v) for v in values)


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _blend(a: Four, b: Four, share: float) -> Four:
    return (
        a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]),
        a[2] + share * (b[2] - a[2]), a[3] + share * (b[3] - a[3]),
    )  # fmt: skip


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _read(texels: Array, at: int) -> Four:
    return float(texels[at, 0]), float(texels[at, 1]), float(texels[at, 2]), float(texels[at, 3])


@njit(cache=True, nogil=True, fastmath=True)
def _texel(texels: Array, tile: int, level: int, row: float, col: float) -> Four:
    """Bilinear sample of one mip level, wrapped both ways."""
    size = SIZE >> level
    offset = tile + (SIZE * SIZE - size * size) * 4 // 3  # the levels before this one
    scale = 1.0 / (1 << level)
    y, x = row * scale - 0.5, col * scale - 0.5
    i, j = math.floor(y), math.floor(x)
    fy, fx = y - i, x - j
    mask = size - 1
    top, bottom = offset + (int(i) & mask) * size, offset + ((int(i) + 1) & mask) * size
    left, right = int(j) & mask, (int(j) + 1) & mask
    upper = _blend(_read(texels, top + left), _read(texels, top + right), fx)
    lower = _blend(_read(texels, bottom + left), _read(texels, bottom + right), fx)
    return _blend(upper, lower, fy)


@njit(cache=True, nogil=True, fastmath=True)
def _trilinear(texels: Array, tile: int, lod: float, row: float, col: float) -> Four:
    """Two mip levels blended, so texture does not jump when the camera moves."""
    level = min(int(lod), LEVELS - 2)
    near = _texel(texels, tile, level, row, col)
    far = _texel(texels, tile, level + 1, row, col)
    return _blend(near, far, min(lod - level, 1.0))


@njit(cache=True, nogil=True, fastmath=True)
def _sample(
    texels: Array, tile: int, pole_mm: float, lod: float, row: float, col: float, cols: int, zoom: float
) -> Four:
    """Texture at a place of the grid, slopes centred on 0; `zoom` > 1 shows it smaller along the tube."""
    a, b, c, d = _trilinear(texels, tile, lod, row * (TEXELS_PER_MM * zoom), col * (SIZE / cols))
    c, d = c - 128.0, d - 128.0
    if row >= POLE_ROWS:
        return a, b, c, d
    turn = col * (2 * math.pi / cols)
    sin, cos = math.sin(turn), math.cos(turn)
    ring = math.floor(row)
    inner, outer = pole_profile(ring / pole_mm), pole_profile((ring + 1.0) / pole_mm)
    radius = (inner + (outer - inner) * (row - ring)) * pole_mm * TEXELS_PER_MM * zoom
    first, second, down, right = _trilinear(texels, tile, lod, radius * sin, radius * cos)
    down, right = down - 128.0, right - 128.0
    flat = (first, second, down * sin + right * cos, down * cos - right * sin)
    return _blend(flat, (a, b, c, d), smoothstep(0.5 * POLE_ROWS, POLE_ROWS, row))


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def smoothstep(low: float, high: float, x: float) -> float:
    t = min(max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


@njit(cache=True, nogil=True, fastmath=True)
def tissue_at(
    texels: Array, material: Material, lod: float, row: float, col: float, cols: int, visible: float
) -> tuple[float, float, float, float, float]:
    """Factors of the mucosa's r, g, b and the two slopes; `visible` vessels take green and blue light away."""
    vessel, tone, along, around = _sample(texels, 0, material.pole_mm, lod, row, col, cols, 1.0)
    vessel *= visible / 255.0
    tone = 1.0 + material.mottle * (tone - 128.0) * (0.055 / 30.0)
    return tone * (1 - 0.38 * vessel), tone * (1 - 0.80 * vessel), tone * (1 - 0.72 * vessel), along, around


@njit(cache=True, nogil=True, fastmath=True)
def remnants_at(
    texels: Array, material: Material, lod: float, row: float, col: float, cols: int, stool: float, foam: float
) -> tuple[float, float, float, float, float, float]:
    """How much stool and how much foam cover the tissue, the tone of each, and their slopes.

    Stool is a thin stain around thick clumps; foam is bubbles with bright rims.
    """
    bubble, clump, along, around = _sample(texels, TILE_TEXELS, material.pole_mm, lod, row, col, cols, 0.75)
    clump = (clump - 128.0) * (1 / 40.0)
    stain = stool + 0.55 * clump
    cover = 0.30 * smoothstep(-0.5, 0.3, stain) + 0.62 * smoothstep(0.1, 0.45, stain)
    froth = 0.85 * smoothstep(0.0, 0.3, foam + 0.25 * clump) * min(1.0, bubble / 90.0)
    return cover, froth, 0.8 + 0.14 * clump, bubble / 255.0, along, around


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def under_remnants(own: float, stool: float, white: float, cover: float, froth: float) -> float:
    """One colour channel under stool of colour `stool` and foam of brightness `white`."""
    own += cover * (stool - own)
    return own + froth * (white - 0.3 * own)


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def under_fluid(own: float, fluid: float, murk: float) -> float:
    """One colour channel seen through fluid: the murkier the more of the fluid's own colour."""
    return own + murk * (fluid * 0.75 * (0.5 + 0.5 * own) - own)
