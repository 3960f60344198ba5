"""Where in the frame the endoscope picture is: once for a recording, from frames spread over it.

The paper takes the largest 4-connected component of each binarised frame (`standard.py`). Over a recording more is
known: the picture is lit in most frames and moves, while the border is always black and text, panels and insets stand
still (`burnt_in.py`). So the binarisation is done on statistics over time, first at a small size, then at the edges in
full.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Images, Mask
from haustra.core.errors import HaustraError
from haustra.video.burnt_in import drawn_over
from haustra.video.problems import Problems
from haustra.video.recording import Recording
from haustra.video.standard import BLACK_BELOW, brightest, largest_component
from haustra.video.types import Box

Levels = NDArray[np.uint8]  # (frames, height, width), the brightest of the three channels: tissue is red

COARSE_WIDTH = 480
STILLS = 36
SMALLEST_PIECE = 0.02  # of the picture: a banner may cut it in two
LARGEST_HOLE = 0.02  # of the picture: dirt on the lens or a burnt-in mark, not an inset
SMALLEST_PICTURE = 0.01  # of the frame
# A second picture is at least this large beside the chosen one, and changes at least as much; an inset is smaller.
SECOND_PICTURE = 0.6
SECOND_MOVES = 0.5


@dataclass(frozen=True)
class Picture:
    """The box of the endoscope picture in the displayed frame, and which pixels in the box belong to it.

    `beside` is the box of another live picture that is nearly as large, if there is one.
    """

    box: Box
    mask: Mask
    frame_width: int
    frame_height: int
    beside: Box | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know about the choice of the picture."""
        if self.beside is None:
            return ()
        box, other = self.box, self.beside
        return (
            f"the frame shows two live pictures: the one at x {box.x}, y {box.y} ({box.width}x{box.height}) is used, "
            f"the one at x {other.x}, y {other.y} ({other.width}x{other.height}) is not",
        )


def find_picture(recording: Recording, problems: Problems | None = None) -> Picture:
    """Find the picture, stable against dark frames, text at the side, insets and masks of any outline."""
    size = recording.width, recording.height
    scale = min(1.0, COARSE_WIDTH / size[0])
    small = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
    images, mean = [], _Mean(size)
    for _, image in recording.stills(STILLS, problems):
        images.append(np.asarray(cv2.resize(image, small, interpolation=cv2.INTER_AREA), np.uint8))
        if _is_lit(brightest(images[-1])[None])[0]:
            mean.add(brightest(image))
    stack = np.stack(images) if images else np.zeros((1, 1, 1, 3), np.uint8)
    coarse, drawn = picture_mask(stack)
    if coarse.mean() < SMALLEST_PICTURE:
        raise HaustraError(f"{recording.path} shows no endoscope picture: all frames looked at are black")
    mask = coarse if scale == 1.0 else _refine(coarse, drawn, mean)
    box = _box(mask)
    inside = mask[box.y : box.y + box.height, box.x : box.x + box.width]
    beside = second_picture(stack, coarse)
    return Picture(box, np.ascontiguousarray(inside), *size, None if beside is None else beside.scaled(1 / scale))


def picture_mask(images: Images) -> tuple[Mask, Mask]:
    """The largest piece that is lit in most frames that are not dark, without what is drawn over it; and the latter."""
    levels = np.stack([brightest(image) for image in images])
    usable = _is_lit(levels)
    nothing = np.zeros(levels.shape[1:], np.bool_)
    if not usable.any():
        return nothing, nothing
    bright = np.quantile(levels[usable], 0.8, axis=0, method="nearest").astype(np.int16)
    lit = largest_component(_open(bright >= _black_below(bright)))
    # Where nothing moves in the whole recording, brightness alone has to do.
    drawn = drawn_over(images[usable], lit)
    drawn = nothing if drawn is None else drawn
    return _fill_holes(_close(_large_pieces(_open(lit & ~drawn))) & ~drawn), drawn


def second_picture(images: Images, chosen: Mask) -> Box | None:
    """The box of another piece that is lit, nearly as large as the chosen one, and moves as much."""
    levels = np.stack([brightest(image) for image in images])
    usable = levels[_is_lit(levels)]
    if len(usable) < 2:
        return None
    bright = np.quantile(usable, 0.8, axis=0, method="nearest").astype(np.int16)
    near = cv2.dilate(chosen.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    other = largest_component(_open(bright >= _black_below(bright)) & ~near)
    if other.sum() < SECOND_PICTURE * chosen.sum():
        return None
    motion = usable.astype(np.float32).std(axis=0)
    return _box(other) if motion[other].mean() >= SECOND_MOVES * motion[chosen].mean() else None


class _Mean:
    """Mean of the lit frames in full size, kept running: a stack of such frames would not fit in memory."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.total, self.count = np.zeros(size[::-1], np.float32), 0

    def add(self, level: NDArray[np.uint8]) -> None:
        self.total += level
        self.count += 1


def _refine(coarse: Mask, drawn: Mask, mean: _Mean) -> Mask:
    """The coarse mask, its outline put where the full-size frames have it."""
    size = mean.total.shape[::-1]
    full, covered = (
        cv2.resize(mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) for mask in (coarse, drawn)
    )
    level = (mean.total / max(mean.count, 1)).astype(np.int16)
    reach = 2 * -(-size[0] // coarse.shape[1]) + 1
    kernel = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    widest = cv2.dilate(full, kernel) > 0
    surely = cv2.erode(full, kernel, borderType=cv2.BORDER_REPLICATE) > 0
    seen = (level >= _black_below(level)) & widest & (covered == 0)
    return _fill_holes(_large_pieces(seen | surely))


def _large_pieces(mask: Mask) -> Mask:
    """The pieces of a picture that something drawn over it has cut, without crumbs."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    large = stats[:, cv2.CC_STAT_AREA] >= SMALLEST_PIECE * mask.sum()
    large[0] = False
    return np.asarray(large[labels])


def _is_lit(levels: Levels) -> NDArray[np.bool_]:
    """Frames in which at least a tenth of the pixels is clearly not black."""
    return np.asarray(np.percentile(levels, 90, axis=(1, 2)) >= 1.5 * BLACK_BELOW)


def _black_below(bright: NDArray[np.int16]) -> int:
    """Threshold above the border's own level: captured analogue signals have a border that is grey, not black."""
    dark = bright[bright < 2 * BLACK_BELOW]
    border = float(np.median(dark)) if dark.size > 0.005 * bright.size else 0.0
    return max(BLACK_BELOW, round(border) + 12)


def _open(mask: Mask) -> Mask:
    """Cuts what hangs on by a few pixels: text next to the picture, lines drawn in an inset."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
    padded = np.pad(mask.astype(np.uint8), 4, mode="edge")
    return np.asarray(cv2.morphologyEx(padded, cv2.MORPH_OPEN, kernel)[4:-4, 4:-4] > 0)


def _close(mask: Mask) -> Mask:
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
    padded = np.pad(mask.astype(np.uint8), 8)
    return np.asarray(cv2.morphologyEx(padded, cv2.MORPH_CLOSE, kernel)[8:-8, 8:-8] > 0)


def _fill_holes(mask: Mask) -> Mask:
    """Fills what is small and wholly inside; a large one is an inset and stays out."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats((~mask).astype(np.uint8), connectivity=4)
    outside = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    small = stats[:, cv2.CC_STAT_AREA] <= LARGEST_HOLE * mask.sum()
    small[outside] = False
    small[0] = True  # label 0 is the mask itself
    return np.asarray(small[labels] if count > 1 else mask)


def _box(mask: Mask) -> Box:
    """The smallest box around the mask, without rows and columns that only a stray pixel or two reach."""
    columns, rows = mask.sum(axis=0), mask.sum(axis=1)
    x = np.flatnonzero(columns >= max(1, 0.01 * columns.max()))
    y = np.flatnonzero(rows >= max(1, 0.01 * rows.max()))
    return Box(int(x[0]), int(y[0]), int(x[-1] - x[0] + 1), int(y[-1] - y[0] + 1))
