"""What is drawn over the picture is not shown to the network."""

from __future__ import annotations

import numpy as np

from haustra.quality import OverlayMask
from haustra.video import Box, Picture


def test_a_banner_goes_black_and_nothing_else_does() -> None:
    mask = np.ones((200, 240), bool)
    mask[120:140, 30:150] = False
    picture = Picture(Box(10, 20, 240, 200), mask, 400, 300)
    image = np.full((100, 120, 3), (180, 90, 70), np.uint8)
    shown = OverlayMask(picture, (120, 100))(image)
    assert (image == (180, 90, 70)).all()  # the pictures are used for motion and thumbnails too
    assert (shown[60:70, 15:75] == 0).all()
    assert (shown == 0).all(axis=2).sum() == 10 * 60
