"""What is drawn over the picture: banners, icons, panels, a still that is shown in a corner for a while.

Tissue may be still, burnt out or dark, so a pixel that does not change says nothing by itself. Drawn things stand
still while the rest of the picture moves: only pairs of frames in which it does count, and only pixels that are
neither burnt out nor black. What stands still in all such pairs is drawn. What stands still for some of them in a row
may be calm tissue; it is drawn when it fills a rectangle.
"""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Images, Mask
from haustra.video.standard import BLACK_BELOW, brightest

AROUND = 5  # pixels
SAME_BELOW = 3.0  # levels of mean change about a pixel, from coding alone
MOVES_FROM = 8.0  # levels of change in the middle of the picture: the camera moves
BURNT_FROM = 250
FEWEST_PAIRS = 5
ALWAYS = 0.7  # of the pairs; tissue reaches a third of them at most, a panel with letters nine tenths
IN_A_ROW = 4  # pairs
RECTANGLE = 0.7  # of its box is filled; calm tissue of some size fills half
CLOSED = 15  # pixels
SMALLEST = 0.0015  # of the picture
SMALLEST_FOR_A_WHILE, LARGEST_FOR_A_WHILE = 0.02, 0.15


def drawn_over(images: Images, picture: Mask) -> Mask | None:
    """Pixels of `picture` that are not the camera's; None where too few frames differ to tell."""
    pairs = [pair for a, b in pairwise(images) if (pair := _compared(a, b, picture)) is not None]
    if len(pairs) < FEWEST_PAIRS:
        return None
    still, known = (np.stack(maps) for maps in zip(*pairs, strict=True))
    counted = known.sum(axis=0)
    always = (counted >= FEWEST_PAIRS) & ((still & known).sum(axis=0) >= ALWAYS * counted) & picture
    always = _pieces(_opened(_closed(always) & picture, AROUND), SMALLEST * picture.sum())
    awhile = (_longest_row(still & known) >= IN_A_ROW) & picture & ~_grown(always, 2)
    drawn = always | _rectangles(awhile, picture & ~always)
    return _grown(drawn, AROUND // 2)  # at its edge the mean about a pixel has tissue in it


def _compared(a: NDArray[np.uint8], b: NDArray[np.uint8], picture: Mask) -> tuple[Mask, Mask] | None:
    """Where two frames are the same, and where that would mean something; None where the picture hardly moves."""
    change = brightest(cv2.absdiff(a, b))
    if np.median(change[picture]) < MOVES_FROM:
        return None
    still = cv2.blur(change.astype(np.float32), (AROUND, AROUND)) < SAME_BELOW
    burnt = brightest(255 - cv2.min(a, b)) <= 255 - BURNT_FROM
    black = brightest(cv2.max(a, b)) < BLACK_BELOW
    return still, ~(burnt | black)


def _longest_row(still: NDArray[np.bool_]) -> NDArray[np.int16]:
    """For every pixel, in how many pairs one after the other it stood still."""
    row = np.zeros(still.shape[1:], np.int16)
    longest = row.copy()
    for now in still:
        row = np.where(now, row + 1, 0).astype(np.int16)
        np.maximum(longest, row, out=longest)
    return longest


def _rectangles(mask: Mask, picture: Mask) -> Mask:
    """The boxes of those pieces of the mask that fill the part of their box that lies in the picture."""
    result = np.zeros_like(mask)
    least, most = (share * picture.sum() for share in (SMALLEST_FOR_A_WHILE, LARGEST_FOR_A_WHILE))
    opened = _opened(_closed(mask), 2 * AROUND).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=4)
    for number in range(1, count):
        x, y, width, height, area = (int(v) for v in stats[number])
        box = (slice(y, y + height), slice(x, x + width))
        if least <= area <= most and (labels[box] == number).sum() >= RECTANGLE * picture[box].sum():
            result[box] = True
    return result & picture


def _pieces(mask: Mask, least: float) -> Mask:
    """The connected pieces that are not tiny."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    large = stats[:, cv2.CC_STAT_AREA] >= least
    large[0] = False
    return np.asarray(large[labels])


def _closed(mask: Mask) -> Mask:
    """Letters and lines that move in a panel are holes in it."""
    padded = np.pad(mask.astype(np.uint8), CLOSED)
    kernel = np.ones((CLOSED, CLOSED), np.uint8)
    return np.asarray(cv2.morphologyEx(padded, cv2.MORPH_CLOSE, kernel)[CLOSED:-CLOSED, CLOSED:-CLOSED] > 0)


def _opened(mask: Mask, size: int) -> Mask:
    """Without thin strips: where burnt-out tissue meets the border nothing changes either."""
    kernel = np.ones((size, size), np.uint8)
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, kernel) > 0)


def _grown(mask: Mask, by: int) -> Mask:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((2 * by + 1, 2 * by + 1), np.uint8)) > 0)
