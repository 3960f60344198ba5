"""Prefilter: black, white and frozen frames, which need no network."""

from __future__ import annotations

import cv2
import numpy as np

from haustra.core.arrays import Image
from haustra.core.vocabulary import Reason
from haustra.video.standard import BLACK_BELOW, brightest

STRIDE = 4  # every fourth pixel of every fourth row is enough to see any of the three
WHITE_FROM = 245
# Mean difference in grey levels. Two frames of a live camera differ by ten times as much through sensor noise alone.
SAME_BELOW = 0.05


def thinned(image: Image) -> Image:
    """The pixels that `prefilter` looks at."""
    return np.ascontiguousarray(image[::STRIDE, ::STRIDE])


def prefilter(thin: Image, previous: Image | None) -> Reason:
    """Black, white, frozen, or `KEPT` for a frame that the network has to classify.

    `thin` and `previous` are the thinned frame and the one sampled before it.
    """
    lit = brightest(thin) >= BLACK_BELOW
    if lit.mean() < 0.01:
        return Reason.BLACK
    white = (thin[..., 0] >= WHITE_FROM) & (thin[..., 1] >= WHITE_FROM) & (thin[..., 2] >= WHITE_FROM)
    # A lamp in a dark room is not a white frame: most of the frame has to be lit, and nearly all of that white.
    if lit.mean() > 0.3 and white.sum() > 0.97 * lit.sum():
        return Reason.WHITE
    same = previous is not None and previous.shape == thin.shape and cv2.absdiff(thin, previous).mean() < SAME_BELOW
    return Reason.FROZEN if same else Reason.KEPT
