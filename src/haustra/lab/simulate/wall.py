"""The wall: radius r(arc, theta) around the centreline, on a grid of 1 mm by 2 pi / N_THETA fixed to the tissue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, gaussian_filter1d, maximum_filter1d, minimum_filter1d

from haustra.core.arrays import FloatArray

from .compiled import njit

N_THETA = 192
THETA = np.arange(N_THETA) * (2 * np.pi / N_THETA)


@dataclass(frozen=True)
class _Calibre:
    """Radius (mm), folds (spacing mm, height as share of the radius), taenia (share of the radius) of a segment."""

    radius: float
    spacing: tuple[float, float]
    height: tuple[float, float]
    taenia: float
    lobes: float


# cecum, ascending (high haustral folds), transverse (triangular), descending (round, flat), sigmoid, rectum
_SEGMENTS = (
    _Calibre(27.0, (22.0, 34.0), (0.15, 0.32), 0.05, 0.60),
    _Calibre(25.0, (18.0, 30.0), (0.28, 0.50), 0.07, 0.75),
    _Calibre(22.0, (15.0, 27.0), (0.24, 0.45), 0.12, 0.95),
    _Calibre(18.5, (18.0, 36.0), (0.08, 0.24), 0.03, 0.60),
    _Calibre(17.5, (11.0, 24.0), (0.15, 0.42), 0.03, 0.50),
    _Calibre(23.0, (40.0, 70.0), (0.05, 0.12), 0.01, 0.50),
)
PLAIN_DIAMETER_MM = tuple(2 * segment.radius for segment in _SEGMENTS)


@dataclass(frozen=True, eq=False)
class Wall:
    """Radius with everything in it; fluid over the tissue; polyps (0..1); how far a point lies below its surroundings;
    relief of the blind pole along the centreline; radius free for a tip."""

    radius_mm: NDArray[np.float32]
    fluid_mm: NDArray[np.float32]
    polyp: NDArray[np.float32]
    hollow_mm: NDArray[np.float32]
    advance_mm: NDArray[np.float32]
    free_radius_mm: FloatArray
    pole_mm: float


def make_wall(
    rng: np.random.Generator,
    boundaries: FloatArray,
    curvature: FloatArray,
    calibre: float,
    distension: FloatArray,
    drop: FloatArray,
    across: FloatArray,
) -> Wall:
    """Folds, landmarks, polyps and fluid of one colon.

    `distension` is the share of the usual calibre at every mm, `drop` how far the centreline lies down along gravity,
    `across` (n, 2) gravity along normal and binormal.
    """
    n = len(curvature)
    base = _base_radius(rng, boundaries, curvature, calibre, distension)
    taenia = _taenia_angles(rng, n)
    radius = base[:, None] * (1.0 + _along(boundaries, n, [s.taenia for s in _SEGMENTS])[:, None] * np.cos(3 * taenia))
    radius -= _folds(rng, boundaries, base, taenia)
    radius -= _rectal_valves(rng, boundaries, base)
    radius += _unevenness(rng, radius.shape)
    radius -= _ileocecal_valve(rng, boundaries, base, n)
    bumps, polyp = _polyps(rng, n, base)
    radius = np.maximum(radius - bumps, 0.28 * base[:, None])
    radius *= _ends(n, base)[:, None]
    advance = _pole_relief(rng, radius, base[0])
    fluid = _fluid(rng, radius, base, drop, across)
    radius = radius - fluid
    hollow = gaussian_filter(radius, (5.0, 9.0), mode=("nearest", "wrap")) - radius
    narrowest = gaussian_filter1d(minimum_filter1d(radius.min(axis=1), 5), 1.5)
    f32 = np.float32
    return Wall(
        radius.astype(f32),
        fluid.astype(f32),
        polyp.astype(f32),
        hollow.astype(f32),
        advance.astype(f32),
        narrowest,
        float(base[0]),
    )


def _along(boundaries: FloatArray, n: int, values: list[float]) -> FloatArray:
    """A value per segment as a smooth function of arc."""
    segment = np.searchsorted(boundaries[1:-1], np.arange(n), side="right")
    return gaussian_filter1d(np.asarray(values)[segment], 12.0, mode="nearest")


def _base_radius(
    rng: np.random.Generator, boundaries: FloatArray, curvature: FloatArray, calibre: float, distension: FloatArray
) -> FloatArray:
    n = len(curvature)
    radii = [s.radius * calibre * rng.uniform(0.88, 1.12) for s in _SEGMENTS]
    waves = gaussian_filter1d(rng.standard_normal(n), 35.0, mode="nearest")
    base = _along(boundaries, n, radii) * (1 + 0.07 * waves / waves.std()) * distension
    # In a bend the inner wall must not reach the centre of curvature, or the tube would cut itself.
    limit = 0.80 / np.maximum(gaussian_filter1d(maximum_filter1d(curvature, 25), 8.0), 1e-4)
    return np.minimum(base, limit)


def _taenia_angles(rng: np.random.Generator, n: int) -> FloatArray:
    """Angle to the first of the three taeniae; they wind slowly along the colon."""
    winding = gaussian_filter1d(rng.standard_normal(n), 150.0, mode="nearest")
    return THETA[None, :] - rng.uniform(0, 2 * np.pi) - (0.7 * winding / winding.std())[:, None]


def _folds(rng: np.random.Generator, boundaries: FloatArray, base: FloatArray, taenia: FloatArray) -> FloatArray:
    """Semilunar folds: up to three crescents between the taeniae, each with its own place, height and thickness."""
    n = len(base)
    depth = np.zeros((n, N_THETA))
    style = rng.uniform(0.75, 1.2)
    at = rng.uniform(16.0, 24.0)
    while at < boundaries[-2] - 4:
        segment = _SEGMENTS[int(np.searchsorted(boundaries[1:-1], at, side="right"))]
        for lobe in range(3):
            if rng.random() > segment.lobes:
                continue
            height = base[int(at)] * rng.uniform(*segment.height) * style
            _add_crescent(rng, depth, taenia, at + rng.normal(0.0, 2.2), lobe, height)
        at += rng.uniform(*segment.spacing) / style
    return depth


def _add_crescent(
    rng: np.random.Generator, depth: FloatArray, taenia: FloatArray, at: float, lobe: int, height: float
) -> None:
    n = len(depth)
    low, high = max(0, int(at) - 26), min(n, int(at) + 27)
    middle = taenia[min(int(at), n - 1)] - (2 * lobe + 1) * np.pi / 3 + rng.normal(0.0, 0.12)
    crest = np.maximum(np.cos(np.angle(np.exp(1j * middle)) * rng.uniform(1.0, 1.4)), 0.0) ** rng.uniform(0.7, 1.3)
    crest *= np.abs(np.angle(np.exp(1j * middle))) < np.pi / 2
    ridge = at + rng.uniform(-4.0, 4.0) * np.sin(middle) + rng.uniform(0.0, 1.5) * np.sin(3 * THETA + rng.uniform(0, 6))
    x = (np.arange(low, high)[:, None] - ridge[None, :]) / (rng.uniform(1.5, 3.0) * (0.7 + 0.04 * height))
    x = np.where(x > 0, x * rng.uniform(0.75, 1.1), x * rng.uniform(0.75, 1.1))
    profile = 0.78 * np.exp(-0.5 * np.abs(x) ** 2.4) + 0.22 / (1 + (0.45 * x) ** 2) ** 2
    depth[low:high] = np.maximum(depth[low:high], height * crest[None, :] * profile)


def _rectal_valves(rng: np.random.Generator, boundaries: FloatArray, base: FloatArray) -> FloatArray:
    """Three half-moons (Houston) on alternating sides."""
    depth = np.zeros((len(base), N_THETA))
    start, length = boundaries[-2], boundaries[-1] - boundaries[-2]
    side = rng.uniform(0, 2 * np.pi)
    for k in range(3):
        at = start + length * (0.18 + 0.28 * k) + rng.normal(0.0, 0.03 * length)
        turn = np.angle(np.exp(1j * (THETA - side - k * np.pi + rng.normal(0.0, 0.25))))
        crest = np.maximum(np.cos(turn * rng.uniform(0.8, 1.1)), 0.0) * (np.abs(turn) < np.pi / 1.7)
        x = (np.arange(len(base))[:, None] - at - 3.0 * np.cos(2 * turn)[None, :]) / rng.uniform(1.8, 3.0)
        height = base[min(int(at), len(base) - 1)] * rng.uniform(0.3, 0.55)
        depth = np.maximum(depth, height * crest[None, :] * np.exp(-0.5 * np.abs(x) ** 2.2))
    return depth


def _unevenness(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Smooth random height, from haustral bulges down to the millimetre; what is finer is left to the bump map."""
    total = np.zeros(shape)
    rough = rng.uniform(0.6, 1.5)
    for amplitude, arc_mm, steps in ((1.1, 10.0, 11.0), (0.20 * rough, 4.0, 5.0), (0.02 * rough, 1.2, 1.5)):
        noise = gaussian_filter(rng.standard_normal(shape), (arc_mm, steps), mode=("reflect", "wrap"))
        total += amplitude * noise / noise.std()
    return soften_pole(total)


def soften_pole(field: FloatArray) -> FloatArray:
    """Smooths around the lumen where the columns of the grid crowd together, or noise would look like a star there."""
    for row in range(24):
        field[row] = gaussian_filter1d(field[row], 6.0 * (24 - row) / (row + 1.0), mode="wrap")
    return field


def _blob(arc: float, theta: float, n: int, base: float) -> tuple[FloatArray, FloatArray]:
    """Millimetre offsets of every grid point from a place on the wall."""
    around = np.asarray(np.angle(np.exp(1j * (THETA - theta))) * base, np.float64)
    along = np.asarray(np.arange(n) - arc, np.float64)
    return along[:, None], around[None, :]


def _ileocecal_valve(rng: np.random.Generator, boundaries: FloatArray, base: FloatArray, n: int) -> FloatArray:
    """Two lips with a slit between them where cecum and ascending colon meet."""
    at, turn = boundaries[1] + rng.uniform(-2.0, 3.0), rng.uniform(0, 2 * np.pi)
    ds, dt = _blob(at, turn, n, base[int(at)])
    long, wide = rng.uniform(9.0, 14.0), rng.uniform(4.0, 6.5)
    lips = np.exp(-((np.abs(dt) / long) ** 3) - (np.abs(ds) / wide) ** 3)
    slit = np.exp(-((dt / (0.5 * long)) ** 4) - (ds / 1.2) ** 2)
    return rng.uniform(6.0, 10.0) * lips - rng.uniform(2.5, 5.0) * slit


def _pole_relief(rng: np.random.Generator, radius: FloatArray, base: float) -> FloatArray:
    """The bottom of the cecum: taeniae that meet at the appendiceal orifice, a dimple with a crescent around it."""
    rows = 40
    x, y = radius[:rows] * np.cos(THETA), radius[:rows] * np.sin(THETA)
    turn, away = rng.uniform(0, 2 * np.pi), rng.uniform(0.15, 0.5) * base
    x, y = x - away * np.cos(turn), y - away * np.sin(turn)
    distance, angle = np.hypot(x, y * rng.uniform(0.8, 1.3)), np.arctan2(y, x)
    crescent = np.exp(-(((distance - 5.5) / 1.7) ** 2)) * (0.55 + 0.45 * np.cos(angle - rng.uniform(0, 6)))
    relief = rng.uniform(0.8, 2.2) * crescent - rng.uniform(4.0, 7.0) * np.exp(-((distance / 2.4) ** 2))
    for k in range(3):
        aside = np.abs(np.angle(np.exp(1j * (angle - turn - k * 2.1 - rng.normal(0.0, 0.3))))) * distance
        relief += rng.uniform(0.8, 2.6) * np.exp(-((aside / 4.0) ** 2)) * np.clip(distance / 8.0 - 0.5, 0.0, 1.0)
    for scale in (7.0, 3.5):
        for _ in range(8):
            kx, ky, phase = *rng.normal(0.0, 1.0 / scale, 2), rng.uniform(0, 6.3)
            relief += 0.06 * scale * np.sin(kx * x + ky * y + phase)
    advance = np.zeros_like(radius)
    advance[:rows] = relief * np.clip((rows - np.arange(rows)) / 20.0, 0.0, 1.0)[:, None] ** 2
    return advance


def _polyps(rng: np.random.Generator, n: int, base: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Dome-shaped bumps, in some patients none, in some a dozen; most are small."""
    bumps, mask = np.zeros((n, N_THETA)), np.zeros((n, N_THETA))
    for _ in range(int(rng.choice([0, 1, 2, 4, 7, 12], p=[0.2, 0.2, 0.2, 0.2, 0.12, 0.08]))):
        at = rng.uniform(30.0, n - 40.0)
        size = np.clip(rng.lognormal(1.2, 0.5), 2.0, 11.0)
        ds, dt = _blob(at, rng.uniform(0, 2 * np.pi), n, base[int(at)])
        near = np.hypot(ds / rng.uniform(0.85, 1.2), dt / rng.uniform(0.85, 1.2)) / size
        dome = np.sqrt(np.clip(1.0 - near**4, 0.0, 1.0)) * np.clip(1.6 - 1.6 * near, 0.0, 1.0) ** 0.35
        bumps = np.maximum(bumps, size * rng.uniform(0.45, 1.1) * dome)
        mask = np.maximum(mask, np.clip(2.2 - 2.0 * near, 0.0, 1.0))
    return gaussian_filter(bumps, 0.7, mode=("nearest", "wrap")), mask


@njit(cache=True, nogil=True)
def pole_profile(x: float) -> float:
    """Relative radius of the blind pole at the relative arc x: round, a little pointed, full at 1."""
    return float((1.0 - (1.0 - min(max(x, 0.0), 1.0)) ** 1.7) ** 0.75)


def _ends(n: int, base: FloatArray) -> FloatArray:
    """Closes the blind pole like a hemisphere and the anal canal to a narrow ring."""
    arc = np.arange(n, dtype=np.float64)
    pole = np.array([pole_profile(x) for x in arc / base[0]])
    canal = 0.25 + 0.75 / (1 + np.exp(-(n - 18.0 - arc) / 3.0))
    closed = np.clip((n - 1 - arc) / 6.0, 0.0, 1.0) ** 0.5
    return pole * canal * closed


def _fluid(
    rng: np.random.Generator, radius: FloatArray, base: FloatArray, drop: FloatArray, across: FloatArray
) -> FloatArray:
    """Pools: their surface is a plane across gravity, and the tissue lies `fluid` mm under it."""
    arc = np.arange(len(base))
    towards = across[:, :1] * np.cos(THETA) + across[:, 1:] * np.sin(THETA)
    level = np.full(len(base), np.inf)
    for _ in range(int(rng.choice([0, 2, 5, 9, 14]))):
        at = int(rng.uniform(30.0, len(base) - 40.0))
        # Beyond the pool's length the level is let fall, for the next fold holds the water back.
        beyond = np.maximum(np.abs(arc - at) - rng.uniform(4.0, 18.0), 0.0)
        level = np.minimum(level, drop[at] + base[at] * rng.uniform(0.62, 0.95) + 0.02 * beyond**2)
    # Steep stretches drain, and the lumen always keeps its upper part free.
    level = np.where(np.linalg.norm(across, axis=1) > 0.93, np.maximum(level - drop, 0.55 * base), np.inf)
    level = np.where(level < np.inf, minimum_filter1d(level, 3), np.inf)
    return np.maximum(radius - level[:, None] / np.maximum(towards, 1e-3), 0.0)
