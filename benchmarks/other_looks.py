"""Sensitivity to appearance: `python -m benchmarks.other_looks DATA --work DIR`.

Every recording of a dataset is copied darker, brighter, noisier, softer and at a low bit rate, and each copy is located
from its video. The motion is the same in all copies, so differences between them are chance.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from benchmarks import coverage, named_worlds
from benchmarks.interlaced_copies import RATE_HZ, write
from benchmarks.observed import observe_sets
from haustra.core.arrays import Image
from haustra.video import open_recording

VIDEO = "video.mp4"
GOOD_CRF, POOR_CRF = 20, 34


@dataclass(frozen=True)
class Look:
    """Transformation of each frame, and the copy's encoding quality."""

    change: Callable[[Image, np.random.Generator], Image]
    crf: int = GOOD_CRF


def toned(gamma: float, red_green_blue: tuple[float, float, float]) -> Callable[[Image, np.random.Generator], Image]:
    """Other lighting: `gamma` above 1 is darker, with a factor per colour channel."""
    grey = np.linspace(0.0, 1.0, 256)[:, None] ** gamma
    table = np.clip(255 * grey * np.array(red_green_blue), 0, 255).astype(np.uint8)[None]
    return lambda image, _: cv2.LUT(image, table).astype(np.uint8, copy=False)


def _noisy(image: Image, rng: np.random.Generator) -> Image:
    return np.clip(image + rng.normal(0.0, 8.0, image.shape), 0, 255).astype(np.uint8)


def _soft(image: Image, _: np.random.Generator) -> Image:
    return cv2.GaussianBlur(image, (0, 0), 2.0).astype(np.uint8, copy=False)


LOOKS = {
    "as-it-is": Look(lambda image, _: image),
    "darker": Look(toned(1.6, (1.0, 0.85, 0.75))),
    "brighter": Look(toned(0.65, (0.95, 1.0, 1.05))),
    "noisy": Look(_noisy),
    "soft": Look(_soft),
    "few-bits": Look(lambda image, _: image, POOR_CRF),
}


def copies(data: Path, name: str, out: Path) -> Path:
    """The dataset with another look, including the files next to each video; existing copies are kept."""
    for source in sorted(data.glob(f"*/{VIDEO}")):
        folder = out / source.parent.name
        if (folder / VIDEO).is_file():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for file in source.parent.iterdir():
            if file.name != VIDEO:
                shutil.copyfile(file, folder / file.name)
        look, rng = LOOKS[name], np.random.default_rng(0)
        pictures = (look.change(frame.image, rng) for frame in open_recording(source).frames(rate_hz=RATE_HZ))
        write(folder / f"part-{VIDEO}", pictures, look.crf).replace(folder / VIDEO)
    return out


def run(data: Path, work: Path) -> str:
    folders = [copies(data, name, work / "looks" / name) for name in LOOKS]
    observed = observe_sets(folders, work)
    return f"{named_worlds.report(observed)}\n\n{coverage.report(observed)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    print(run(options.data, options.work))
