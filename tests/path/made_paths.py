"""Made trajectories with a known location index: a colon-like centreline and an operator, without the simulator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from haustra.core.arrays import FloatArray

# Cecum, hepatic flexure, sagging transverse, splenic flexure, descending, S-shaped sigmoid, rectum (mm).
COURSE = np.array(
    [
        [-130, -100, 20], [-135, -30, 30], [-130, 50, 20], [-115, 105, 0], [-70, 80, 50], [0, 40, 75], [70, 80, 55],
        [120, 150, 0], [140, 80, -30], [140, 0, -30], [130, -70, -20], [95, -115, 20], [50, -90, 45], [25, -130, 30],
        [45, -170, 0], [10, -175, -35], [0, -210, -55], [0, -255, -40],
    ],
    dtype=float,
)  # fmt: skip


@dataclass(frozen=True)
class MadePath:
    time_s: FloatArray
    positions: FloatArray
    index: FloatArray


def centreline(seed: int, samples: int = 4000) -> tuple[FloatArray, FloatArray]:
    """Points evenly spaced along a bent centreline, and their arc length."""
    rng = np.random.default_rng(seed)
    course = COURSE + rng.normal(0, 12, COURSE.shape)
    fine = CubicSpline(np.arange(len(course)), course)(np.linspace(0, len(course) - 1, 20 * samples))
    arc = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    even = np.linspace(0, arc[-1], samples)
    return np.stack([np.interp(even, arc, fine[:, k]) for k in range(3)], axis=1), even


def operator_arc(seed: int, seconds: float, rate: float = 15.0) -> FloatArray:
    """Share of the colon passed at every frame: changing speed, pauses and re-insertions of 2 to 8 cm of 130."""
    rng = np.random.default_rng(seed + 1000)
    frames = int(seconds * rate)
    speed = np.exp(gaussian_filter1d(rng.normal(0, 1, frames), 2 * rate) * np.sqrt(4 * np.pi) * 1.2)
    for begin in rng.integers(0, frames, 5):
        speed[begin : begin + int(rng.uniform(1, 0.05 * seconds) * rate)] = 0.0
    arc = np.cumsum(speed) / speed.sum()
    for centre in rng.integers(int(0.1 * frames), int(0.9 * frames), 4):
        width = int(rng.uniform(2, 5) * rate)
        arc -= rng.uniform(0.02, 0.08) / 1.3 * np.exp(-(((np.arange(frames) - centre) / width) ** 2))
    arc = np.clip(arc, 0, 1)
    arc[0], arc[-1] = 0.0, 1.0
    return arc


def made_path(seed: int, seconds: float = 120.0, lateral_mm: float = 8.0) -> MadePath:
    """Positions of a withdrawal that looks around inside the lumen, and the true location index."""
    rng = np.random.default_rng(seed + 2000)
    points, arc_mm = centreline(seed)
    index = operator_arc(seed, seconds)
    noise = gaussian_filter1d(rng.normal(0, 1, (len(index), 3)), 15.0, axis=0) * np.sqrt(2 * np.sqrt(np.pi) * 15.0)
    tangent = np.gradient(points, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    at = np.clip((index * (len(points) - 1)).astype(int), 0, len(points) - 1)
    lateral = noise - (noise * tangent[at]).sum(axis=1, keepdims=True) * tangent[at]
    on_line = np.stack([np.interp(index * arc_mm[-1], arc_mm, points[:, k]) for k in range(3)], axis=1)
    return MadePath(np.arange(len(index)) / 15.0, on_line + lateral_mm * lateral, index)
