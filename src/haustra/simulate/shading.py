"""Light of every visible point: lamps beside the lens with inverse-square fall-off on wet, vessel-laced mucosa."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .mucosa import FLUID, FOAM, OPEN, STOOL, VESSELS, Look
from .raster import FAR
from .textures import GRADIENT_SCALE, LEVELS, SIZE, TILE_MM

_TEXELS_PER_MM = SIZE / TILE_MM
# The pole is about a hemisphere of 26 mm: at arc s its circle has the radius sqrt(2 * 26 * s).
_POLE_MM = 20.0
_POLE_TEXELS = _TEXELS_PER_MM * math.sqrt(2 * 26.0)


class Material(NamedTuple):
    """A `Look` in the form that numba takes."""

    mucosa: NDArray[np.uint8]
    remnants: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    mucosa_variance: NDArray[np.float64]
    remnant_variance: NDArray[np.float64]
    stool: NDArray[np.float64]
    fluid: NDArray[np.float64]
    roughness: float
    wetness: float
    bump: float
    mottle: float


def material_of(look: Look) -> Material:
    """The shader's view of a patient's look."""
    return Material(
        look.mucosa.texels, look.remnants.texels, look.mucosa.offsets, look.mucosa.slope_variance,
        look.remnants.slope_variance, look.stool_colour, look.fluid_colour, look.roughness, look.wetness, look.bump,
        look.mottle,
    )  # fmt: skip


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _texel(texels: NDArray[Any], offset: int, level: int, row: float, col: float, out: NDArray[Any]) -> None:
    """Bilinear sample of one mip level, wrapped both ways."""
    size = SIZE >> level
    y, x = row / (1 << level) - 0.5, col / (1 << level) - 0.5
    i, j = math.floor(y), math.floor(x)
    fy, fx = y - i, x - j
    mask = size - 1
    top, bottom = offset + (int(i) & mask) * size, offset + ((int(i) + 1) & mask) * size
    left, right = int(j) & mask, (int(j) + 1) & mask
    a, b, c, d = (1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx
    for k in range(4):
        out[k] = (
            a * texels[top + left, k] + b * texels[top + right, k]
            + c * texels[bottom + left, k] + d * texels[bottom + right, k]
        )  # fmt: skip


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _sample(
    texels: NDArray[Any],
    offsets: NDArray[Any],
    lod: float,
    row: float,
    col: float,
    out: NDArray[Any],
    far: NDArray[Any],
) -> None:
    """Trilinear sample: two mip levels blended, so texture does not jump when the camera moves."""
    level = min(int(lod), LEVELS - 2)
    share = min(lod - level, 1.0)
    _texel(texels, offsets[level], level, row, col, out)
    if share > 0.02:
        _texel(texels, offsets[level + 1], level + 1, row, col, far)
        for k in range(4):
            out[k] += share * (far[k] - out[k])


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _smoothstep(low: float, high: float, x: float) -> float:
    t = min(max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _lobe(cos_half: float, alpha2: float) -> float:
    """GGX distribution; with the lamp beside the lens shadowing and Fresnel hardly change and go into the strength."""
    q = cos_half * cos_half * (alpha2 - 1.0) + 1.0
    return alpha2 / (math.pi * q * q)


@njit(cache=True, nogil=True, fastmath=True)
def shade(
    rays: NDArray[Any], distance: NDArray[Any], surface: NDArray[Any], first_row: int, points: NDArray[Any],
    normals: NDArray[Any], R_c_w: NDArray[Any], regions: NDArray[Any], material: Material, lights: NDArray[Any],
    pixel_angle: float, light: NDArray[Any], albedo: NDArray[Any], specular: NDArray[Any],
) -> None:  # fmt: skip
    """`lights` rows are x, y, z (mm, camera frame) and intensity; `specular` is True where the highlight dominates."""
    rows, cols = points.shape[0], points.shape[1]
    height, width = distance.shape
    tissue, remnant, flat, spare = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    region = np.empty(8)
    for y in range(height):
        for x in range(width):
            far = distance[y, x]
            if far >= FAR:
                for c in range(3):
                    light[y, x, c] = 0.0
                    albedo[y, x, c] = 0.0
                specular[y, x] = False
                continue
            # --- the cell, its attributes and normal
            k = min(max(int(surface[y, x, 0]) - first_row, 0), rows - 2)
            j = int(surface[y, x, 1])
            u, v = surface[y, x, 0] - first_row - k, surface[y, x, 1] - j
            j = j % cols
            n = j + 1 if j + 1 < cols else 0
            w00, w01, w10, w11 = (1 - u) * (1 - v), (1 - u) * v, u * (1 - v), u * v
            for c in range(8):
                region[c] = (
                    w00 * regions[k, j, c] + w01 * regions[k, n, c] + w10 * regions[k + 1, j, c] + w11 * regions[k + 1, n, c]
                )  # fmt: skip
            wx = (
                w00 * normals[k, j, 0]
                + w01 * normals[k, n, 0]
                + w10 * normals[k + 1, j, 0]
                + w11 * normals[k + 1, n, 0]
            )
            wy = (
                w00 * normals[k, j, 1]
                + w01 * normals[k, n, 1]
                + w10 * normals[k + 1, j, 1]
                + w11 * normals[k + 1, n, 1]
            )
            wz = (
                w00 * normals[k, j, 2]
                + w01 * normals[k, n, 2]
                + w10 * normals[k + 1, j, 2]
                + w11 * normals[k + 1, n, 2]
            )
            nx = R_c_w[0, 0] * wx + R_c_w[0, 1] * wy + R_c_w[0, 2] * wz
            ny = R_c_w[1, 0] * wx + R_c_w[1, 1] * wy + R_c_w[1, 2] * wz
            nz = R_c_w[2, 0] * wx + R_c_w[2, 1] * wy + R_c_w[2, 2] * wz
            dx, dy, dz = rays[y, x, 0], rays[y, x, 1], rays[y, x, 2]
            facing = max(-(nx * dx + ny * dy + nz * dz), 0.08)
            # --- texture
            lod = max(0.0, math.log2(far * pixel_angle * _TEXELS_PER_MM / math.sqrt(facing) + 1e-9))
            lod = min(lod, LEVELS - 1.01)
            row, col = surface[y, x, 0] * _TEXELS_PER_MM, surface[y, x, 1] * (SIZE / cols)
            _sample(material.mucosa, material.offsets, lod, row, col, tissue, spare)
            slope_arc, slope_around = tissue[2] - 128.0, tissue[3] - 128.0
            if surface[y, x, 0] < _POLE_MM:
                # Columns meet at the blind pole: there the texture lies flat across the tube instead of around it.
                turn = surface[y, x, 1] * (2 * math.pi / cols)
                sin, cos_turn = math.sin(turn), math.cos(turn)
                radius = _POLE_TEXELS * math.sqrt(surface[y, x, 0])
                _sample(material.mucosa, material.offsets, lod, radius * sin, radius * cos_turn, flat, spare)
                share = _smoothstep(0.55 * _POLE_MM, _POLE_MM, surface[y, x, 0])
                down, right = flat[2] - 128.0, flat[3] - 128.0
                slope_arc = share * slope_arc + (1 - share) * (down * sin + right * cos_turn)
                slope_around = share * slope_around + (1 - share) * (down * cos_turn - right * sin)
                tissue[0] = share * tissue[0] + (1 - share) * flat[0]
                tissue[1] = share * tissue[1] + (1 - share) * flat[1]
            level = int(lod + 0.5)
            variance = material.mucosa_variance[level]
            vessel = tissue[0] * (1 / 255.0) * region[VESSELS]
            tone = 1.0 + material.mottle * (tissue[1] - 128.0) * (0.055 / 30.0)
            r = region[0] * tone * (1 - 0.38 * vessel)
            g = region[1] * tone * (1 - 0.80 * vessel)
            b = region[2] * tone * (1 - 0.72 * vessel)
            # --- stool and foam lie on the tissue
            cover, froth = 0.0, 0.0
            if region[STOOL] > -0.8 or region[FOAM] > -0.8:
                _sample(material.remnants, material.offsets, lod, row * 0.75, col, remnant, spare)
                clump = (remnant[1] - 128.0) * (1 / 40.0)
                stain = region[STOOL] + 0.55 * clump
                cover = 0.30 * _smoothstep(-0.5, 0.3, stain) + 0.62 * _smoothstep(0.1, 0.45, stain)
                froth = 0.85 * _smoothstep(0.0, 0.3, region[FOAM] + 0.25 * clump) * min(1.0, remnant[0] / 90.0)
                shade_of_clump = 0.8 + 0.14 * clump
                r += cover * (material.stool[0] * shade_of_clump - r)
                g += cover * (material.stool[1] * shade_of_clump - g)
                b += cover * (material.stool[2] * shade_of_clump - b)
                rim = remnant[0] * (1 / 255.0)
                r += froth * (0.70 * rim - 0.3 * r)
                g += froth * (0.58 * rim - 0.3 * g)
                b += froth * (0.46 * rim - 0.3 * b)
                mix = max(cover, froth)
                slope_arc += mix * (remnant[2] - 128.0 - slope_arc)
                slope_around += mix * (remnant[3] - 128.0 - slope_around)
                variance += mix * (material.remnant_variance[level] - variance)
            # --- fluid: the deeper the more of its own colour, and a calm surface
            calm = 1.0
            if region[FLUID] > 0.01:
                murk = 1.0 - math.exp(-region[FLUID] * 0.45)
                r += murk * (material.fluid[0] * 0.75 * (0.5 + 0.5 * r) - r)
                g += murk * (material.fluid[1] * 0.75 * (0.5 + 0.5 * g) - g)
                b += murk * (material.fluid[2] * 0.75 * (0.5 + 0.5 * b) - b)
                calm = max(math.exp(-region[FLUID] * 2.5), 0.06 + froth)
            # --- bump: slopes along the two directions of the grid
            scale = material.bump * calm / GRADIENT_SCALE
            ex, ey, ez = (
                points[k + 1, j, 0] - points[k, j, 0],
                points[k + 1, j, 1] - points[k, j, 1],
                points[k + 1, j, 2] - points[k, j, 2],
            )  # noqa: E501
            fx, fy, fz = (
                points[k, n, 0] - points[k, j, 0],
                points[k, n, 1] - points[k, j, 1],
                points[k, n, 2] - points[k, j, 2],
            )  # noqa: E501
            along = -scale * slope_arc / math.sqrt(ex * ex + ey * ey + ez * ez + 1e-12)
            around = -scale * slope_around / math.sqrt(fx * fx + fy * fy + fz * fz + 1e-12)
            nx += along * ex + around * fx
            ny += along * ey + around * fy
            nz += along * ez + around * fz
            norm = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
            nx, ny, nz = nx * norm, ny * norm, nz * norm
            # --- lamps
            px, py, pz = dx * far, dy * far, dz * far
            alpha = material.roughness + 0.25 * cover * (1 - calm * 0.5)
            alpha2 = alpha * alpha + 0.5 * material.bump * material.bump * calm * calm * variance
            diffuse, soft, glint = 0.0, 0.0, 0.0
            for i in range(lights.shape[0]):
                lx, ly, lz = lights[i, 0] - px, lights[i, 1] - py, lights[i, 2] - pz
                squared = lx * lx + ly * ly + lz * lz
                inverse = 1.0 / math.sqrt(squared)
                lx, ly, lz = lx * inverse, ly * inverse, lz * inverse
                beam = lights[i, 3] * (0.3 + 0.7 * max(-lz, 0.0)) / (squared + 4.0)
                cos = nx * lx + ny * ly + nz * lz
                diffuse += beam * max(cos, 0.0)
                soft += beam * max((cos + 0.45) / 1.45, 0.0)
                if cos > 0.0:
                    hx, hy, hz = lx - dx, ly - dy, lz - dz
                    half = (nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz)
                    if half > 0.0:
                        glint += beam * (_lobe(half, alpha2) + 0.12 * _lobe(half, 0.05))
            glint *= 0.06 * material.wetness * (1 - 0.7 * cover) * 0.25 * math.pi
            # Red light travels farther inside the tissue: it softens shadows, and neighbours light each other.
            bounce = 0.12 * region[OPEN] * soft * (1.0 + 0.06 * far)
            albedo[y, x, 0], albedo[y, x, 1], albedo[y, x, 2] = r, g, b
            red = r * (0.45 * diffuse + 0.55 * soft) * region[OPEN] + bounce * r * r * 1.5
            green = g * (0.75 * diffuse + 0.25 * soft) * region[OPEN] + bounce * g * r * 0.9
            blue = b * (0.80 * diffuse + 0.20 * soft) * region[OPEN] + bounce * b * r * 0.8
            light[y, x, 0], light[y, x, 1], light[y, x, 2] = red + glint, green + glint, blue + glint
            specular[y, x] = glint > 0.6 * red
