from __future__ import annotations

import numpy as np

from haustra.quality import prefilter, thinned
from haustra.quality.samples import sampled
from haustra.video import Frame


def noisy(seed, level=120, spread=30):
    return np.clip(np.random.default_rng(seed).normal(level, spread, (90, 120, 3)), 0, 255).astype(np.uint8)


def reason(frame):
    return prefilter(thinned(frame), None)


def reasons(*images):
    return [sample.reason for sample in sampled((Frame(i, i / 15, im) for i, im in enumerate(images)), filtered=True)]


def test_black_white_and_ordinary():
    assert reason(np.zeros((90, 120, 3), np.uint8)) == "black"
    assert reason(np.full((90, 120, 3), 3, np.uint8)) == "black"
    assert reason(np.full((90, 120, 3), 255, np.uint8)) == "white"
    assert reason(noisy(1)) == ""


def test_a_white_picture_inside_its_black_surround_is_white_but_a_lamp_in_the_dark_is_not():
    frame = np.zeros((90, 120, 3), np.uint8)
    frame[10:80, 20:100] = 255
    assert reason(frame) == "white"
    lamp = np.zeros((90, 120, 3), np.uint8)
    lamp[40:52, 50:62] = 255
    assert reason(lamp) == ""


def test_frozen_is_the_same_as_the_sample_before_and_noise_is_life():
    first = noisy(1)
    live = np.clip(first.astype(int) + np.random.default_rng(2).integers(-1, 2, first.shape), 0, 255).astype(np.uint8)
    assert reasons(first, first.copy(), first.copy(), live, noisy(3)) == ["", "frozen", "frozen", "", ""]


def test_a_change_of_size_is_no_freeze():
    assert reasons(noisy(1), noisy(1)[:60]) == ["", ""]
