"""A test independent of the simulator: a virtual camera moves over real stills of Kvasir-SEG.

`python -m benchmarks.real_stills_motion STILLS --model NAME=motion.onnx ...`. Each still is projected on a tube towards
its lumen (its darkest region) and rendered before and after a small known rotation, mostly with axial translation.
Light and highlights are fixed to the wall, unlike in recordings; the texture is real. `--picture FILE` draws some
pairs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.pictures import read_picture
from haustra.core.poses import invert, rotation_angle_deg
from haustra.lab.evaluate.text_table import text_table
from haustra.motion import MotionEstimator, canonical_K, motion_to_T_a_b
from haustra.motion.estimator import motion_to_matrix

KINDS = ("forward", "backward", "turn only")
INNER = 40  # of 352: margin of the first view, so that the second stays inside the still
END_MM = 120.0
OVERSAMPLED = 2  # both views are rendered larger and averaged, so that they are equally sharp


@dataclass(frozen=True)
class Pairs:
    """Two views of each still (N, S, S, 3), s(a->b) in mm and radians (N, 6), and the kind of motion."""

    a: NDArray[np.uint8]
    b: NDArray[np.uint8]
    motion: FloatArray
    kind: NDArray[np.str_]


def make_pairs(stills: Path, size: int, count: int, seed: int = 0) -> Pairs:
    files = sorted(stills.rglob("*.jpg"))
    if not files:
        raise HaustraError(f"no .jpg picture was found in {stills}: give the folder of the Kvasir-SEG stills")
    rng = np.random.default_rng(seed)
    first, second, motions, kinds = [], [], [], []
    for number, chosen in enumerate(rng.permutation(len(files))[:count]):
        still = read_picture(files[chosen])
        kind = KINDS[number % len(KINDS)]
        tube, motion = draw_tube(still, rng), draw_motion(kind, rng)
        first.append(tube.seen(np.zeros(6), size))
        second.append(tube.seen(motion, size))
        motions.append(motion)
        kinds.append(kind)
    return Pairs(np.stack(first), np.stack(second), np.stack(motions), np.array(kinds))


def draw_motion(kind: str, rng: np.random.Generator) -> FloatArray:
    """s(a->b): up to 2 degrees about each axis; forward takes points towards the camera, 0.5 to 2.5 mm."""
    turn = np.radians(rng.uniform(-2, 2, 3))
    if kind == "turn only":
        return np.array([0.0, 0.0, 0.0, *turn])
    along = rng.uniform(0.5, 2.5) * (-1 if kind == "forward" else 1)
    return np.array([*rng.normal(0, 0.15, 2), along, *turn])


@dataclass(frozen=True)
class Tube:
    """A still projected on a tube of `radius_mm` around the camera, closed by a wall in front."""

    still: NDArray[np.uint8]
    axis: FloatArray
    radius_mm: float

    def seen(self, motion: FloatArray, size: int) -> NDArray[np.uint8]:
        """The canonical view after `motion`: each ray intersected with the tube and looked up in the still."""
        side = OVERSAMPLED * size
        K_inner = canonical_K(self.still.shape[0] - 2 * INNER)
        T_a_b = invert(motion_to_matrix(motion))
        ys, xs = np.mgrid[0:side, 0:side]
        rays = np.stack([xs, ys, np.ones_like(xs)], axis=-1) @ np.linalg.inv(canonical_K(side)).T
        points = self._hits(T_a_b[:3, 3], rays @ T_a_b[:3, :3].T)
        pixels = (points @ K_inner.T)[..., :2] / points[..., 2:] + INNER
        x, y = (pixels[..., k].astype(np.float32) for k in (0, 1))
        large = cv2.remap(self.still, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return np.asarray(cv2.resize(large, (size, size), interpolation=cv2.INTER_AREA), np.uint8)

    def _hits(self, start: FloatArray, rays: FloatArray) -> FloatArray:
        """Intersections in the first camera's frame, at most END_MM in front."""
        across, start_across = rays - (rays @ self.axis)[..., None] * self.axis, start - (start @ self.axis) * self.axis
        a = (across**2).sum(axis=-1)
        b = across @ start_across
        c = start_across @ start_across - self.radius_mm**2
        far = (np.sqrt(b**2 - a * c) - b) / np.maximum(a, 1e-9)
        distance = np.minimum(far, (END_MM - start[2]) / rays[..., 2])
        return np.asarray(start + distance[..., None] * rays)


def draw_tube(still: NDArray[np.uint8], rng: np.random.Generator) -> Tube:
    """The axis points half-way to the darkest region of the centre; insets and corners are darker but not lumen."""
    side = still.shape[0]
    grey = cv2.GaussianBlur(cv2.cvtColor(still, cv2.COLOR_RGB2GRAY), (0, 0), side / 20)
    quarter = side // 4
    middle = grey[quarter : side - quarter, quarter : side - quarter]
    v, u = np.unravel_index(np.argmin(middle), middle.shape)
    K = canonical_K(side - 2 * INNER)
    lumen = np.linalg.inv(K) @ [u + quarter - INNER, v + quarter - INNER, 1.0]
    axis = 0.5 * lumen / lumen[2] + [0.0, 0.0, 0.5]
    return Tube(still, axis / np.linalg.norm(axis), float(rng.uniform(15, 30)))


def errors(found: FloatArray, pairs: Pairs) -> list[list[str]]:
    """A row per kind of motion, and one for all."""
    t, t_true = found[:, :3], pairs.motion[:, :3]
    length, true_length = np.linalg.norm(t, axis=1), np.linalg.norm(t_true, axis=1)
    moved = true_length > 0
    cosine = (t * t_true).sum(axis=1) / np.maximum(length * true_length, 1e-12)
    angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    rest = invert(motion_to_T_a_b(found)) @ motion_to_T_a_b(pairs.motion)
    turn = rotation_angle_deg(rest[:, :3, :3])
    usual = float(np.median(length[moved]))
    rows = []
    for kind in ("all", *KINDS):
        chosen = (pairs.kind == kind) | (kind == "all")
        seen = chosen & moved
        right = f"{100 * (t[seen, 2] * t_true[seen, 2] > 0).mean():.1f} %" if seen.any() else "-"
        off = f"{np.median(angle[seen]):.1f}" if seen.any() else "-"
        share = f"{np.median(length[chosen]) / usual:.2f}"
        rows.append([kind, str(int(chosen.sum())), right, off, f"{np.median(turn[chosen]):.2f}", share])
    return rows


HEADER = (
    "model", "motion", "pairs", "direction right", "direction error (deg)", "rotation error (deg)",
    "length over that of moving pairs",
)  # fmt: skip


def draw_picture(pairs: Pairs, path: Path, count: int = 9) -> None:
    """Views a and b side by side, and their difference."""
    rows = [np.hstack([a, b, cv2.absdiff(a, b)]) for a, b in zip(pairs.a[:count], pairs.b[:count], strict=True)]
    columns = [np.vstack(rows[k::3]) for k in range(3)]
    cv2.imwrite(str(path), cv2.cvtColor(np.hstack(columns), cv2.COLOR_RGB2BGR))


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stills", type=Path)
    parser.add_argument("--model", action="append", default=[], help="NAME=motion.onnx (default: the shipped one)")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    table: list[list[str]] = []
    for model in options.model or ["shipped="]:
        name, _, path = model.partition("=")
        estimator = MotionEstimator(Path(path) if path else None)
        pairs = make_pairs(options.stills, estimator.size, options.count)
        table += [[name, *row] for row in errors(estimator.estimate(pairs.a, pairs.b), pairs)]
    turns = np.degrees(np.median(np.linalg.norm(pairs.motion[:, 3:], axis=1)))
    print(f"Median true turn of a pair: {turns:.2f} degrees.\n")
    print(text_table(HEADER, table))
    if options.picture:
        draw_picture(pairs, options.picture)


if __name__ == "__main__":
    main()
