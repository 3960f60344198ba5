"""The picture in real recordings against outlines drawn by hand, without banner, inset, icon and frozen view."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from haustra.datasets.real_sequences import PLAYED_HZ
from haustra.video import Picture, find_picture, open_recording

DRAWN = json.loads((Path(__file__).parents[1] / "data" / "real_outlines.json").read_text())


@cache
def found(folder: Path) -> Picture:
    return find_picture(open_recording(folder, fps=PLAYED_HZ))


def whole(picture: Picture) -> np.ndarray:
    mask = np.zeros((picture.frame_height, picture.frame_width), bool)
    x, y, width, height = picture.box
    mask[y : y + height, x : x + width] = picture.mask
    return mask


def drawn(name: str, shape: tuple[int, int]) -> np.ndarray:
    mask = cv2.fillPoly(np.zeros(shape, np.uint8), [np.array(DRAWN[name]["outline"])], 1)
    return cv2.fillPoly(mask, [np.array(area) for area in DRAWN[name]["foreign"]], 0) > 0


def overlap(folder: Path) -> float:
    mask = whole(found(folder))
    true = drawn(folder.name, mask.shape)
    return float((mask & true).sum() / (mask | true).sum())


def sequences(shared_data: Path) -> Path:
    folder = shared_data / "real-sequences"
    if not folder.is_dir():
        pytest.skip(f"no real sequences in {folder}")
    return folder


@pytest.mark.parametrize("name", DRAWN)
def test_each_mask_is_the_one_drawn(shared_data: Path, name: str) -> None:
    assert overlap(sequences(shared_data) / name) >= 0.93


def test_masks_are_right_on_average(shared_data: Path) -> None:
    assert np.mean([overlap(sequences(shared_data) / name) for name in DRAWN]) >= 0.97


@pytest.mark.parametrize("name", ["seq2", "seq4", "seq5", "seq6", "seq7"])
def test_what_does_not_belong_to_the_picture_is_left_out(shared_data: Path, name: str) -> None:
    mask = whole(found(sequences(shared_data) / name))
    for area in DRAWN[name]["foreign"]:
        inside = cv2.fillPoly(np.zeros(mask.shape, np.uint8), [np.array(area)], 1) > 0
        # The white lines of an icon are burnt out for all we can tell.
        assert mask[inside].mean() < (0.25 if inside.sum() > 2000 else 0.5), area
