"""Light of every visible point: lamps beside the lens with inverse-square fall-off on wet, vessel-laced mucosa."""

from __future__ import annotations

import math

from .compiled import njit
from .mucosa import FLUID, FOAM, OPEN, STOOL, VESSELS
from .raster import FAR
from .surface import TEXELS_PER_MM, Array, Material, Vector, remnants_at, tissue_at, under_fluid, under_remnants
from .textures import GRADIENT_SCALE, LEVELS

# Fresnel reflection of a wet surface seen along its normal, with the headroom that real highlights show.
_WET = 0.075
_SHEEN_ALPHA2 = 0.05
_MURK_PER_MM = 0.13


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _lobe(cos_half: float, alpha2: float) -> float:
    """GGX distribution; with the lamp beside the lens shadowing and Fresnel hardly change and go into the strength."""
    q = cos_half * cos_half * (alpha2 - 1.0) + 1.0
    return alpha2 / (math.pi * q * q)


@njit(cache=True, nogil=True, fastmath=True)
def _lamps(lights: Array, ray: Vector, far: float, normal: Vector, alpha2: float) -> Vector:
    """Diffuse light, the same softened by what travels inside the tissue, and the highlight, at a point and normal."""
    diffuse, soft, glint = 0.0, 0.0, 0.0
    dx, dy, dz = ray
    nx, ny, nz = normal
    px, py, pz = far * dx, far * dy, far * dz
    for i in range(lights.shape[0]):
        lx, ly, lz = lights[i, 0] - px, lights[i, 1] - py, lights[i, 2] - pz
        squared = lx * lx + ly * ly + lz * lz
        inverse = 1.0 / math.sqrt(squared)
        lx, ly, lz = lx * inverse, ly * inverse, lz * inverse
        beam = lights[i, 3] * (0.3 + 0.7 * max(-lz, 0.0)) / (squared + 4.0)
        cos = nx * lx + ny * ly + nz * lz
        diffuse += beam * max(cos, 0.0)
        soft += beam * max((cos + 0.45) / 1.45, 0.0)
        hx, hy, hz = lx - dx, ly - dy, lz - dz
        half = (nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz)
        if cos > 0.0 and half > 0.0:
            glint += beam * (_lobe(half, alpha2) + 0.12 * _lobe(half, _SHEEN_ALPHA2))
    return diffuse, soft, glint


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _mix(grid: Array, k: int, j: int, n: int, u: float, v: float, c: int) -> float:
    """Bilinear value of channel c in the cell (k, j)."""
    first = (1 - v) * grid[k, j, c] + v * grid[k, n, c]
    return first + u * ((1 - v) * grid[k + 1, j, c] + v * grid[k + 1, n, c] - first)


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _edge(points: Array, k: int, j: int, k2: int, j2: int) -> Vector:
    """Unit vector from one grid point to another."""
    x, y = points[k2, j2, 0] - points[k, j, 0], points[k2, j2, 1] - points[k, j, 1]
    z = points[k2, j2, 2] - points[k, j, 2]
    s = 1.0 / math.sqrt(x * x + y * y + z * z + 1e-12)
    return s * x, s * y, s * z


@njit(cache=True, nogil=True, fastmath=True, inline="always")
def _normal(normals: Array, R_c_w: Array, k: int, j: int, n: int, u: float, v: float) -> Vector:
    """Interpolated normal in the camera frame."""
    x, y, z = _mix(normals, k, j, n, u, v, 0), _mix(normals, k, j, n, u, v, 1), _mix(normals, k, j, n, u, v, 2)
    return (
        R_c_w[0, 0] * x + R_c_w[0, 1] * y + R_c_w[0, 2] * z,
        R_c_w[1, 0] * x + R_c_w[1, 1] * y + R_c_w[1, 2] * z,
        R_c_w[2, 0] * x + R_c_w[2, 1] * y + R_c_w[2, 2] * z,
    )


@njit(cache=True, nogil=True, fastmath=True)
def _tilted(normal: Vector, points: Array, k: int, j: int, n: int, along: float, around: float) -> Vector:
    """Unit normal after the bump map's slopes along the two directions of the grid."""
    e, f = _edge(points, k, j, k + 1, j), _edge(points, k + 1, j, k + 1, n)
    x = normal[0] - along * e[0] - around * f[0]
    y = normal[1] - along * e[1] - around * f[1]
    z = normal[2] - along * e[2] - around * f[2]
    s = 1.0 / math.sqrt(x * x + y * y + z * z)
    return s * x, s * y, s * z


@njit(cache=True, nogil=True, fastmath=True)
def _surface(
    texels: Array,
    variances: Array,
    material: Material,
    regions: Array,
    k: int,
    j: int,
    n: int,
    u: float,
    v: float,
    row: float,
    col: float,
    lod: float,
) -> tuple[float, float, float, float, float, float, float]:
    """Albedo r, g, b, the two slopes, alpha^2 of the highlight and its strength at a place of the wall."""
    r0, g0, b0 = _mix(regions, k, j, n, u, v, 0), _mix(regions, k, j, n, u, v, 1), _mix(regions, k, j, n, u, v, 2)
    cols, level = regions.shape[1], int(lod + 0.5)
    r, g, b, along, around = tissue_at(texels, material, lod, row, col, cols, _mix(regions, k, j, n, u, v, VESSELS))
    r, g, b = r * r0, g * g0, b * b0
    variance = variances[0, level]
    stool, foam, fluid = _mix(regions, k, j, n, u, v, STOOL), _mix(regions, k, j, n, u, v, FOAM), regions[k, j, FLUID]
    cover, froth, calm = 0.0, 0.0, 1.0
    if stool > -0.8 or foam > -0.8:
        cover, froth, tone, white, x, y = remnants_at(texels, material, lod, row, col, cols, stool, foam)
        r = under_remnants(r, material.stool[0] * tone, 0.70 * white, cover, froth)
        g = under_remnants(g, material.stool[1] * tone, 0.58 * white, cover, froth)
        b = under_remnants(b, material.stool[2] * tone, 0.46 * white, cover, froth)
        mix = max(cover, froth)
        along, around = along + mix * (x - along), around + mix * (y - around)
        variance += mix * (variances[1, level] - variance)
    if fluid > 0.0:
        fluid = _mix(regions, k, j, n, u, v, FLUID)
        murk = 1.0 - math.exp(-_MURK_PER_MM * fluid)
        r, g = under_fluid(r, material.fluid[0], murk), under_fluid(g, material.fluid[1], murk)
        b = under_fluid(b, material.fluid[2], murk)
        calm = max(math.exp(-2.5 * fluid), 0.06 + froth)
    steep = material.bump * calm
    alpha = material.roughness + 0.25 * cover * (1 - 0.5 * calm)
    # Slopes that a coarse mip level has averaged away come back as roughness (Toksvig's idea).
    alpha2 = alpha * alpha + 0.5 * steep * steep * variance
    steep /= GRADIENT_SCALE
    return r, g, b, along * steep, around * steep, alpha2, _WET * material.wetness * (1 - 0.7 * cover)


@njit(cache=True, nogil=True, fastmath=True)
def shade(
    rays: Array, distance: Array, surface: Array, first_row: int, points: Array, normals: Array, R_c_w: Array,
    regions: Array, texels: Array, variances: Array, material: Material, lights: Array, pixel_angle: float,
    light: Array, albedo: Array, specular: Array,
) -> None:  # fmt: skip
    """`lights` rows are x, y, z (mm, camera frame) and intensity; `specular` is True where the highlight dominates.

    The buffers come zeroed; pixels that see nothing stay so.
    """
    rows, cols = points.shape[0], points.shape[1]
    for y in range(distance.shape[0]):
        for x in range(distance.shape[1]):
            far = distance[y, x]
            if far >= FAR:
                continue
            row, col = surface[y, x, 0], surface[y, x, 1]
            k, j = min(max(int(row) - first_row, 0), rows - 2), int(col)
            u, v = row - first_row - k, col - j
            j = j % cols
            n = j + 1 if j + 1 < cols else 0
            ray = (rays[y, x, 0], rays[y, x, 1], rays[y, x, 2])
            normal = _normal(normals, R_c_w, k, j, n, u, v)
            facing = max(-(normal[0] * ray[0] + normal[1] * ray[1] + normal[2] * ray[2]), 0.08)
            lod = min(math.log2(max(far * pixel_angle * TEXELS_PER_MM / math.sqrt(facing), 1.0)), LEVELS - 1.01)
            r, g, b, along, around, alpha2, wet = _surface(
                texels, variances, material, regions, k, j, n, u, v, row, col, lod
            )
            normal = _tilted(normal, points, k, j, n, along, around)
            diffuse, soft, glint = _lamps(lights, ray, far, normal, alpha2)
            glint *= wet * 0.25 * math.pi
            # Red light travels farther inside the tissue: it softens shadows; far walls are lit by their neighbours.
            access = _mix(regions, k, j, n, u, v, OPEN)
            bounce = 0.12 * soft * (1.0 + 0.06 * far) * r
            red = r * access * (0.45 * diffuse + 0.55 * soft + 1.50 * bounce)
            light[y, x, 0] = red + glint
            light[y, x, 1] = g * access * (0.75 * diffuse + 0.25 * soft + 0.90 * bounce) + glint
            light[y, x, 2] = b * access * (0.80 * diffuse + 0.20 * soft + 0.80 * bounce) + glint
            albedo[y, x, 0], albedo[y, x, 1], albedo[y, x, 2] = r, g, b
            specular[y, x] = glint > 0.6 * red
