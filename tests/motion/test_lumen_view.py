"""Where the lumen lies: a dark disc is found, its middle and its size, wherever the picture is valid."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from haustra.motion.canonical import canonical_K
from haustra.motion.lumen import LumenView

SIZE, FOV = 128, 100.0
WHOLE = np.ones((SIZE, SIZE), np.bool_)


def picture(x: float, y: float, radius: int = 18) -> np.ndarray:
    """A dark disc in the direction of the ray (x, y, 1), with a highlight beside it."""
    K = canonical_K(SIZE, FOV)
    image = np.full((SIZE, SIZE, 3), 150, np.uint8)
    at = (round(K[0, 0] * x + K[0, 2]), round(K[1, 1] * y + K[1, 2]))
    cv2.circle(image, at, radius, (20, 20, 20), -1)
    cv2.circle(image, (at[0] + radius + 3, at[1]), 3, (255, 255, 255), -1)
    return image


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (0.5, -0.3), (-0.6, 0.6)])
def test_the_lumen_is_where_it_is_dark(x: float, y: float) -> None:
    found = LumenView(WHOLE, FOV)(picture(x, y))
    assert found[:2] == pytest.approx([x, y], abs=0.05)


def test_a_dark_part_that_spreads_is_told() -> None:
    round_one, two = picture(0.0, 0.0, 14), np.minimum(picture(-0.7, 0.0, 14), picture(0.7, 0.0, 14))
    view = LumenView(WHOLE, FOV)
    assert view(two)[2] > 2 * view(round_one)[2]


def test_what_the_lens_does_not_show_is_not_dark() -> None:
    mask = WHOLE.copy()
    mask[:, :40] = False
    shown = picture(0.4, 0.2) * mask[..., None].astype(np.uint8)
    assert LumenView(mask, FOV)(shown)[:2] == pytest.approx([0.4, 0.2], abs=0.05)
    assert np.isnan(LumenView(~WHOLE, FOV)(shown)).all()
