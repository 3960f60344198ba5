"""A check that does not come from the simulator: a virtual camera moves over real stills of Kvasir-SEG.

`python -m benchmarks.real_stills_motion [motion.onnx]`. Each still is laid over a tube (the depth of a straight colon
whose lumen is where the still is darkest), and seen again after a small known rotation and a move forward or backward.
Light and highlights stay painted on the wall, so this is easier than a real recording in one way and harder in another.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.files import write_json
from haustra.motion import MotionEstimator, motion_to_T_a_b
from haustra.motion.estimator import motion_to_matrix
from haustra.poses import invert, rotation_angle_deg

DATA = Path(__file__).parents[2] / "shared" / "data" / "kvasir-seg-train"
RESULTS = Path(__file__).parent / "results" / "real_stills_motion.json"
COUNT = 200
TUBE_MM = 22.0
FARTHEST_MM = 120.0
INNER = slice(40, 312)  # of 352: without the black surround and most of the inset


def run(weights: Path | None = None, *, refine: bool = False, seed: int = 0) -> dict[str, float]:
    estimator = MotionEstimator(weights, refine=refine)
    rng = np.random.default_rng(seed)
    stills = sorted((DATA / "images").glob("*.jpg")) or sorted(DATA.rglob("*.jpg"))
    chosen = [stills[i] for i in rng.permutation(len(stills))[:COUNT]]
    first, second, truth = [], [], []
    for path in chosen:
        still = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)[INNER, INNER]
        a = cv2.resize(still, (estimator.size, estimator.size), interpolation=cv2.INTER_AREA)
        motion = _draw(rng)
        first.append(a)
        second.append(_see_again(still, motion, estimator))
        truth.append(motion)
    return _errors(estimator.estimate(np.stack(first), np.stack(second)), np.stack(truth))


def _draw(rng: np.random.Generator) -> NDArray[np.float64]:
    """s(a->b) in mm and radians: 0.5 to 2.5 mm along the axis, up to 2 degrees of turning."""
    tz = rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 2.5)
    return np.array([*rng.normal(0, 0.15, 2), tz, *np.radians(rng.uniform(-2, 2, 3))])


def tube_depth(picture: NDArray[np.uint8], K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Depth of a straight tube whose axis points to the darkest part of the picture."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), (0, 0), picture.shape[0] / 16)
    v, u = np.unravel_index(np.argmin(grey), grey.shape)
    axis = np.linalg.inv(K) @ [0.5 * u + 0.5 * K[0, 2], 0.5 * v + 0.5 * K[1, 2], 1.0]
    axis /= np.linalg.norm(axis)
    ys, xs = np.mgrid[0 : grey.shape[0], 0 : grey.shape[1]]
    rays = np.stack([xs, ys, np.ones_like(xs)], axis=-1) @ np.linalg.inv(K).T
    across = np.linalg.norm(rays - (rays @ axis)[..., None] * axis, axis=-1)
    return np.minimum(TUBE_MM / np.maximum(across, 1e-6), FARTHEST_MM)


def _see_again(still: NDArray[np.uint8], motion: NDArray[np.float64], estimator: MotionEstimator) -> NDArray[np.uint8]:
    """The still after the motion. The depth of the second view is found by moving that of the first and filling."""
    size = estimator.size
    small = cv2.resize(still, (size, size), interpolation=cv2.INTER_AREA)
    K, depth = estimator.K, tube_depth(small, estimator.K)
    ys, xs = np.mgrid[0:size, 0:size]
    rays = np.stack([xs, ys, np.ones_like(xs)], axis=-1) @ np.linalg.inv(K).T
    Q_ba = invert(motion_to_matrix(motion))
    guess = depth
    for _ in range(8):  # pixel of b -> point -> pixel of a, whose depth must agree
        points = (rays * guess[..., None]) @ Q_ba[:3, :3].T + Q_ba[:3, 3]
        pixels = (points @ K.T)[..., :2] / points[..., 2:]
        sampled = cv2.remap(depth.astype(np.float32), *_maps(pixels), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        guess = np.maximum(guess + (sampled - points[..., 2]), 1.0)
    scale = still.shape[0] / size
    maps = _maps((pixels + 0.5) * scale - 0.5)
    return np.asarray(cv2.remap(still, *maps, cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _maps(pixels: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return pixels[..., 0].astype(np.float32), pixels[..., 1].astype(np.float32)


def _errors(found: NDArray[np.float64], truth: NDArray[np.float64]) -> dict[str, float]:
    cosine = (
        (found[:, :3] * truth[:, :3]).sum(1)
        / np.linalg.norm(found[:, :3], axis=1)
        / np.linalg.norm(truth[:, :3], axis=1)
    )
    rest = invert(motion_to_T_a_b(found)) @ motion_to_T_a_b(truth)
    turn = rotation_angle_deg(rest[:, :3, :3])
    return {
        "pairs": float(len(found)),
        "sign_right": float((found[:, 2] * truth[:, 2] > 0).mean()),
        "direction_error_deg_median": float(np.degrees(np.median(np.arccos(np.clip(cosine, -1, 1))))),
        "rotation_error_deg_median": float(np.median(turn)),
        "rotation_deg_mean": float(np.degrees(np.linalg.norm(truth[:, 3:], axis=1)).mean()),
        "length_r": float(
            np.corrcoef(np.linalg.norm(found[:, :3], axis=1), np.linalg.norm(truth[:, :3], axis=1))[0, 1]
        ),
    }


def main() -> None:
    weights = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    found: dict[str, Any] = {"network": run(weights), "refined": run(weights, refine=True)}
    write_json(RESULTS, found)
    for name, row in found.items():
        print(name, {key: round(value, 4) for key, value in row.items()})


if __name__ == "__main__":
    main()
