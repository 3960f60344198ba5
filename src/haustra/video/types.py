"""What crosses the border of this stage: a sampled frame and a box in the frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Box(NamedTuple):
    """A rectangle in pixels of the displayed frame; x and y are its top left pixel."""

    x: int
    y: int
    width: int
    height: int

    def scaled(self, factor: float) -> Box:
        """The same box in a frame of another size, to the nearest pixel."""
        return Box(*(round(value * factor) for value in self))


@dataclass(frozen=True)
class Frame:
    """One sample: its running number in this reading, seconds since the first frame of the stream, RGB picture."""

    index: int
    time_s: float
    image: NDArray[np.uint8]
