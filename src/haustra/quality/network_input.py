"""Preprocessing, the same in training and inference: crop to the endoscope picture, zero-pad to a square, resize.

Training, the commands and the pipeline all come through here. The expensive part, cropping and scaling a full frame, is
libswscale's when a recording is read with `crop=box, size=fitted_size(...)`; then `prepare` only pads.
"""

from __future__ import annotations

import cv2
import numpy as np

from haustra.core.arrays import Image
from haustra.video.standard import BLACK_BELOW, crop, largest_box
from haustra.video.types import Box

# A component smaller than this share of the frame's sides is a lit patch in the dark, not the outline of the picture.
SMALLEST_BOX = 0.5


def fitted_size(width: int, height: int, size: int) -> tuple[int, int]:
    """Width and height of a picture scaled so that its longer side is `size`."""
    scale = size / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def picture_box(image: Image) -> Box:
    """The endoscope picture in a single frame: the paper's largest 4-connected component, or the whole frame."""
    height, width = image.shape[:2]
    box = largest_box(image.max(axis=2) >= BLACK_BELOW)
    if box is None or box.width < SMALLEST_BOX * width or box.height < SMALLEST_BOX * height:
        return Box(0, 0, width, height)
    return box


def prepare(image: Image, size: int, box: Box | None = None) -> Image:
    """RGB picture of any size to (size, size, 3); `box` is cut out first."""
    if box is not None:
        image = crop(image, box)
    height, width = image.shape[:2]
    target = fitted_size(width, height, size)
    if (width, height) != target:
        smaller = max(width, height) > size
        image = np.asarray(
            cv2.resize(image, target, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR), np.uint8
        )
    if image.shape[0] == image.shape[1]:
        return np.ascontiguousarray(image)
    square = np.zeros((size, size, 3), np.uint8)
    top, left = (size - target[1]) // 2, (size - target[0]) // 2
    square[top : top + target[1], left : left + target[0]] = image
    return square
