"""Frames that need no network: black, white, or the same as the sample before (a frozen or paused recording)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.terms import Reason
from haustra.video.standard import BLACK_BELOW, brightest

STRIDE = 4  # every fourth pixel of every fourth row is enough to see any of the three
WHITE_FROM = 245
# Mean difference in grey levels. Two looks of a live camera differ by its noise alone by more than ten times as much.
SAME_BELOW = 0.05


class PreFilter:
    """Looks at the samples of one recording in order; keeps nothing but a thin copy of the last one."""

    def __init__(self) -> None:
        self._last: NDArray[np.uint8] | None = None

    def __call__(self, image: NDArray[np.uint8]) -> Reason:
        """Black, white, frozen, or `KEPT` for a frame that the network has to look at."""
        thin = image[::STRIDE, ::STRIDE]
        kind = _kind(thin)
        now = np.ascontiguousarray(thin)
        last, self._last = self._last, now
        if kind:
            return kind
        same = last is not None and last.shape == now.shape and float(cv2.absdiff(now, last).mean()) < SAME_BELOW
        return Reason.FROZEN if same else Reason.KEPT


def _kind(thin: NDArray[np.uint8]) -> Reason:
    lit = brightest(thin) >= BLACK_BELOW
    if lit.mean() < 0.01:
        return Reason.BLACK
    white = (thin[..., 0] >= WHITE_FROM) & (thin[..., 1] >= WHITE_FROM) & (thin[..., 2] >= WHITE_FROM)
    # A lamp in a dark room is no white frame: most of the frame has to be lit, and nearly all of that white.
    whitened = lit.mean() > 0.3 and white.sum() > 0.97 * lit.sum()
    return Reason.WHITE if whitened else Reason.KEPT
