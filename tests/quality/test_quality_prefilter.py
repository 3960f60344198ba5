from __future__ import annotations

import numpy as np

from haustra.quality import PreFilter


def noisy(seed, level=120, spread=30):
    return np.clip(np.random.default_rng(seed).normal(level, spread, (90, 120, 3)), 0, 255).astype(np.uint8)


def test_black_white_and_ordinary():
    assert PreFilter()(np.zeros((90, 120, 3), np.uint8)) == "black"
    assert PreFilter()(np.full((90, 120, 3), 3, np.uint8)) == "black"
    assert PreFilter()(np.full((90, 120, 3), 255, np.uint8)) == "white"
    assert PreFilter()(noisy(1)) == ""


def test_a_white_picture_inside_its_black_surround_is_white_but_a_lamp_in_the_dark_is_not():
    frame = np.zeros((90, 120, 3), np.uint8)
    frame[10:80, 20:100] = 255
    assert PreFilter()(frame) == "white"
    lamp = np.zeros((90, 120, 3), np.uint8)
    lamp[40:52, 50:62] = 255
    assert PreFilter()(lamp) == ""


def test_frozen_is_the_same_as_the_sample_before_and_noise_is_life():
    prefilter = PreFilter()
    first = noisy(1)
    assert prefilter(first) == ""
    assert prefilter(first.copy()) == "frozen"
    live = np.clip(first.astype(int) + np.random.default_rng(2).integers(-1, 2, first.shape), 0, 255).astype(np.uint8)
    assert prefilter(live) == ""
    assert prefilter(noisy(3)) == ""


def test_a_change_of_size_is_no_freeze():
    prefilter = PreFilter()
    prefilter(noisy(1))
    assert prefilter(noisy(1)[:60]) == ""
