"""Corruption of true courses into estimated paths: rotation lost in gaps, scale drift, rotation noise, calibre.

Level 1 has the errors of located recordings: angles between directions a sixteenth of the path apart err by 15 degrees
on average, a quarter apart by 35, a half by 40, three quarters by 45; 0.41 of the path lies in gaps; boundaries move by
0.01 to 0.04. Nearly all error comes from a few gaps, whose predicted rotation uncertainty
(`haustra.path.gap_rotation`) is an input of the network.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from haustra.anatomy.bends import STEPS, turn_std_between
from haustra.core.arrays import FloatArray
from haustra.core.segments import LUMEN_DIAMETER_MM
from haustra.core.vocabulary import SEGMENTS

HIGHEST_LEVEL = 1.6
UNHARMED = 0.12  # share of the courses without corruption
_LOST = 0.65  # largest share of the path in gaps
_NOISE = (0.005, 0.05)  # radians per step: rotation errors accumulate along the path
_GAPS = 60
# Two kinds of gap: in some most of the rotation is measured, in others little. Ranges of the rotation error in radians
# and of the measured share; the predicted standard deviation is itself wrong by a log-normal factor.
_SURE = (0.2, 0.7)
_OFF_SURE, _SEEN_SURE = (0.03, 0.2), (0.7, 1.1)
_OFF, _SEEN = (0.25, 1.3), (0.1, 1.0)
_USUAL_TURN = 0.7
_TOLD_WRONG = 0.4
_BENT = 0.025  # radians per step: slow random bending that no simulated family has


@dataclass(frozen=True)
class WrongPaths:
    """Paths (n, STEPS + 1, 3) of length 1, standard deviation of the rotation in each step in radians (n, STEPS), and
    the moved inner boundaries (n, 5)."""

    points: FloatArray
    unsure: FloatArray
    boundaries: FloatArray


@dataclass(frozen=True)
class _Gaps:
    """Steps (n, steps) inside a gap, and for each its rotation error in radians, the measured share of the rotation,
    and the predicted standard deviation."""

    within: NDArray[np.bool_]
    off: FloatArray
    seen: FloatArray
    told: FloatArray


def make_wrong(
    rng: np.random.Generator, courses: FloatArray, boundaries: FloatArray, level: float | None = None
) -> WrongPaths:
    """Corrupt each course at its own level, or all at `level` (0: not at all)."""
    n, steps = len(courses), courses.shape[1] - 1
    levels = rng.uniform(0.2, HIGHEST_LEVEL, n) if level is None else np.full(n, level)
    if level is None:
        levels[rng.random(n) < UNHARMED] = 0.0
    gaps = _gaps(rng, levels, steps)
    delta = np.diff(courses, axis=1)
    length = np.linalg.norm(delta, axis=2)
    heading = _wrong_turns(rng, delta / length[..., None], levels, gaps, bent=0.0 if level is not None else _BENT)
    length = length * np.exp(_wrong_scale(rng, boundaries, levels, gaps.within))
    at = np.concatenate([np.zeros((n, 1)), np.cumsum(length, axis=1)], axis=1)
    total = at[:, -1:]
    path = np.concatenate([np.zeros((n, 1, 3)), np.cumsum(heading * length[..., None], axis=1)], axis=1)
    return _at_places(path / total[..., None], at / total, gaps, boundaries)


def _gaps(rng: np.random.Generator, levels: FloatArray, steps: int) -> _Gaps:
    """Gaps of a few hundredths of the path until the wanted share is covered."""
    n = len(levels)
    wanted = np.where(levels > 0, rng.uniform(0.1, 1.0, n) * _LOST, 0.0)
    first = rng.integers(0, steps, (n, _GAPS))
    width = np.minimum(1 + rng.exponential(0.012 * steps, first.shape), 0.1 * steps).astype(int)
    gap, places = np.zeros((n, steps), dtype=bool), np.arange(steps)
    for k in range(_GAPS):
        within = (places >= first[:, k : k + 1]) & (places < (first[:, k] + width[:, k])[:, None])
        gap |= (gap.mean(axis=1) < wanted)[:, None] & within
    number = _numbered(gap)
    drawn = (n, int(number.max()) + 1)
    sure = rng.random(drawn) < rng.uniform(*_SURE, (n, 1))
    off = np.where(sure, rng.uniform(*_OFF_SURE, drawn), rng.uniform(*_OFF, drawn)) * levels[:, None]
    seen = np.where(sure, rng.uniform(*_SEEN_SURE, drawn), rng.uniform(*_SEEN, drawn))
    told = np.hypot(off, _USUAL_TURN * np.maximum(1 - seen, 0.0)) * np.exp(_TOLD_WRONG * rng.standard_normal(drawn))
    return _Gaps(gap, *(np.take_along_axis(values, number, 1) * gap for values in (off, seen, told)))


def _numbered(gap: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Number (n, steps) of the gap at or before each step, from 1."""
    return np.cumsum(np.diff(gap.astype(np.intp), axis=1, prepend=0) > 0, axis=1)


def _wrong_turns(
    rng: np.random.Generator, heading: FloatArray, levels: FloatArray, gaps: _Gaps, bent: float
) -> FloatArray:
    """Directions chained from rotations in the camera frame: scaled, noisy, mostly lost in gaps."""
    n, steps, _ = heading.shape
    frames, turns = _own_turns(heading)
    lost, seen = gaps.within[:, :-1], gaps.seen[:, :-1]
    entered = np.diff(lost.astype(np.intp), axis=1, prepend=0) > 0
    gain = 1 + (rng.normal(0.0, 0.08, n) * levels)[:, None, None]
    noise = _up_to(rng, levels, *_NOISE) * rng.standard_normal(turns.shape)
    jump = (entered * gaps.off[:, :-1] / np.sqrt(3.0))[..., None] * rng.standard_normal(turns.shape)
    slow = gaussian_filter1d(rng.standard_normal((n, steps - 1, 2)), 0.06 * steps, axis=1)
    slow *= rng.uniform(0.0, bent, (n, 1, 1)) / float(slow.std())
    wrong = np.where(lost[..., None], seen[..., None] * turns, gain * turns) + noise + jump
    wrong[..., :2] += slow
    rotation, current = _rotations(wrong), frames[:, 0]
    result = np.empty_like(heading)
    result[:, 0] = current[:, :, 2]
    for k in range(steps - 1):
        current = current @ rotation[:, k]
        result[:, k + 1] = current[:, :, 2]
    return result


def _up_to(rng: np.random.Generator, levels: FloatArray, low: float, high: float) -> FloatArray:
    """A random factor per course, by its level: (n, 1, 1)."""
    return (levels * rng.uniform(low, high, len(levels)))[:, None, None]


def _own_turns(heading: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Parallel-transport frames (n, steps, 3, 3), and the rotation after each step in its frame."""
    n, steps, _ = heading.shape
    axis = np.cross(heading[:, :-1], heading[:, 1:])
    sine, cosine = np.linalg.norm(axis, axis=2), (heading[:, :-1] * heading[:, 1:]).sum(axis=2)
    turn = axis * (np.arctan2(sine, cosine) / (sine + 1e-12))[..., None]
    frames = np.empty((n, steps, 3, 3))
    z = heading[:, 0]
    x = np.cross(np.where(np.abs(z[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]), z)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    frames[:, 0] = np.stack([x, np.cross(z, x), z], axis=2)
    rotation = _rotations(turn)
    for k in range(steps - 1):
        frames[:, k + 1] = rotation[:, k] @ frames[:, k]
    return frames, np.einsum("bnji,bnj->bni", frames[:, :-1], turn)


def _rotations(turn: FloatArray) -> FloatArray:
    """Rodrigues' formula for any array of rotation vectors."""
    angle = np.linalg.norm(turn, axis=-1)[..., None, None] + 1e-12
    K = np.zeros((*turn.shape, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -turn[..., 2], turn[..., 1], -turn[..., 0]
    K[..., 1, 0], K[..., 2, 0], K[..., 2, 1] = turn[..., 2], -turn[..., 1], turn[..., 0]
    rotation: FloatArray = np.eye(3) + np.sin(angle) / angle * K + (1 - np.cos(angle)) / angle**2 * (K @ K)
    return rotation


def _wrong_scale(
    rng: np.random.Generator, boundaries: FloatArray, levels: FloatArray, gap: NDArray[np.bool_]
) -> FloatArray:
    """Log scale of each step: slow drift, lumen calibre (the unit of measured motion), guesses in gaps."""
    n, steps = gap.shape
    drift = gaussian_filter1d(rng.standard_normal((n, steps + 80)), 0.08 * steps, axis=1)[:, 40:-40]
    drift *= (levels * rng.uniform(0.05, 0.35, n))[:, None] / drift.std()
    passed = ((np.arange(steps) + 0.5) / steps)[None, :, None] >= boundaries[:, None, :]
    segment = np.count_nonzero(passed, axis=2)
    calibre = np.log(LUMEN_DIAMETER_MM) + rng.normal(0.0, 0.15, (n, len(SEGMENTS)))
    calibre = gaussian_filter1d(np.take_along_axis(calibre, segment, 1), 2.0, axis=1)
    by_calibre = (levels * rng.uniform(0.0, 1.0, n))[:, None] * (calibre - calibre.mean(axis=1, keepdims=True))
    number = _numbered(gap)
    guess = rng.normal(0.0, 0.5, (n, int(number.max()) + 1)) * levels[:, None]
    return drift - by_calibre + gap * np.take_along_axis(guess, number, 1)


def _at_places(path: FloatArray, at: FloatArray, gaps: _Gaps, boundaries: FloatArray) -> WrongPaths:
    n = len(path)
    edges, true = np.linspace(0.0, 1.0, STEPS + 1), np.linspace(0.0, 1.0, path.shape[1])
    points, unsure, moved = np.empty((n, STEPS + 1, 3)), np.empty((n, STEPS)), np.empty_like(boundaries)
    number = _numbered(gaps.within)
    for i in range(n):
        points[i] = np.stack([np.interp(edges, at[i], column) for column in path[i].T], axis=1)
        steps_in_gap = np.bincount(number[i], gaps.within[i])[number[i]]
        unsure[i] = turn_std_between(edges, at[i], gaps.told[i] ** 2 / np.maximum(steps_in_gap, 1.0))
        moved[i] = np.interp(boundaries[i], true, at[i])
    return WrongPaths(points, unsure, moved)
