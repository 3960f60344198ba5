"""Light of every visible point: lamps beside the lens with inverse-square fall-off on wet, vessel-laced mucosa.

Visible pixels are shaded in blocks that fit into the first-level cache, one step after the other over a whole block:
short loops without branches run on the processor's vector units, and numba, which counts references to every array
that it hands to a function, does so once a block and not once a pixel.
"""

from __future__ import annotations

import math

import numpy as np

from .compiled import njit
from .mucosa import CHANNELS, FLUID, OPEN
from .surface import ALONG, ALPHA2, AROUND, FINISH, STRENGTH, Material, cover_surface
from .texture_samples import COL, LOD, PLACE, ROW, TEXELS_PER_MM, Array
from .textures import LEVELS

BLOCK = 128
_SHEEN_ALPHA2 = 0.05
# Rows of the block's geometry: the wall's normal, its edges along the tube and around the lumen, the ray, the distance.
_NORMAL, _EDGE, _ACROSS, _RAY, _FAR, _GEOMETRY = 0, 3, 6, 9, 12, 13


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _gather(
    pixels: Array, rays: Array, distance: Array, surface: Array, first_row: int, points: Array, normals: Array,
    regions: Array, place: Array, geometry: Array, region: Array,
) -> None:  # fmt: skip
    """Reads what the wall is like where the pixels of a block see it: bilinear between the four grid points around."""
    rows, cols = points.shape[0], points.shape[1]
    for i in range(len(pixels)):
        at = pixels[i]
        row, col = surface[at, 0], surface[at, 1]
        k, j = min(max(int(row) - first_row, 0), rows - 2), int(col)
        u, v = row - first_row - k, col - j
        j = j if j < cols else j - cols
        n = j + 1 if j + 1 < cols else 0
        a, b, c, d = (1 - u) * (1 - v), (1 - u) * v, u * (1 - v), u * v
        for q in range(CHANNELS):
            region[q, i] = (
                a * regions[k, j, q] + b * regions[k, n, q] + c * regions[k + 1, j, q] + d * regions[k + 1, n, q]
            )
        if regions[k, j, FLUID] <= 0.0:  # a pool ends with the cell in which its shore lies
            region[FLUID, i] = 0.0
        for q in range(3):
            geometry[_NORMAL + q, i] = (
                a * normals[k, j, q] + b * normals[k, n, q] + c * normals[k + 1, j, q] + d * normals[k + 1, n, q]
            )
            geometry[_EDGE + q, i] = points[k + 1, j, q] - points[k, j, q]
            geometry[_ACROSS + q, i] = points[k + 1, n, q] - points[k + 1, j, q]
            geometry[_RAY + q, i] = rays[at, q]
        geometry[_FAR, i] = distance[at]
        place[ROW, i], place[COL, i] = row, col


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _orient(count: int, R_c_w: Array, pixel_angle: float, geometry: Array, place: Array) -> None:
    """Normals into the camera frame, and the mip level that a pixel's footprint on the wall asks for."""
    for i in range(count):
        a, b, c = geometry[_NORMAL, i], geometry[_NORMAL + 1, i], geometry[_NORMAL + 2, i]
        x = R_c_w[0, 0] * a + R_c_w[0, 1] * b + R_c_w[0, 2] * c
        y = R_c_w[1, 0] * a + R_c_w[1, 1] * b + R_c_w[1, 2] * c
        z = R_c_w[2, 0] * a + R_c_w[2, 1] * b + R_c_w[2, 2] * c
        geometry[_NORMAL, i], geometry[_NORMAL + 1, i], geometry[_NORMAL + 2, i] = x, y, z
        towards = x * geometry[_RAY, i] + y * geometry[_RAY + 1, i] + z * geometry[_RAY + 2, i]
        footprint = geometry[_FAR, i] * pixel_angle * TEXELS_PER_MM / math.sqrt(max(-towards, 0.08))
        place[LOD, i] = max(footprint, 1.0)
    for i in range(count):
        place[LOD, i] = min(math.log2(place[LOD, i]), LEVELS - 1.01)


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _tilt(count: int, geometry: Array, finish: Array) -> None:
    """Unit normals after the bump map's slopes along the two directions of the grid."""
    for i in range(count):
        ex, ey, ez = geometry[_EDGE, i], geometry[_EDGE + 1, i], geometry[_EDGE + 2, i]
        fx, fy, fz = geometry[_ACROSS, i], geometry[_ACROSS + 1, i], geometry[_ACROSS + 2, i]
        along = finish[ALONG, i] / math.sqrt(ex * ex + ey * ey + ez * ez + 1e-12)
        around = finish[AROUND, i] / math.sqrt(fx * fx + fy * fy + fz * fz + 1e-12)
        x = geometry[_NORMAL, i] - along * ex - around * fx
        y = geometry[_NORMAL + 1, i] - along * ey - around * fy
        z = geometry[_NORMAL + 2, i] - along * ez - around * fz
        s = 1.0 / math.sqrt(x * x + y * y + z * z)
        geometry[_NORMAL, i], geometry[_NORMAL + 1, i], geometry[_NORMAL + 2, i] = s * x, s * y, s * z


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy", inline="always")
def _lobe(cos_half: float, alpha2: float) -> float:
    """GGX distribution; with the lamp beside the lens shadowing and Fresnel hardly change and go into the strength."""
    q = cos_half * cos_half * (alpha2 - 1.0) + 1.0
    return alpha2 / (math.pi * q * q)


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _lamp(lx0: float, ly0: float, lz0: float, power: float, geometry: Array, finish: Array, sums: Array) -> None:
    """Adds one lamp: diffuse light, the same softened by what travels inside the tissue, and the highlight."""
    for i in range(sums.shape[1]):
        far, dx, dy, dz = geometry[_FAR, i], geometry[_RAY, i], geometry[_RAY + 1, i], geometry[_RAY + 2, i]
        nx, ny, nz = geometry[_NORMAL, i], geometry[_NORMAL + 1, i], geometry[_NORMAL + 2, i]
        lx, ly, lz = lx0 - far * dx, ly0 - far * dy, lz0 - far * dz
        squared = lx * lx + ly * ly + lz * lz
        inverse = 1.0 / math.sqrt(squared)
        lx, ly, lz = lx * inverse, ly * inverse, lz * inverse
        beam = power * (0.3 + 0.7 * max(-lz, 0.0)) / (squared + 4.0)
        cos = nx * lx + ny * ly + nz * lz
        hx, hy, hz = lx - dx, ly - dy, lz - dz
        half = (nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz)
        glint = beam * (_lobe(half, finish[ALPHA2, i]) + 0.12 * _lobe(half, _SHEEN_ALPHA2))
        sums[0, i] += beam * max(cos, 0.0)
        sums[1, i] += beam * max((cos + 0.45) / 1.45, 0.0)
        sums[2, i] += glint if min(cos, half) > 0.0 else 0.0


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def _write(
    targets: Array, geometry: Array, region: Array, finish: Array, sums: Array, light: Array, albedo: Array,
    specular: Array,
) -> None:  # fmt: skip
    """Red light travels farther inside the tissue: it softens shadows; far walls are lit by their neighbours."""
    for i in range(len(targets)):
        at = targets[i]
        r, g, b, diffuse, soft = region[0, i], region[1, i], region[2, i], sums[0, i], sums[1, i]
        glint, access = sums[2, i] * finish[STRENGTH, i] * (0.25 * math.pi), region[OPEN, i]
        bounce = 0.12 * soft * (1.0 + 0.06 * geometry[_FAR, i]) * r
        red = r * access * (0.45 * diffuse + 0.55 * soft + 1.50 * bounce)
        light[at, 0] = red + glint
        light[at, 1] = g * access * (0.75 * diffuse + 0.25 * soft + 0.90 * bounce) + glint
        light[at, 2] = b * access * (0.80 * diffuse + 0.20 * soft + 0.80 * bounce) + glint
        albedo[at, 0], albedo[at, 1], albedo[at, 2] = r, g, b
        specular[at] = glint > 0.6 * red


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def shade(
    visible: Array, targets: Array, rays: Array, distance: Array, surface: Array, first_row: int, points: Array,
    normals: Array, R_c_w: Array, regions: Array, texels: Array, variances: Array, material: Material,
    lights: Array, pixel_angle: float, light: Array, albedo: Array, specular: Array,
) -> None:  # fmt: skip
    """Shades the pixels `visible` of the picture box into the pixels `targets` of the frame.

    Pictures are flat, (pixels, ...); the last three are of the frame and come zeroed.

    `lights` rows are x, y, z (mm, camera frame) and intensity; `specular` is True where the highlight dominates.
    """
    place, geometry = np.empty((PLACE, BLOCK)), np.empty((_GEOMETRY, BLOCK))
    region, finish = np.empty((CHANNELS, BLOCK)), np.empty((FINISH, BLOCK))
    for start in range(0, len(visible), BLOCK):
        pixels = visible[start : start + BLOCK]
        count = len(pixels)
        _gather(pixels, rays, distance, surface, first_row, points, normals, regions, place, geometry, region)
        _orient(count, R_c_w, pixel_angle, geometry, place)
        cover_surface(count, texels, variances, material, regions.shape[1], place, region, finish)
        _tilt(count, geometry, finish)
        sums = np.zeros((3, count))
        for q in range(lights.shape[0]):
            _lamp(lights[q, 0], lights[q, 1], lights[q, 2], lights[q, 3], geometry, finish, sums)
        _write(targets[start : start + BLOCK], geometry, region, finish, sums, light, albedo, specular)
