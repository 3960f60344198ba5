"""Camera rotation by the lumen's position on real tissue: `python -m benchmarks.real_lumen DATA/real-sequences`.

Runs of near-neighbour frames stand in for gaps: the rotation from the first to the last frame by refined motion, frame
by frame, is compared with that by the position of the lumen in these two frames (pitch and yaw; roll does not move a
central lumen). There is no ground truth: the figure is the difference of both, beside the size of the rotation.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.real_matches import PAIRS_AT, sequence_at
from haustra.core.arrays import FloatArray
from haustra.lab.datasets.real_sequences import REPORTED, TRAINING, near_pairs
from haustra.lab.evaluate.text_table import text_table
from haustra.motion.lumen import LumenView
from haustra.motion.methods import MotionMethod, open_motion

FRAMES = 8  # per run, or fewer down to LEAST_FRAMES
LEAST_FRAMES = 3
ROUND_SPREAD = 0.35


@dataclass(frozen=True)
class Stretch:
    """Rotation (2,) by motion and by the lumen in radians, and the larger spread of both dark regions."""

    by_motion: FloatArray
    by_lumen: FloatArray
    spread: float


def stretches(folder: Path, model: MotionMethod) -> Iterator[Stretch]:
    """Consecutive runs of one sequence."""
    near = set(near_pairs(sequence_at(folder, PAIRS_AT)))
    sequence = sequence_at(folder, model.size, model.fov_deg)
    view, first = LumenView(sequence.mask, model.fov_deg), 0
    while first < len(sequence.frames):
        last = first
        while last in near and last - first < FRAMES:
            last += 1
        if last - first >= LEAST_FRAMES:
            motions = model.pair_motions(sequence.frames[first:last], sequence.frames[first + 1 : last + 1])
            seen = [view(sequence.frames[k]) for k in (first, last)]
            yield Stretch(_turned(motions), _apart(*seen), max(seen[0][2], seen[1][2]))
        first = max(last, first + 1)


def _turned(motions: FloatArray) -> FloatArray:
    return np.asarray(Rotation.from_matrix(reduce(np.matmul, motions[:, :3, :3])).as_rotvec()[:2])


def _apart(first: FloatArray, last: FloatArray) -> FloatArray:
    """Pitch and yaw from the lumen of the last frame to that of the first."""
    x, y = np.arctan(first[:2]) - np.arctan(last[:2])
    return np.array([-y, x])


def row(name: str, found: list[Stretch]) -> list[str]:
    motion, lumen = (np.degrees([getattr(one, key) for one in found]) for key in ("by_motion", "by_lumen"))
    turned = np.linalg.norm(motion, axis=1)
    apart = np.linalg.norm(lumen - motion, axis=1)
    alike = np.corrcoef(motion.ravel(), lumen.ravel())[0, 1]
    return [name, str(len(found)), f"{np.median(turned):.1f}", f"{np.median(apart):.1f}", f"{alike:.2f}"]


def run(data: Path) -> str:
    model, found = open_motion(None), []
    for name in (*TRAINING, *REPORTED):
        found += list(stretches(data / name, model))
    rows = [
        row("all stretches", found),
        row(f"dark part round (spread up to {ROUND_SPREAD:g})", [one for one in found if one.spread <= ROUND_SPREAD]),
        row("dark part spread", [one for one in found if one.spread > ROUND_SPREAD]),
    ]
    return text_table(["", "n", "turned, degrees", "lumen apart from it, degrees", "correlation"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    print(run(parser.parse_args().data))
