"""Value types of stage 6: location index, standard deviation and pose of every frame, and the two ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.core.arrays import FloatArray

# Of a uniform distribution over the whole colon: nothing is known.
UNKNOWN_STD = 1 / np.sqrt(12.0)


@dataclass(frozen=True)
class End:
    """Location of the first or the last frame, and its standard deviation."""

    location: float
    std: float


def whole_colon(end_std: float) -> tuple[End, End]:
    """The ends of a withdrawal from the cecum to the anus."""
    return End(0.0, end_std), End(1.0, end_std)


@dataclass(frozen=True)
class FrameLocations:
    """Of every frame: location index (n,), its standard deviation (n,), and the pose T_w_c (n, 4, 4).

    A pose that is not known is NaN.
    """

    index: FloatArray
    std: FloatArray
    T_w_c: FloatArray
