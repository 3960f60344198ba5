"""Courses of the colon: the usual one, and what may differ from patient to patient by published anatomy.

`usual` has the same directions of travel in every patient, up to a jitter. `varied` draws them for each segment: a
mobile cecum that points anywhere, a redundant hepatic flexure, a transverse colon from straight to ptotic (V, U or W),
low and high splenic flexures, a mobile descending colon, and a sigmoid that is an N-loop, an alpha or reversed alpha
loop, redundant, or straightened by the scope. `laid` is made in another way altogether, as a curve through places in
the abdomen, so that what was learned on the others can be tested.

Axes as in `colon.py`: x to the patient's left, y to the head, z to the front.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.poses import arc_of

Keys = list[tuple[float, float, float]]
Course = Sequence[Sequence[tuple[float, float, float]]]
CourseName = Literal["usual", "varied", "laid"]
COURSES: tuple[CourseName, ...] = get_args(CourseName)

# The usual course: directions of travel (x left, y up, z front) at equal shares of its length.
USUAL: Course = (
    ((0.10, 1.0, 0.15), (0.0, 1.0, -0.10)),
    ((0.0, 1.0, -0.15), (-0.05, 1.0, 0.0), (0.10, 0.9, 0.35)),
    ((0.45, 0.05, 0.9), (0.8, -0.5, 0.3), (1.0, -0.35, 0.1), (1.0, 0.3, 0.0), (0.8, 0.65, -0.2), (0.6, 0.4, -0.75)),
    ((0.15, -0.5, -0.8), (0.0, -1.0, 0.0), (0.05, -1.0, 0.05), (-0.05, -1.0, 0.15), (-0.2, -0.9, 0.3)),
    ((-0.6, -0.5, 0.6), (-0.8, 0.5, 0.35), (-0.6, 0.75, -0.3), (-0.5, -0.3, -0.8), (0.15, -0.9, -0.35),
     (-0.4, -0.8, -0.4)),
    ((0.0, -0.6, -0.8), (0.1, -0.9, -0.3), (0.0, -0.9, 0.4)),
)  # fmt: skip
JITTER = (0.10, 0.13, 0.25, 0.13, 0.38, 0.15)
TIGHTEST_MM = 26.0  # radius of a bend: narrower ones would make the tube cut itself


def check_course(course: str) -> CourseName:
    """The name of a family of courses, or a word about the ones there are."""
    for known in COURSES:
        if course == known:
            return known
    raise HaustraError(f"no course '{course}': choose one of {', '.join(COURSES)}")


def draw_course(rng: np.random.Generator, boundaries: FloatArray, n: int, course: Course) -> FloatArray:
    """Integrates smoothed directions of travel: segment lengths are exact, bends are bounded by the smoothing."""
    edges = np.r_[0.0, boundaries[1:-1], n]
    knots, directions = [], []
    for k, keys in enumerate(course):
        at = edges[k] + (np.arange(len(keys)) + 0.5) / len(keys) * (edges[k + 1] - edges[k])
        knots.append(at)
        directions.append(np.asarray(keys) + rng.normal(0.0, JITTER[k], (len(keys), 3)))
    arc = np.arange(n, dtype=np.float64)
    directed = unit(np.concatenate(directions))
    # Nearest-key steps before the smoothing keep straight runs straight and put the turn between two keys.
    middles = np.convolve(np.concatenate(knots), [0.5, 0.5], "valid")
    steps = directed[np.searchsorted(middles, arc)] + rng.normal(0.0, 1.2, (n, 3))
    return _integrated(unit(gaussian_filter1d(steps, 15.0, axis=0, mode="nearest")))


def _integrated(tangent: FloatArray) -> FloatArray:
    """The line that goes by 1 mm along each direction, its bends smoothed until none is too tight."""
    for _ in range(12):
        if np.linalg.norm(np.gradient(tangent, axis=0), axis=1).max() < 1 / TIGHTEST_MM:
            break
        tangent = unit(gaussian_filter1d(tangent, 8.0, axis=0, mode="nearest"))
    return np.concatenate([np.zeros((1, 3)), np.cumsum(0.5 * (tangent[1:] + tangent[:-1]), axis=0)])


def unit(vectors: FloatArray) -> FloatArray:
    """Vectors of length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def varied_course(rng: np.random.Generator) -> tuple[Keys, ...]:
    """Directions of travel at equal shares of each segment's length, cecum first."""
    return _cecum(rng), _ascending(rng), _transverse(rng), _descending(rng), _sigmoid(rng), _rectum(rng)


def _cecum(rng: np.random.Generator) -> Keys:
    if rng.random() < 0.3:  # mobile: the pole lies medially, in front, or folded upwards
        x, y, z = rng.normal(0.0, 0.8, 3)
        return [(x, y, z), (0.3 * x, 0.8, 0.3 * z)]
    return [(0.1, 1.0, 0.15), (0.0, 1.0, -0.1)]


def _ascending(rng: np.random.Generator) -> Keys:
    tilt, back = rng.normal(0.0, 0.2), rng.normal(-0.1, 0.2)
    keys: Keys = [(tilt, 1.0, back), (-tilt, 1.0, back / 2), (0.1, 0.9, rng.uniform(0.0, 0.6))]
    if rng.random() < 0.2:  # a redundant hepatic flexure folds down and up once more
        keys += [(0.5, -0.7, rng.uniform(0.1, 0.7)), (rng.uniform(-0.3, 0.4), 0.9, 0.2)]
    return keys


def _transverse(rng: np.random.Generator) -> Keys:
    sag, rise, front = rng.uniform(-0.1, 1.7), rng.uniform(0.2, 1.6), rng.uniform(0.3, 1.1)
    first: Keys = [(rng.uniform(0.1, 0.6), -0.3 * sag, front), (0.7, -sag, 0.35 * front)]
    last: Keys = [(0.8, 0.6 * rise, -0.2), (rng.uniform(0.2, 0.7), 0.7 * rise, -rng.uniform(0.3, 1.0))]
    shape = rng.integers(3)
    if shape == 0:  # V
        return [*first, (0.7, -sag, 0.0), (0.7, 0.8 * sag + 0.2, -0.1), *last]
    if shape == 1:  # U
        return [*first, (1.0, -0.3 * sag, 0.0), (1.0, 0.0, 0.0), (0.9, 0.5 * sag, 0.0), *last]
    return [*first, (0.8, 0.5 * sag, 0.0), (0.8, -0.5 * sag, 0.0), (0.7, sag, -0.1), *last]


def _descending(rng: np.random.Generator) -> Keys:
    back = rng.uniform(0.3, 1.0)
    keys: Keys = [(rng.uniform(-0.2, 0.3), -0.5, -back), (0.0, -1.0, 0.0)]
    if rng.random() < 0.25:  # a mesentery of its own: it bows to the middle and back
        keys += [(-0.7, -0.8, 0.3), (0.6, -0.8, 0.0)]
    return [*keys, (0.05, -1.0, 0.05), (-0.05, -1.0, 0.15), (rng.uniform(-0.4, 0.1), -0.9, rng.uniform(0.0, 0.5))]


def _sigmoid(rng: np.random.Generator) -> Keys:
    kind = rng.choice(["usual", "alpha", "reversed", "redundant", "straightened"], p=[0.3, 0.2, 0.1, 0.2, 0.2])
    if kind == "straightened":
        return [(-0.6, -0.7, 0.4), (-0.8, -0.2, 0.1), (-0.5, -0.5, -0.5), (-0.2, -0.9, -0.4)]
    if kind == "usual":
        return [(-0.6, -0.5, 0.6), (-0.8, 0.5, 0.35), (-0.6, 0.75, -0.3), (-0.5, -0.3, -0.8), (0.15, -0.9, -0.35),
                (-0.4, -0.8, -0.4)]  # fmt: skip
    if kind == "redundant":
        up = rng.uniform(0.5, 1.2)
        return [(-0.6, -0.4, 0.6), (-0.5, up, 0.4), (-0.7, 0.3, 0.0), (-0.2, -1.0, 0.2), (0.7, -0.3, -0.3),
                (-0.2, 0.8, -0.3), (-0.7, 0.0, -0.4), (0.1, -0.9, -0.4), (-0.2, -0.8, -0.4)]  # fmt: skip
    return _loop(rng, 1.0 if kind == "alpha" else -1.0)


def _loop(rng: np.random.Generator, hand: float) -> Keys:
    """Once around in a plane that faces the front, drifting towards the rectum."""
    turn, start = rng.uniform(1.6, 2.1) * math.pi, rng.uniform(1.1, 1.6) * math.pi
    angles = start + hand * turn * np.linspace(0.0, 1.0, 8)
    tilt = rng.uniform(-0.5, 0.5)
    drift = np.array([-0.25, -0.25, 0.0])
    keys = [np.array([math.cos(a), math.sin(a), tilt * math.sin(a)]) + drift for a in angles]
    return [(float(k[0]), float(k[1]), float(k[2])) for k in keys] + [(-0.2, -0.8, -0.5)]


def _rectum(rng: np.random.Generator) -> Keys:
    return [(0.0, -0.6, -rng.uniform(0.4, 1.0)), (0.1, -0.9, -0.3), (0.0, -0.9, rng.uniform(0.0, 0.7))]


# Places (mm) in the abdomen that the curve passes, with their spread over patients; the sigmoid's are drawn apart.
_CECUM = ((-75, -120, 10), (18, 18, 15))
_ILEUM = ((-90, -75, 0), (12, 12, 12))
_RIGHT = ((-100, 0, -25), (15, 25, 15))
_HEPATIC = ((-92, 70, -15), (18, 30, 18))
_MIDDLE = ((0, 0, 60), (25, 60, 20))
_SPLENIC = ((105, 110, -50), (15, 30, 15))
_LEFT = ((115, 10, -35), (15, 25, 15))
_ILIAC = ((95, -95, -10), (15, 20, 18))
_PROMONTORY = ((0, -105, -45), (15, 15, 12))
_ANUS = ((0, -215, -20), (6, 12, 8))


def laid_course(rng: np.random.Generator, length: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Centreline every mm, shape (n, 3), and the seven boundaries in mm of arc from the cecum's pole."""
    body = length * rng.uniform(0.85, 1.2)
    draw: Callable[[tuple[tuple[int, ...], tuple[int, ...]]], FloatArray] = lambda place: (  # noqa: E731
        body * rng.normal(np.array(place[0], dtype=np.float64), np.array(place[1]))
    )
    hepatic, middle, splenic = draw(_HEPATIC), draw(_MIDDLE), draw(_SPLENIC)
    iliac, promontory, anus = draw(_ILIAC), draw(_PROMONTORY), draw(_ANUS)
    stations = [draw(_CECUM), draw(_ILEUM), draw(_RIGHT), hepatic, *_between(rng, hepatic, middle, 2, 22.0)]
    stations += [middle, *_between(rng, middle, splenic, 2, 22.0), splenic, draw(_LEFT), iliac]
    stations += [*_pelvic_loops(rng, iliac, promontory), promontory, *_between(rng, promontory, anus, 1, 14.0), anus]
    marks = [1, 3, 3 + 2 + 1 + 2 + 1, 3 + 2 + 1 + 2 + 1 + 2, len(stations) - 3]
    return _through(np.stack(stations), marks, rng)


def _between(rng: np.random.Generator, a: FloatArray, b: FloatArray, count: int, spread: float) -> list[FloatArray]:
    shares = np.arange(1, count + 1) / (count + 1)
    return [a + share * (b - a) + rng.normal(0.0, spread, 3) for share in shares]


def _pelvic_loops(rng: np.random.Generator, iliac: FloatArray, promontory: FloatArray) -> list[FloatArray]:
    """A sigmoid of one to three bends that rise out of the pelvis."""
    bends = int(rng.integers(2, 6))
    points = _between(rng, iliac, promontory, bends, 18.0)
    for k, point in enumerate(points):
        point += np.array([rng.normal(0.0, 25.0), (-1) ** k * rng.uniform(10.0, 60.0), rng.normal(15.0, 30.0)])
    return points


def _through(stations: FloatArray, marks: list[int], rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """A cubic spline through the stations, every mm; `marks` are the stations at inner boundaries."""
    along = np.r_[0.0, np.cumsum(np.sqrt(np.linalg.norm(np.diff(stations, axis=0), axis=1)))]
    fine = np.linspace(0.0, along[-1], 6000)
    points = CubicSpline(along, stations)(fine)
    arc = arc_of(points)
    inner = np.interp(along[marks], fine, arc)
    every = np.arange(0.0, arc[-1])
    centreline = np.stack([np.interp(every, arc, column) for column in points.T], axis=1)
    centreline = _integrated(unit(np.gradient(centreline, axis=0)))
    first = min(rng.uniform(15.0, 30.0), 0.5 * inner[0])
    return centreline, np.r_[first, inner, len(centreline) - 1.0 - rng.uniform(15.0, 25.0)]
