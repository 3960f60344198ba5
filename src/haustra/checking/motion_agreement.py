"""How well our motion of a stretch agrees with point matches, with itself, and with where the lumen is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from haustra.checking.matches import follow_corners
from haustra.checking.stretches import MATCH_SIDE, SampledStretch
from haustra.core.arrays import FloatArray, Images, Mask
from haustra.core.poses import invert, rotation_angle_deg
from haustra.motion import canonical_K, motion_to_T_a_b
from haustra.motion.epipolar_geometry import FEWEST, best_motion, sampson_px
from haustra.motion.lumen import LumenView
from haustra.motion.methods import MotionMethod

NEAR_EVERY = 4  # samples: of the pairs of neighbours every fourth is matched
FAR = 6  # samples: 0.4 s at the usual rate
LOOP = 3  # samples: a over b over c against a over c
MOVES_FROM_PX = 0.5  # a picture that moves less tells nothing about motion


@dataclass(frozen=True)
class PairFit:
    """Median Sampson error of matches, at 384 px, under our motion and under the one that fits them best.

    `best_px` is NaN where too few matches agree on any motion.
    """

    ours_px: float
    best_px: float
    rotation_deg: float  # between both
    moves_px: float

    @property
    def matched(self) -> bool:
        return bool(np.isfinite(self.best_px))


@dataclass(frozen=True)
class StretchMotion:
    """Our motion through a stretch of kept samples: T_a_b (n - 1, 4, 4) of neighbours, and what it is checked with.

    Shares are of the length of our translation. `back` compares each pair with the same pair the other way round,
    `loop` three steps with the one pair across them: (rotation in degrees, translation as a share), a row for each.
    `stated` (n - 1,) is the deviation that the network states; `lumen_deg` the angle between lumen and travel.
    """

    time_s: FloatArray
    T_a_b: FloatArray
    near: tuple[PairFit, ...]
    far: tuple[PairFit, ...]
    back: FloatArray
    loop: FloatArray
    stated: FloatArray
    lumen_deg: float


def measure_stretch(
    stretch: SampledStretch, estimator: MotionMethod, lumen: LumenView, inside: Mask
) -> StretchMotion | None:
    """Of the longest run of kept samples, repeated ones left out; None where none is long enough for a far pair."""
    first, last = _longest_run(stretch.kept[stretch.shown])
    if last - first <= FAR:
        return None
    rows = stretch.shown[first:last]
    frames, pictures = stretch.frames[rows], stretch.matchable[rows]
    found = estimator.measure(frames[:-1], frames[1:])
    T = motion_to_T_a_b(found.motion)
    if not np.isfinite(T).all():
        return None
    count = len(T)
    back = motion_to_T_a_b(estimator.measure(frames[1:], frames[:-1]).motion)
    starts = range(0, count - LOOP + 1, LOOP)
    across = motion_to_T_a_b(estimator.measure(frames[:-LOOP:LOOP], frames[LOOP::LOOP]).motion)
    steps = np.stack([chained(T[k : k + LOOP]) for k in starts])
    length = np.linalg.norm(found.motion[:, :3], axis=1)
    return StretchMotion(
        stretch.time_s[rows],
        T,
        tuple(_fit(T[k], pictures[k : k + 2], inside) for k in range(0, count, NEAR_EVERY)),
        tuple(_fit(chained(T[k : k + FAR]), pictures[k : k + FAR + 1], inside) for k in range(0, count - FAR + 1, FAR)),
        _mismatch(T, invert(back)),
        _mismatch(steps, across),
        np.linalg.norm(found.std[:, :3], axis=1) / np.maximum(length, 1e-9),
        _lumen_deg(chained(T), lumen(frames[0])),
    )


def chained(T_a_b: FloatArray | Sequence[FloatArray]) -> FloatArray:
    """From the first frame of successive pairs to the last one."""
    return np.asarray(reduce(np.matmul, T_a_b))


def _longest_run(kept: Mask) -> tuple[int, int]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], kept, [False]]).astype(np.int8)))
    runs = edges.reshape(-1, 2)
    if not len(runs):
        return 0, 0
    first, last = runs[int(np.argmax(runs[:, 1] - runs[:, 0]))]
    return int(first), int(last)


def _fit(T_a_b: FloatArray, pictures: Images, inside: Mask) -> PairFit:
    a, b = follow_corners(pictures, inside)
    K = canonical_K(MATCH_SIDE)
    moves = float(np.median(np.linalg.norm(b - a, axis=1))) if len(a) else np.nan
    found = best_motion(a, b, K) if len(a) >= FEWEST else None
    if found is None:
        return PairFit(np.nan, np.nan, np.nan, moves)
    best, agree = found
    ours, fitted = (float(np.median(np.abs(sampson_px(T, a[agree], b[agree], K)))) for T in (T_a_b, best))
    return PairFit(ours, fitted, float(rotation_angle_deg((invert(T_a_b) @ best)[:3, :3])), moves)


def _mismatch(T: FloatArray, other: FloatArray) -> FloatArray:
    """Angle between two motions of the same pairs, and the difference of their translations as a share (n, 2)."""
    angle = rotation_angle_deg((invert(T) @ other)[:, :3, :3])
    length = 0.5 * (np.linalg.norm(T[:, :3, 3], axis=1) + np.linalg.norm(other[:, :3, 3], axis=1))
    apart = np.linalg.norm(T[:, :3, 3] - other[:, :3, 3], axis=1)
    return np.column_stack([angle, apart / np.maximum(length, 1e-9)])


def _lumen_deg(T_a_b: FloatArray, lumen: FloatArray) -> float:
    """Angle between the way travelled, in or out, and the ray to the lumen."""
    ray = np.array([lumen[0], lumen[1], 1.0])
    way = T_a_b[:3, 3]
    along = abs(float(way @ ray)) / max(float(np.linalg.norm(way) * np.linalg.norm(ray)), 1e-12)
    return float(np.degrees(np.arccos(min(along, 1.0)))) if np.isfinite(along) else np.nan
