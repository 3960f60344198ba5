"""The picture in real recordings against outlines drawn by hand, without banner, inset, icon and frozen view."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from benchmarks.real_masks import DRAWN, drawn, overlap, whole

from benchmarks import real_masks

found = cache(real_masks.found)


def score(folder: Path) -> float:
    mask = whole(found(folder))
    return overlap(mask, drawn(folder.name, mask.shape))


def sequences(shared_data: Path) -> Path:
    folder = shared_data / "real-sequences"
    if not folder.is_dir():
        pytest.skip(f"no real sequences in {folder}")
    return folder


@pytest.mark.parametrize("name", DRAWN)
def test_each_mask_is_the_one_drawn(shared_data: Path, name: str) -> None:
    assert score(sequences(shared_data) / name) >= 0.93


def test_masks_are_right_on_average(shared_data: Path) -> None:
    assert np.mean([score(sequences(shared_data) / name) for name in DRAWN]) >= 0.97


@pytest.mark.parametrize("name", ["seq2", "seq4", "seq5", "seq6", "seq7"])
def test_what_does_not_belong_to_the_picture_is_left_out(shared_data: Path, name: str) -> None:
    mask = whole(found(sequences(shared_data) / name))
    for area in DRAWN[name]["foreign"]:
        inside = cv2.fillPoly(np.zeros(mask.shape, np.uint8), [np.array(area)], 1) > 0
        # The white lines of an icon are burnt out for all we can tell.
        assert mask[inside].mean() < (0.25 if inside.sum() > 2000 else 0.5), area
