"""Samples of the tiling textures at places of the wall, block by block: trilinear, and laid flat at the blind pole."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiled import njit
from .textures import LEVELS, SIZE, TILE_MM
from .wall import pole_profile

TEXELS_PER_MM = SIZE / TILE_MM
# Rows around the blind pole whose texture lies flat across the tube, for the columns of the grid meet there.
POLE_ROWS = 16
# Rows of a block's places: row and column of the grid (fractional) and the mip level.
ROW, COL, LOD, PLACE = 0, 1, 2, 3

Array = NDArray[Any]


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy", inline="always")
def _find(texels: Array, tile: int, level: int, i: int, place: Array, packed: Array, weight: Array, c: int) -> None:
    """The four texels around a place of one mip level, wrapped both ways, and their bilinear weights."""
    size = SIZE >> level
    offset = tile + (SIZE * SIZE - size * size) * 4 // 3  # the levels before this one
    scale = 1.0 / (1 << level)
    # Places at the pole lie up to one tile below zero; the size more keeps them positive, where int() is the floor.
    y, x = place[ROW, i] * scale + (size - 0.5), place[COL, i] * scale + (size - 0.5)
    row, col = int(y), int(x)
    fy, fx = y - row, x - col
    mask = size - 1
    top, bottom = offset + (row & mask) * size, offset + ((row + 1) & mask) * size
    left, right = col & mask, (col + 1) & mask
    packed[c, i], weight[c, i] = texels[top + left], (1 - fy) * (1 - fx)
    packed[c + 1, i], weight[c + 1, i] = texels[top + right], (1 - fy) * fx
    packed[c + 2, i], weight[c + 2, i] = texels[bottom + left], fy * (1 - fx)
    packed[c + 3, i], weight[c + 3, i] = texels[bottom + right], fy * fx


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _trilinear(count: int, texels: Array, tile: int, place: Array, sample: Array) -> None:
    """Two mip levels blended, so texture does not jump when the camera moves; slopes are centred on 0.

    First every texel is fetched with its weight, then the sums run over the block: the second part has no branches and
    no scattered reads, so that the compiler makes vector instructions of it.
    """
    packed, weight = np.empty((8, count), np.int32), np.empty((8, count))
    for i in range(count):
        level = min(int(place[LOD, i]), LEVELS - 2)
        _find(texels, tile, level, i, place, packed, weight, 0)
        _find(texels, tile, level + 1, i, place, packed, weight, 4)
    for i in range(count):
        far = min(place[LOD, i] - min(int(place[LOD, i]), LEVELS - 2), 1.0)
        a, b, c, d = 0.0, 0.0, -128.0, -128.0
        for q in range(8):
            share, texel = weight[q, i] * (1.0 - far if q < 4 else far), packed[q, i]
            a += share * (texel & 255)
            b += share * ((texel >> 8) & 255)
            c += share * ((texel >> 16) & 255)
            d += share * ((texel >> 24) & 255)
        sample[0, i], sample[1, i], sample[2, i], sample[3, i] = a, b, c, d


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def sample_texture(
    count: int, texels: Array, tile: int, pole_mm: float, cols: int, zoom: float, place: Array, sample: Array
) -> None:
    """Texture at the places of a block; `zoom` > 1 shows it smaller along the tube."""
    texel_place, near_pole = np.empty((PLACE, count)), 0
    for i in range(count):
        texel_place[ROW, i], texel_place[COL, i] = place[ROW, i] * (TEXELS_PER_MM * zoom), place[COL, i] * (SIZE / cols)
        texel_place[LOD, i] = place[LOD, i]
        near_pole += place[ROW, i] < POLE_ROWS
    _trilinear(count, texels, tile, texel_place, sample)
    if near_pole:
        _lay_flat(count, texels, tile, pole_mm, cols, zoom, place, texel_place, sample)


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _lay_flat(
    count: int, texels: Array, tile: int, pole_mm: float, cols: int, zoom: float, place: Array, texel_place: Array,
    sample: Array,
) -> None:  # fmt: skip
    """Near the blind pole, where the columns of the grid meet, the texture lies across the tube."""
    flat = np.empty((4, count))
    for i in range(count):
        turn, row = place[COL, i] * (2 * math.pi / cols), min(place[ROW, i], POLE_ROWS)
        ring = math.floor(row)
        inner, outer = pole_profile(ring / pole_mm), pole_profile((ring + 1.0) / pole_mm)
        radius = (inner + (outer - inner) * (row - ring)) * pole_mm * TEXELS_PER_MM * zoom
        texel_place[ROW, i], texel_place[COL, i] = radius * math.sin(turn), radius * math.cos(turn)
    _trilinear(count, texels, tile, texel_place, flat)
    for i in range(count):
        turn = place[COL, i] * (2 * math.pi / cols)
        sin, cos = math.sin(turn), math.cos(turn)
        down, right = flat[2, i], flat[3, i]
        flat[2, i], flat[3, i] = down * sin + right * cos, down * cos - right * sin
        tube = smoothstep(0.5 * POLE_ROWS, POLE_ROWS, place[ROW, i])
        for q in range(4):
            sample[q, i] = flat[q, i] + tube * (sample[q, i] - flat[q, i])


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy", inline="always")
def smoothstep(low: float, high: float, x: float) -> float:
    """Cubic step from 0 at `low` to 1 at `high`."""
    t = min(max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)
