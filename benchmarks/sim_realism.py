"""Colour, highlight, sharpness and contrast statistics of simulated pictures compared with Kvasir-SEG's real stills.

    python -m benchmarks.sim_realism STILLS [--sheet docs/img/simulator_seeds.jpg]

The real stills never leave their folder; only figures are printed.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray, Image
from haustra.core.pictures import decode_picture, read_picture
from haustra.lab.simulate import Colon, Renderer, Sensor, make_colon, make_look, make_scope

SIZE = 352
NAMES = (
    "hue (deg)", "saturation", "value", "std of hue in a picture", "std of saturation", "std of value",
    "share of highlights (%)", "highlights a picture", "size of a highlight (px)", "sharpness (var. Laplacian)",
    "contrast (std / mean luma)", "dark share (%), luma < 40", "bright share (%), luma > 220",
)  # fmt: skip


def picture_mask(rgb: Image) -> NDArray[np.bool_]:
    """Pixels of the endoscope picture without black surround, inset and text (opened, then eroded)."""
    bright = (rgb.max(axis=2) > 24).astype(np.uint8)
    opened = cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8))
    closed = cv2.morphologyEx(opened, cv2.MORPH_CLOSE, np.ones((25, 25), np.uint8))
    return cv2.erode(closed, np.ones((9, 9), np.uint8), borderValue=0).astype(bool)


def statistics(rgb: Image) -> list[float]:
    """The statistics NAMES of one picture, resized to 256 x 256."""
    rgb = np.asarray(cv2.resize(rgb, (256, 256), interpolation=cv2.INTER_AREA), np.uint8)
    mask = picture_mask(rgb)
    if mask.mean() < 0.2:
        return [float("nan")] * len(NAMES)
    hsv = cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2HSV)[mask]
    hue = np.angle(np.exp(1j * np.radians(hsv[:, 0])), deg=True)
    luma = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float32)
    bright = np.zeros(mask.shape, bool)
    bright[mask] = (hsv[:, 1] < 0.25) & (hsv[:, 2] > 0.85)
    blobs, count = label(bright)
    sizes = np.bincount(blobs.ravel())[1:]
    inside = luma[mask]
    return [
        float(hue.mean()), float(hsv[:, 1].mean()), float(hsv[:, 2].mean()), float(hue.std()), float(hsv[:, 1].std()),
        float(hsv[:, 2].std()), 100 * float(bright.sum() / mask.sum()), float(count),
        float(np.median(sizes)) if count else 0.0, float(cv2.Laplacian(luma, cv2.CV_32F)[mask].var()),
        float(inside.std() / inside.mean()), 100 * float((inside < 40).mean()), 100 * float((inside > 220).mean()),
    ]  # fmt: skip


def sample_pose(colon: Colon, rng: np.random.Generator) -> FloatArray:
    """A random tip pose, off the centreline, looking back towards the cecum and often at the wall."""
    first, last = colon.boundaries_mm[[0, -1]]
    arc = rng.uniform(first + 3, last)
    frame = colon.frame_at(arc)
    turn, away = rng.uniform(0, 2 * np.pi), 0.75 * colon.lumen_radius(arc) * np.sqrt(rng.random())
    T = frame.copy()
    T[:3, 3] += away * (np.cos(turn) * frame[:3, 0] + np.sin(turn) * frame[:3, 1])
    deflect = np.radians(abs(rng.normal(0.0, 38.0)))
    tilt = Rotation.from_rotvec(deflect * np.array([np.cos(turn + 0.6), np.sin(turn + 0.6), 0.0]))
    roll = Rotation.from_euler("z", rng.uniform(0, 2 * np.pi))
    T[:3, :3] = frame[:3, :3] @ np.diag([1.0, -1.0, -1.0]) @ tilt.as_matrix() @ roll.as_matrix()
    return T


def simulated(seed: int, count: int, size: int = SIZE) -> list[Image]:
    """Stills of one patient, JPEG-compressed like the real ones."""
    rng = np.random.default_rng([seed, 909])
    colon, scope = make_colon(seed), make_scope(seed, size, size)
    renderer = Renderer(colon, make_look(seed), scope)
    pictures = []
    for frame in range(count):
        rgb = Sensor(scope, seed).develop(renderer.render(sample_pose(colon, rng)).light, frame=frame)
        _, data = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])
        pictures.append(decode_picture(data.tobytes()))
    return pictures


def real(stills: Path, count: int) -> list[Image]:
    files = sorted(stills.glob("*.jpg"))[:: max(1, 800 // count)]
    return [read_picture(path) for path in files]


def run(stills: Path, seeds: int, per_seed: int) -> dict[str, Any]:
    """Mean and standard deviation over pictures, real and simulated."""
    ours = np.array([statistics(p) for s in range(1000, 1000 + seeds) for p in simulated(s, per_seed)])
    theirs = np.array([statistics(p) for p in real(stills, seeds * per_seed)])
    table = {}
    for i, name in enumerate(NAMES):
        table[name] = {
            k: (float(np.nanmean(a[:, i])), float(np.nanstd(a[:, i])))
            for k, a in (("real", theirs), ("simulated", ours))
            if len(a)
        }
    return table


def contact_sheet(path: Path, seeds: range, columns: int = 8, size: int = 192) -> None:
    """One row per patient; simulated pictures only."""
    rows = [np.hstack(simulated(s, columns, size)) for s in seeds]
    sheet = cv2.resize(np.vstack(rows), (1120, 140 * len(rows)), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(path), sheet[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 80])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stills", type=Path, help="the folder of Kvasir-SEG")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--per-seed", type=int, default=6)
    parser.add_argument("--sheet", type=Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    if options.sheet:
        contact_sheet(options.sheet, range(8))
    print("| statistic | real | simulated |\n|---|---|---|")
    for name, row in run(options.stills, options.seeds, options.per_seed).items():
        print(f"| {name} | " + " | ".join(f"{m:.3g} ± {s:.2g}" for m, s in row.values()) + " |")


if __name__ == "__main__":
    main()
