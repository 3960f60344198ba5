"""The colon: a centreline through its six segments and the wall around it.

World axes, in mm, of a standing patient: x to the patient's left, y to the head, z to the front (right-handed).
Arc length runs from the blind pole of the cecum (0) to the anus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.spatial import cKDTree

from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS

from .courses import USUAL, CourseName, draw_course, laid_course, unit, varied_course
from .wall import Wall, make_wall

if TYPE_CHECKING:
    from .wide import Build


# Logistic-normal parameters fitted so that relative lengths have the mean and std of the paper's last table (Set 3):
# mean 0.067 0.142 0.245 0.204 0.244 0.097, std 0.038 0.061 0.097 0.088 0.086 0.057.
LENGTH_MU = np.array([-0.8446, -0.0371, 0.5179, 0.3214, 0.5310, -0.4887])
LENGTH_SIGMA = np.array([0.5403, 0.4416, 0.4912, 0.5025, 0.4093, 0.5952])

_CANDIDATES = 12
_CALIBRE_MM = 20.0  # along the arc: longer than a fold, shorter than a segment


@dataclass(frozen=True, eq=False)
class Colon:
    """Centreline every mm of arc with rotation-minimising frames, and the wall as a radius map around it."""

    seed: int
    centreline_mm: FloatArray
    tangent: FloatArray
    normal: FloatArray
    binormal: FloatArray
    boundaries_mm: FloatArray
    wall: Wall

    @property
    def length_mm(self) -> float:
        """Length of the centreline, from the pole of the cecum to the anus."""
        return float(len(self.centreline_mm) - 1)

    def frame_at(self, arc_mm: float) -> FloatArray:
        """Pose on the centreline: columns normal, binormal, tangent (towards the rectum), position."""
        i, f = self._cell(arc_mm)
        tangent = unit(self.tangent[i] * (1 - f) + self.tangent[i + 1] * f)
        normal = self.normal[i] * (1 - f) + self.normal[i + 1] * f
        normal = unit(normal - tangent * (normal @ tangent))
        frame = np.eye(4)
        frame[:3, 0], frame[:3, 1], frame[:3, 2] = normal, np.cross(tangent, normal), tangent
        frame[:3, 3] = self.centreline_mm[i] * (1 - f) + self.centreline_mm[i + 1] * f
        return frame

    def lumen_radius(self, arc_mm: float) -> float:
        """Distance the tip can leave the centreline in any direction without touching the wall."""
        i, f = self._cell(arc_mm)
        free = self.wall.free_radius_mm
        return float(free[i] * (1 - f) + free[i + 1] * f)

    def calibre_mm(self, position_mm: FloatArray) -> FloatArray:
        """Mean radius of the lumen (n,) around places (n, 3) inside it, folds smoothed away."""
        radius = gaussian_filter1d(self.wall.radius_mm.mean(axis=1, dtype=np.float64), _CALIBRE_MM, mode="nearest")
        away = np.linalg.norm(self.centreline_mm[None] - np.asarray(position_mm)[:, None], axis=2)
        return np.asarray(radius[np.argmin(away / np.maximum(self.wall.free_radius_mm, 8.0), axis=1)], np.float64)

    def location_index(self, arc_mm: float) -> float:
        """0 where the withdrawal starts, 1 where it stops (paper, fig:location_index)."""
        first, last = self.boundaries_mm[0], self.boundaries_mm[-1]
        return float(np.clip((arc_mm - first) / (last - first), 0.0, 1.0))

    def segment(self, arc_mm: float) -> int:
        """Segment number, from 1 (cecum)."""
        return 1 + int(np.searchsorted(self.boundaries_mm[1:-1], arc_mm, side="right"))

    def _cell(self, arc_mm: float) -> tuple[int, float]:
        arc = float(np.clip(arc_mm, 0.0, self.length_mm - 1e-6))
        return int(arc), arc - int(arc)


def make_colon(seed: int, build: Build | None = None, course: CourseName = "usual") -> Colon:
    """A colon of its own for every seed; `build`: of another length and calibre than the plain world's.

    `course` is the family of the centreline (`courses`); all but the usual one have a stream of draws of their own.
    """
    rng = np.random.default_rng([seed, 101])
    length = build.length if build else 1.0
    boundaries = _draw_boundaries(rng, length)
    n = int(boundaries[-1] + rng.uniform(22.0, 30.0)) + 1
    calibre = rng.uniform(0.88, 1.14)
    own = rng if course == "usual" else np.random.default_rng([seed, 121])
    if course == "laid":
        centreline, boundaries = max((laid_course(own, length) for _ in range(_CANDIDATES)), key=_room)
        n = len(centreline)
    else:
        keys = USUAL if course == "usual" else varied_course(own)
        candidates = [draw_course(own, boundaries, n, keys) for _ in range(_CANDIDATES)]
        centreline = max(candidates, key=_clearance)
    tangent = unit(np.gradient(centreline, axis=0))
    normal = _transport(tangent)
    curvature = np.linalg.norm(np.gradient(tangent, axis=0), axis=1)
    binormal, down = np.cross(tangent, normal), _down(rng)
    across = np.stack([normal @ down, binormal @ down], axis=1)
    distension = build.distension(boundaries, n) if build else np.ones(n)
    wall = make_wall(rng, boundaries, curvature, calibre, distension, centreline @ down, across)
    return Colon(seed, centreline, tangent, normal, binormal, boundaries, wall)


def _draw_boundaries(rng: np.random.Generator, length_share: float = 1.0) -> FloatArray:
    raw = np.exp(LENGTH_MU + LENGTH_SIGMA * rng.standard_normal(len(SEGMENTS)))
    start, length = rng.uniform(20.0, 35.0), rng.uniform(1150.0, 1600.0)
    return start + length_share * length * np.r_[0.0, np.cumsum(raw / raw.sum())]


def _room(laid: tuple[FloatArray, FloatArray]) -> float:
    return _clearance(laid[0])


def _clearance(centreline: FloatArray) -> float:
    """Smallest distance between parts of the tube that are no neighbours along it."""
    points = centreline[::6]
    pairs = cKDTree(points).query_pairs(64.0, output_type="ndarray")
    far = pairs[np.abs(pairs[:, 0] - pairs[:, 1]) * 6 > 150]
    if not len(far):
        return 64.0
    return float(np.linalg.norm(points[far[:, 0]] - points[far[:, 1]], axis=1).min())


def _down(rng: np.random.Generator) -> FloatArray:
    """Gravity: patients lie on their left side, sometimes on their back."""
    down = np.array([1.0, 0.0, 0.0]) if rng.random() < 0.65 else np.array([0.0, 0.0, -1.0])
    return unit(down + rng.normal(0.0, 0.15, 3))


def _transport(tangent: FloatArray) -> FloatArray:
    """Normals that do not turn about the tangent (double reflection is not needed at 1 mm steps)."""
    normals = np.empty_like(tangent)
    normal = np.array([1.0, 0.0, 0.0])
    for i, t in enumerate(tangent):
        normal = unit(normal - t * (normal @ t))
        normals[i] = normal
    return normals
