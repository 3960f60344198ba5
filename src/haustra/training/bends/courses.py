"""Simulated courses to learn from: the simulator's families, and a looser one in which more than directions varies."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from haustra.poses import FloatArray
from haustra.simulate.colon import _LENGTH_MU, _LENGTH_SIGMA
from haustra.simulate.courses import JITTER, USUAL, Course, laid_course, unit, varied_course

POINTS = 129
_STEP_MM = 4
# The loose family: what a network must not rely on abroad is drawn from a range. Lengths spread up to this much more
# than the paper's, directions are up to this much less steady, bodies are slim and stout, turns lie anywhere between
# even and crowded, and a border is annotated up to a few centimetres from the turn that it stands for.
_WIDER = (1.0, 1.7)
_UNSTEADY = (0.7, 2.6)
_BODY = 0.35
_UNEVEN = 0.7
_BORDER = 0.012
_VARIED = 0.75  # the other loose courses have the usual directions


def draw(rng: np.random.Generator, family: str, count: int) -> tuple[FloatArray, FloatArray]:
    """Courses (count, POINTS, 3) at even steps from start to stop of the withdrawal, inner boundaries (count, 5)."""
    drawn = [_MAKERS[family](rng) for _ in range(count)]
    return np.stack([points for points, _ in drawn]), np.stack([inner for _, inner in drawn])


def _laid(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    centreline, boundaries = laid_course(rng)
    return _between(np.arange(len(centreline), dtype=np.float64), centreline, boundaries)


def _usual(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    return _directed(rng, USUAL)


def _varied(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    return _directed(rng, varied_course(rng))


def _directed(rng: np.random.Generator, course: Course) -> tuple[FloatArray, FloatArray]:
    boundaries, arc = _lengths(rng, 1.0)
    edges = np.r_[0.0, boundaries[1:6], arc[-1]]
    knots, keys = [], []
    for k, segment in enumerate(course):
        knots.append(edges[k] + (np.arange(len(segment)) + 0.5) / len(segment) * (edges[k + 1] - edges[k]))
        keys.append(np.asarray(segment) + rng.normal(0.0, JITTER[k], (len(segment), 3)))
    return _between(arc, _followed(rng, arc, knots, keys), boundaries)


def _loose(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    boundaries, arc = _lengths(rng, rng.uniform(*_WIDER))
    course: Course = varied_course(rng) if rng.random() < _VARIED else USUAL
    turns = np.maximum.accumulate(boundaries[1:6] + rng.normal(0.0, _BORDER * boundaries[-1], 5))
    edges = np.r_[0.0, turns, arc[-1]]
    unsteady, body = rng.uniform(*_UNSTEADY), np.exp(rng.normal(0.0, _BODY, 3))
    knots, keys = [], []
    for k, segment in enumerate(course):
        along = np.cumsum(np.exp(rng.normal(0.0, _UNEVEN, len(segment) + 1)))
        knots.append(edges[k] + along[:-1] / along[-1] * (edges[k + 1] - edges[k]))
        keys.append((np.asarray(segment) + rng.normal(0.0, JITTER[k] * unsteady, (len(segment), 3))) * body)
    return _between(arc, _followed(rng, arc, knots, keys), boundaries)


def _lengths(rng: np.random.Generator, wider: float) -> tuple[FloatArray, FloatArray]:
    """The seven boundaries, mm, and the arc at even steps."""
    raw = np.exp(_LENGTH_MU + wider * _LENGTH_SIGMA * rng.standard_normal(6))
    boundaries = rng.uniform(20.0, 35.0) + rng.uniform(1150.0, 1600.0) * np.r_[0.0, np.cumsum(raw / raw.sum())]
    return boundaries, np.arange(0.0, boundaries[-1] + rng.uniform(22.0, 30.0), _STEP_MM)


def _followed(rng: np.random.Generator, arc: FloatArray, knots: list[FloatArray], keys: list[FloatArray]) -> FloatArray:
    """As in `simulate.courses`: the nearest key's direction, smoothed; here in steps of 4 mm."""
    middles = np.convolve(np.concatenate(knots), [0.5, 0.5], "valid")
    steps = unit(np.concatenate(keys))[np.searchsorted(middles, arc)]
    noisy = steps + rng.normal(0.0, 1.2 / np.sqrt(_STEP_MM), steps.shape)
    direction = unit(gaussian_filter1d(noisy, rng.uniform(14.0, 26.0) / _STEP_MM, axis=0, mode="nearest"))
    middle = 0.5 * (direction[1:] + direction[:-1]) * _STEP_MM
    return np.concatenate([np.zeros((1, 3)), np.cumsum(middle, axis=0)])


def _between(arc: FloatArray, points: FloatArray, boundaries: FloatArray) -> tuple[FloatArray, FloatArray]:
    first, last = boundaries[0], boundaries[6]
    at = np.linspace(first, last, POINTS)
    even = np.stack([np.interp(at, arc, column) for column in points.T], axis=1)
    return even, (boundaries[1:6] - first) / (last - first)


_MAKERS = {"usual": _usual, "varied": _varied, "loose": _loose, "laid": _laid}
