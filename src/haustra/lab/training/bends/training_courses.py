"""Colon courses for training: the simulator's families and others, each from a different generator.

A network trained on one generator is worse, and overconfident, on another: it must generalise over several. `loose`
draws what the simulator fixes, `stationed` and `slung` have their own modules, `blended` interpolates between two
courses of any of them. The simulator's `laid` is for testing only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d

from haustra.core.arrays import FloatArray
from haustra.core.poses import arc_of
from haustra.core.vocabulary import BOUNDARIES, SEGMENTS
from haustra.lab.simulate.colon import LENGTH_MU, LENGTH_SIGMA
from haustra.lab.simulate.courses import JITTER, USUAL, Course, laid_course, unit, varied_course
from haustra.lab.training.bends.slung import slung_courses
from haustra.lab.training.bends.stations import stationed_course

POINTS = 129
_STEP_MM = 4
# The loose family draws from wide ranges: factor on the paper's spread of lengths, factor on the spread of directions,
# body proportions, unevenness of the turns, and distance of an annotated boundary from its turn (share of the path).
_WIDER = (1.0, 1.7)
_UNSTEADY = (0.7, 2.6)
_BODY = 0.35
_UNEVEN = 0.7
_BORDER = 0.012
_VARIED = 0.75  # the other loose courses have the usual directions
_BLENDED_OF = ("varied", "loose", "stationed", "slung")
_CHAINS = 100  # relaxed at once

Drawn = tuple[FloatArray, FloatArray]


def draw(rng: np.random.Generator, family: str, count: int, without: str | None = None) -> Drawn:
    """Courses (count, POINTS, 3) at even steps from start to stop of the withdrawal, inner boundaries (count, 5).

    `without`: family left out of blends.
    """
    if family == "blended":
        return _blends(rng, count, [other for other in _BLENDED_OF if other != without])
    if family == "slung":
        sizes = [min(_CHAINS, count - k) for k in range(0, count, _CHAINS)]
        drawn = [_between(*course) for size in sizes for course in slung_courses(rng, size)]
    else:
        drawn = [_MAKERS[family](rng) for _ in range(count)]
    return np.stack([points for points, _ in drawn]), np.stack([inner for _, inner in drawn])


def _blends(rng: np.random.Generator, count: int, families: Sequence[str]) -> Drawn:
    """Interpolated between two courses, segment by segment; all families share axes."""
    parts = np.bincount(rng.integers(0, len(families), 2 * count), minlength=len(families))
    drawn = [draw(rng, family, int(part)) for family, part in zip(families, parts, strict=True) if part]
    order = rng.permutation(2 * count)
    points, inner = (np.concatenate(part)[order] for part in zip(*drawn, strict=True))
    made = [
        _blend(rng.uniform(0.2, 0.8), (points[k], inner[k]), (points[count + k], inner[count + k]))
        for k in range(count)
    ]
    return np.stack([course for course, _ in made]), np.stack([boundaries for _, boundaries in made])


def _blend(share: float, one: Drawn, other: Drawn) -> Drawn:
    boundaries = (1 - share) * one[1] + share * other[1]
    at = np.linspace(0.0, 1.0, POINTS)
    mixed = np.zeros((POINTS, 3))
    for weight, (points, inner) in ((1 - share, one), (share, other)):
        own = np.interp(at, np.r_[0.0, boundaries, 1.0], np.r_[0.0, inner, 1.0])
        size = np.ptp(points, axis=0).max()
        mixed += weight / size * np.stack([np.interp(own, at, column) for column in points.T], axis=1)
    arc = arc_of(mixed)
    return _between(arc, mixed, np.asarray(np.interp(np.r_[0.0, boundaries, 1.0], at, arc)))


def _stationed(rng: np.random.Generator) -> Drawn:
    return _between(*stationed_course(rng))


def _laid(rng: np.random.Generator) -> Drawn:
    centreline, boundaries = laid_course(rng)
    return _between(np.arange(len(centreline), dtype=np.float64), centreline, boundaries)


def _usual(rng: np.random.Generator) -> Drawn:
    return _directed(rng, USUAL)


def _varied(rng: np.random.Generator) -> Drawn:
    return _directed(rng, varied_course(rng))


def _directed(rng: np.random.Generator, course: Course) -> Drawn:
    boundaries, arc = _lengths(rng, 1.0)
    edges = np.r_[0.0, boundaries[1:-1], arc[-1]]
    knots, keys = [], []
    for k, segment in enumerate(course):
        knots.append(edges[k] + (np.arange(len(segment)) + 0.5) / len(segment) * (edges[k + 1] - edges[k]))
        keys.append(np.asarray(segment) + rng.normal(0.0, JITTER[k], (len(segment), 3)))
    return _between(arc, _followed(rng, arc, knots, keys), boundaries)


def _loose(rng: np.random.Generator) -> Drawn:
    boundaries, arc = _lengths(rng, rng.uniform(*_WIDER))
    course: Course = varied_course(rng) if rng.random() < _VARIED else USUAL
    turns = np.maximum.accumulate(boundaries[1:-1] + rng.normal(0.0, _BORDER * boundaries[-1], len(BOUNDARIES)))
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
    raw = np.exp(LENGTH_MU + wider * LENGTH_SIGMA * rng.standard_normal(len(SEGMENTS)))
    boundaries = rng.uniform(20.0, 35.0) + rng.uniform(1150.0, 1600.0) * np.r_[0.0, np.cumsum(raw / raw.sum())]
    return boundaries, np.arange(0.0, boundaries[-1] + rng.uniform(22.0, 30.0), _STEP_MM)


def _followed(rng: np.random.Generator, arc: FloatArray, knots: list[FloatArray], keys: list[FloatArray]) -> FloatArray:
    """As in `simulate.courses`: the direction of the nearest key, smoothed; here in steps of 4 mm."""
    middles = np.convolve(np.concatenate(knots), [0.5, 0.5], "valid")
    steps = unit(np.concatenate(keys))[np.searchsorted(middles, arc)]
    noisy = steps + rng.normal(0.0, 1.2 / np.sqrt(_STEP_MM), steps.shape)
    direction = unit(gaussian_filter1d(noisy, rng.uniform(14.0, 26.0) / _STEP_MM, axis=0, mode="nearest"))
    middle = 0.5 * (direction[1:] + direction[:-1]) * _STEP_MM
    return np.concatenate([np.zeros((1, 3)), np.cumsum(middle, axis=0)])


def _between(arc: FloatArray, points: FloatArray, boundaries: FloatArray) -> Drawn:
    first, last = boundaries[0], boundaries[-1]
    at = np.linspace(first, last, POINTS)
    even = np.stack([np.interp(at, arc, column) for column in points.T], axis=1)
    return even, (boundaries[1:-1] - first) / (last - first)


_MAKERS = {"usual": _usual, "varied": _varied, "loose": _loose, "stationed": _stationed, "laid": _laid}
