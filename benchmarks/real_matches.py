"""Near-neighbour pairs of real sequences with their point matches, kept in a work folder.

XFeat (`pip install haustra[xfeat]`) matches frames undistorted with the generic lens at 384 pixels; matches in or near
the masked part are dropped. Matches are cached under a digest of both frames, so that a changed mask or deinterlacing
never meets old ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.core.files import replacing
from haustra.lab.baselines.xfeat import XFeatOdometry
from haustra.lab.datasets.real_sequences import Sequence, near_pairs, read_sequence
from haustra.motion import canonical_K
from haustra.motion.canonical import CANONICAL_FOV_DEG
from haustra.motion.epipolar_geometry import best_motion, in_front_share, parallax_px

SIDE = 384
PAIRS_AT = 256  # picture size for finding neighbours
MOVES_FROM_PX = 0.5  # less motion means a duplicated frame
MOVING_PX, STAYS_PX = 2.0, 0.5
SURE_PARALLAX_PX = 1.0
SURE_IN_FRONT = 0.85
SURE_ALONG = 0.5


@dataclass(frozen=True)
class MatchedPair:
    """Frames `first` and `first + 1` of a sequence: inlier matches (N, 2) of the best motion at 384 px."""

    sequence: str
    first: int
    a: FloatArray
    b: FloatArray
    best_T_a_b: FloatArray
    moves_px: float
    sure: bool


@cache
def sequence_at(folder: Path, size: int, fov_deg: float = CANONICAL_FOV_DEG) -> Sequence:
    """A sequence as `locate` reads it, cached because several models use it."""
    return read_sequence(folder, size, fov_deg)


def matched_pairs(folder: Path, names: tuple[str, ...], work: Path) -> Iterator[MatchedPair]:
    """Every near pair with motion and a consistent essential matrix."""
    matcher = Matcher(work)
    for name in names:
        near = near_pairs(sequence_at(folder / name, PAIRS_AT))
        sequence = sequence_at(folder / name, SIDE)
        for first in near:
            pair = judged(sequence, first, *matcher(sequence, first))
            if pair is not None:
                yield pair


def judged(sequence: Sequence, first: int, a: FloatArray, b: FloatArray) -> MatchedPair | None:
    """The pair with its best motion; None without motion or consensus."""
    K = canonical_K(SIDE)
    way = np.linalg.norm(b - a, axis=1)
    if len(way) and np.median(way) > MOVING_PX:  # static points are on the cap or an instrument
        a, b = a[way > STAYS_PX], b[way > STAYS_PX]
    found = best_motion(a, b, K)
    if found is None:
        return None
    T_a_b, agree = found
    a, b = a[agree], b[agree]
    moves_px = float(np.median(np.linalg.norm(b - a, axis=1)))
    parallax = float(np.median(np.linalg.norm(parallax_px(T_a_b, a, b, K), axis=1)))
    sure = (
        parallax >= SURE_PARALLAX_PX
        and in_front_share(T_a_b, a, b, K) >= SURE_IN_FRONT
        and abs(T_a_b[2, 3]) >= SURE_ALONG
    )
    return MatchedPair(sequence.name, first, a, b, T_a_b, moves_px, sure) if moves_px >= MOVES_FROM_PX else None


class Matcher:
    """XFeat's mutual nearest neighbours between two frames; the network is loaded on the first cache miss."""

    def __init__(self, work: Path) -> None:
        self._folder = work / "matches"
        self._xfeat: XFeatOdometry | None = None

    def __call__(self, sequence: Sequence, first: int) -> tuple[FloatArray, FloatArray]:
        frame_a, frame_b = sequence.frames[first : first + 2]
        key = sha256(frame_a.tobytes() + frame_b.tobytes()).hexdigest()[:16]
        path = self._folder / f"{sequence.name}-{first:04d}-{key}.npz"
        if not path.is_file():
            self._xfeat = self._xfeat or XFeatOdometry()
            a, b = self._xfeat.match(frame_a, frame_b)
            with replacing(path) as temporary, temporary.open("wb") as file:
                np.savez(file, a=a, b=b)
        with np.load(path, allow_pickle=False) as kept:
            return kept["a"].astype(np.float64), kept["b"].astype(np.float64)
