"""Colon courses as splines through stations in the abdomen: every station, sag and loop is drawn from a wide range.

Axes and millimetres as in `haustra.lab.simulate.colon`: x to the patient's left, y to the head, z to the front.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from haustra.core.arrays import FloatArray
from haustra.core.poses import arc_of

_FINE = 1500
_STEP_MM = 4.0
_BORDER = 0.008  # of the path length: standard deviation of an annotated boundary
_REDUNDANT = 0.2  # share with a redundant hepatic flexure, which folds down and up once more
_MOBILE = 0.2  # share with a mobile cecum, which lies medially or higher
Stations = list[FloatArray]


def stationed_course(rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Arc (n,), points (n, 3) and the seven boundaries, in mm."""
    stations = _right_side(rng)
    marks = [1, len(stations) - 1]
    splenic = np.array([rng.normal(100, 20), stations[-1][1] + rng.uniform(-20, 110), rng.normal(-45, 25)])
    stations += [*_transverse(rng, stations[-1], splenic), splenic]
    marks.append(len(stations) - 1)
    iliac, promontory = _near(rng, (95, -85, 0), (20, 28, 25)), _near(rng, (0, -100, -45), (18, 20, 18))
    down = np.sort(rng.uniform(0.15, 0.85, rng.integers(1, 4)))
    stations += [splenic + t * (iliac - splenic) + _near(rng, (15, 0, -10), (20, 8, 16)) for t in down]
    stations += [iliac, *_sigmoid(rng, iliac, promontory), promontory]
    marks += [marks[2] + len(down) + 1, len(stations) - 1]
    stations += [_near(rng, (0, -160, -70), (10, 16, 14)), _near(rng, (0, -215, -15), (6, 14, 12))]
    body = rng.uniform(0.85, 1.2) * np.exp(rng.normal(0.0, 0.12, 3))
    return _through(rng, np.stack(stations) * body, marks)


def _near(rng: np.random.Generator, place: tuple[float, ...], spread: tuple[float, ...]) -> FloatArray:
    return rng.normal(np.array(place, dtype=np.float64), spread)


def _right_side(rng: np.random.Generator) -> Stations:
    """From the cecum's pole to the hepatic flexure."""
    pole = _near(rng, (-80, -110, 15), (25, 35, 25))
    if rng.random() < _MOBILE:
        pole += np.array([rng.uniform(0, 80), rng.uniform(-30, 60), rng.uniform(0, 30)])
    valve = np.array([0.5 * pole[0] - 50, pole[1] + rng.uniform(25, 75), rng.normal(0, 20)])
    flexure = np.array([rng.normal(-80, 25), rng.uniform(10, 120), rng.normal(-10, 25)])
    up = np.sort(rng.uniform(0.25, 0.8, rng.integers(1, 3)))
    stations = [pole, valve, *(valve + t * (flexure - valve) + _near(rng, (-15, 0, -15), (14, 8, 14)) for t in up)]
    if rng.random() < _REDUNDANT:
        stations += [flexure + _near(rng, (10, 10, 0), (10, 12, 10)), flexure + _near(rng, (30, -55, 25), (15, 20, 15))]
        flexure = flexure + _near(rng, (45, 0, 15), (15, 15, 12))
    return [*stations, flexure]


def _transverse(rng: np.random.Generator, hepatic: FloatArray, splenic: FloatArray) -> Stations:
    """Straight, V, U or W shape, from just above the flexures to far below them, and forwards."""
    count = int(rng.integers(1, 5))
    sag, front, power = rng.uniform(-20, 210), rng.uniform(20, 110), rng.uniform(0.5, 1.5)
    twice = rng.random() < 0.25
    stations = []
    for t in (np.arange(1, count + 1) + rng.uniform(-0.25, 0.25, count)) / (count + 1):
        bow = np.sin(np.pi * t) ** power
        dip = abs(np.sin(2 * np.pi * t)) if twice else bow
        line = hepatic + t * (splenic - hepatic)
        stations.append(line + np.array([0.0, -sag * dip, front * bow]) + rng.normal(0, 14, 3))
    return stations


def _sigmoid(rng: np.random.Generator, iliac: FloatArray, promontory: FloatArray) -> Stations:
    """Bends anywhere in the pelvis, a loop of either handedness, or straightened by the scope."""
    kind = rng.random()
    if kind < 0.15:
        return [(iliac + promontory) / 2 + _near(rng, (0, -10, 10), (15, 20, 15))]
    if kind < 0.6:
        count = int(rng.integers(1, 6))
        middle, size = _near(rng, (25, -70, 20), (20, 25, 20)), rng.uniform(25, 60) * np.array([1.0, 1.0, 0.7])
        line = [iliac + t * (promontory - iliac) for t in np.arange(1, count + 1) / (count + 1)]
        return [0.5 * point + 0.5 * middle + rng.normal(0, size) for point in line]
    return _loop(rng, iliac, promontory)


def _loop(rng: np.random.Generator, iliac: FloatArray, promontory: FloatArray) -> Stations:
    middle, radius = _near(rng, (25, -60, 15), (25, 30, 20)), rng.uniform(25, 75, 2)
    normal = rng.normal((0.0, 0.0, 1.5), 1.0)
    across = np.cross(normal, [1.0, 0.0, 0.1])
    across /= np.linalg.norm(across)
    along = np.cross(normal / np.linalg.norm(normal), across)
    first = np.arctan2((iliac - middle) @ along, (iliac - middle) @ across)
    turn = rng.uniform(0.7, 2.2) * np.pi * rng.choice([-1, 1])
    stations = []
    for t in np.arange(1, 7) / 7:
        angle, on_ring = first + turn * t, np.sin(np.pi * t) ** 0.5
        ring = middle + radius[0] * np.cos(angle) * across + radius[1] * np.sin(angle) * along
        line = iliac + t * (promontory - iliac)
        stations.append(on_ring * ring + (1 - on_ring) * line + rng.normal(0, 8, 3))
    return stations


def _through(
    rng: np.random.Generator, stations: FloatArray, marks: list[int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A spline through the stations with small perturbations, and boundaries near the marked stations."""
    power = rng.uniform(0.5, 1.0)
    at = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(stations, axis=0), axis=1) ** power)]
    fine = np.linspace(0.0, at[-1], _FINE)
    points = CubicSpline(at, stations, bc_type="natural")(fine)
    arc = arc_of(points)
    even = np.arange(0.0, arc[-1], _STEP_MM)
    inner = np.interp(at[marks], fine, arc)
    points = np.stack([np.interp(even, arc, column) for column in points.T], axis=1)
    wiggle = gaussian_filter1d(rng.standard_normal(points.shape), rng.uniform(4, 10), axis=0)
    points = points + wiggle / wiggle.std() * rng.uniform(0, 5)
    points = gaussian_filter1d(points, rng.uniform(2, 5), axis=0, mode="nearest")
    arc = arc_of(points)
    inner = np.interp(inner, even, arc)
    first, last = min(rng.uniform(5, 35), 0.5 * inner[0]), arc[-1] - rng.uniform(5, 30)
    inner = np.sort(np.clip(inner + rng.normal(0, _BORDER * arc[-1], len(inner)), first + 10, last - 10))
    return arc, points, np.r_[first, inner, last]
