"""Simulated courses to learn from: the usual one and its variations, lengths as in the simulator or more varied."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from haustra.poses import FloatArray
from haustra.simulate.colon import _LENGTH_MU, _LENGTH_SIGMA
from haustra.simulate.courses import JITTER, USUAL, Course, laid_course, unit, varied_course

POINTS = 129
_STEP_MM = 4
_WIDER = 1.15  # lengths of varied courses spread this much more than the paper's


def draw(rng: np.random.Generator, family: str, count: int) -> tuple[FloatArray, FloatArray]:
    """Courses (count, POINTS, 3) at even steps from start to stop of the withdrawal, inner boundaries (count, 5)."""
    drawn = [_laid(rng) if family == "laid" else _directed(rng, varied=family == "varied") for _ in range(count)]
    return np.stack([points for points, _ in drawn]), np.stack([inner for _, inner in drawn])


def _laid(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    centreline, boundaries = laid_course(rng)
    return _between(np.arange(len(centreline), dtype=np.float64), centreline, boundaries)


def _directed(rng: np.random.Generator, *, varied: bool) -> tuple[FloatArray, FloatArray]:
    raw = np.exp(_LENGTH_MU + (_WIDER if varied else 1.0) * _LENGTH_SIGMA * rng.standard_normal(6))
    boundaries = rng.uniform(20.0, 35.0) + rng.uniform(1150.0, 1600.0) * np.r_[0.0, np.cumsum(raw / raw.sum())]
    arc = np.arange(0.0, boundaries[-1] + rng.uniform(22.0, 30.0), _STEP_MM)
    direction = _directions(rng, boundaries, arc, varied_course(rng) if varied else USUAL)
    middle = 0.5 * (direction[1:] + direction[:-1]) * _STEP_MM
    return _between(arc, np.concatenate([np.zeros((1, 3)), np.cumsum(middle, axis=0)]), boundaries)


def _directions(
    rng: np.random.Generator,
    boundaries: FloatArray,
    arc: FloatArray,
    course: Course,
) -> FloatArray:
    """As in `simulate.colon`: the nearest key's direction, smoothed; here in steps of 4 mm."""
    edges = np.r_[0.0, boundaries[1:6], arc[-1]]
    knots, keys = [], []
    for k, segment in enumerate(course):
        knots.append(edges[k] + (np.arange(len(segment)) + 0.5) / len(segment) * (edges[k + 1] - edges[k]))
        keys.append(np.asarray(segment) + rng.normal(0.0, JITTER[k], (len(segment), 3)))
    middles = np.convolve(np.concatenate(knots), [0.5, 0.5], "valid")
    steps = unit(np.concatenate(keys))[np.searchsorted(middles, arc)]
    noisy = steps + rng.normal(0.0, 1.2 / np.sqrt(_STEP_MM), steps.shape)
    return unit(gaussian_filter1d(noisy, rng.uniform(14.0, 26.0) / _STEP_MM, axis=0, mode="nearest"))


def _between(arc: FloatArray, points: FloatArray, boundaries: FloatArray) -> tuple[FloatArray, FloatArray]:
    first, last = boundaries[0], boundaries[6]
    at = np.linspace(first, last, POINTS)
    even = np.stack([np.interp(at, arc, column) for column in points.T], axis=1)
    return even, (boundaries[1:6] - first) / (last - first)
