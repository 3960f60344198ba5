"""One picture that shows a whole recording: frames at equal steps with what is true about them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.times import format_time
from haustra.lab.simulate.ground_truth import Truth

COLUMNS, ROWS, TILE = 8, 6, 200
STRIP = 18
GOOD, BAD, TOOL = (120, 220, 120), (240, 150, 110), (120, 190, 255)


def sheet_frames(frames: int) -> list[int]:
    """The frames that a sheet shows."""
    count = min(COLUMNS * ROWS, frames)
    return sorted({int(i) for i in np.linspace(0, frames - 1, count)})


def contact_sheet(tiles: Sequence[tuple[NDArray[np.uint8], Truth]]) -> NDArray[np.uint8]:
    """RGB sheet of (frame, truth) pairs; the strip under each frame says time, segment and label."""
    rows = -(-len(tiles) // COLUMNS)
    sheet = np.zeros((rows * (TILE + STRIP), COLUMNS * TILE, 3), np.uint8)
    for k, (picture, truth) in enumerate(tiles):
        top, left = k // COLUMNS * (TILE + STRIP), k % COLUMNS * TILE
        scale = TILE / max(picture.shape[:2])
        size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        sheet[top : top + size[1], left : left + size[0]] = small
        _label(sheet[top + TILE : top + TILE + STRIP, left : left + TILE], truth)
    return sheet


def _label(strip: NDArray[np.uint8], truth: Truth) -> None:
    what = "forceps" if truth.forceps else truth.reason
    colour = TOOL if truth.forceps else BAD if truth.reason else GOOD
    text = f"{format_time(truth.time_s)} {truth.segment} {what}".rstrip()
    # OpenCV draws into memory of its own when the strip is a view that it cannot write to directly.
    drawn = np.ascontiguousarray(strip)
    cv2.putText(drawn, text, (3, STRIP - 5), cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, 1, cv2.LINE_AA)
    strip[:] = drawn
