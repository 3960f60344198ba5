"""Which real sequences may be learnt from, and which of their frames are neighbours."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from haustra.lab.datasets.real_sequences import REPORTED, TRAINING, Sequence, near_pairs


def texture(seed: int, shift: int = 0) -> np.ndarray:
    grey = np.random.default_rng(seed).uniform(0, 255, (160, 160)).astype(np.float32)
    smooth = cv2.normalize(cv2.GaussianBlur(grey, (0, 0), 3), None, 0, 255, cv2.NORM_MINMAX)
    return np.repeat(smooth[16:144, 16 + shift : 144 + shift, None], 3, axis=2).astype(np.uint8)


def test_seven_to_learn_from_and_six_that_report(shared_data: Path) -> None:
    assert (len(TRAINING), len(REPORTED)) == (7, 6)
    assert not set(TRAINING) & set(REPORTED)
    assert {path.name for path in (shared_data / "real-sequences").iterdir()} == {*TRAINING, *REPORTED}


def test_frames_of_one_place_are_neighbours_and_a_cut_is_none() -> None:
    frames = np.stack([texture(1), texture(1, 4), texture(2), texture(2, -5)])
    assert near_pairs(Sequence("made", frames, np.ones((128, 128), bool))) == [0, 2]
