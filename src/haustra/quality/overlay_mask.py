"""Masks burnt-in graphics: to the classifier an inset or a banner would look like an instrument.

The networks were trained on stills with blackened insets. Filling banners with tissue from beside them works worse than
leaving them: the result looks like a tube.
"""

from __future__ import annotations

import cv2
import numpy as np

from haustra.core.arrays import Image
from haustra.video import Picture
from haustra.video.standard import masked


class OverlayMask:
    """Blackens what does not belong to `picture`, in images of `size` (width, height)."""

    def __init__(self, picture: Picture, size: tuple[int, int]) -> None:
        mask = cv2.resize(picture.mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
        self._mask = mask > 0

    def __call__(self, image: Image) -> Image:
        return np.asarray(masked(image, self._mask), np.uint8)
