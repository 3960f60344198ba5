"""Detected picture masks of real sequences against hand-drawn ones: `python -m benchmarks.real_masks SEQUENCES`.

The outlines, with banners, insets, icons and frozen views cut out, are in tests/data/real_outlines.json.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from haustra.core.arrays import Mask
from haustra.core.files import read_json
from haustra.lab.datasets.real_sequences import PLAYED_HZ
from haustra.lab.evaluate.text_table import text_table
from haustra.video import Picture, find_picture, open_recording

OUTLINES = Path(__file__).parents[1] / "tests" / "data" / "real_outlines.json"
DRAWN: dict[str, dict[str, list[list[int]]]] = read_json(OUTLINES)


def found(folder: Path) -> Picture:
    """The endoscope picture of a sequence as `locate` detects it."""
    return find_picture(open_recording(folder, fps=PLAYED_HZ))


def whole(picture: Picture) -> Mask:
    """Its mask in the whole frame."""
    mask = np.zeros((picture.frame_height, picture.frame_width), np.bool_)
    x, y, width, height = picture.box
    mask[y : y + height, x : x + width] = picture.mask
    return mask


def drawn(name: str, shape: tuple[int, ...]) -> Mask:
    """The hand-drawn mask."""
    mask = cv2.fillPoly(np.zeros(shape, np.uint8), [np.array(DRAWN[name]["outline"])], 1)
    return np.asarray(cv2.fillPoly(mask, [np.array(area) for area in DRAWN[name]["foreign"]], 0) > 0)


def overlap(one: Mask, other: Mask) -> float:
    """Intersection over union."""
    return float((one & other).sum() / (one | other).sum())


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    scores = {}
    for name in DRAWN:
        mask = whole(found(options.folder / name))
        scores[name] = overlap(mask, drawn(name, mask.shape))
    rows = [[name, f"{score:.3f}"] for name, score in scores.items()]
    rows += [["mean", f"{np.mean([*scores.values()]):.3f}"], ["least", f"{min(scores.values()):.3f}"]]
    print(text_table(("sequence", "IoU"), rows))


if __name__ == "__main__":
    main()
