"""The endoscope picture as the network is shown it: what is drawn over it looks like an instrument, and is blackened.

The networks have learnt from stills with blackened insets. Covering banners with tissue from beside them is worse than
leaving them: what comes out looks like a tube.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.video import Picture
from haustra.video.standard import masked

Image = NDArray[np.uint8]


class Cover:
    """Blackens what does not belong to `picture`, in pictures of `size` (width, height)."""

    def __init__(self, picture: Picture, size: tuple[int, int]) -> None:
        mask = cv2.resize(picture.mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
        self._mask = mask > 0

    def __call__(self, picture: Image) -> Image:
        return np.asarray(masked(picture, self._mask), np.uint8)
