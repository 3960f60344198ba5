"""How long the way between two places of a colon is in the units of the network, and what follows from it.

A way that is found far too short was not found: steps too large for the network, and gaps in which more was travelled
than before and after them. What is missing lies where the travel is least certain, so each step takes a part by its
covariance with the whole way: the posterior of steps whose sum is known. A way that is known well stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.path.calibre import CalibreProfile, places, way_shares
from haustra.poses import FloatArray

# Of whole colons, plain and wide (true motion in the units that the network has where steps are small: 31 to 75).
WAY = 45.0
WAY_STD = 11.0
# A way that is shorter than the mean by more than this many deviations has larger errors than are stated for it.
FAR_SHORT = 1.5


@dataclass(frozen=True)
class KnownWay:
    """Mean and deviation of the length of the way."""

    mean: float
    std: float

    def gain(self, with_way: FloatArray) -> FloatArray:
        """Share (n,) of what is missing that each step takes, from the covariance (n,) of the steps with their sum."""
        return np.asarray(with_way / (with_way.sum() + self.std**2))

    def widening(self, way: float, variance: float) -> float:
        """By how much the errors of a way of this variance must be larger to make it FAR_SHORT deviations too short."""
        wanted = np.square(max(self.mean - way, 0.0) / FAR_SHORT) - self.std**2
        return float(np.sqrt(max(wanted / max(variance, 1e-12), 1.0)))


def way_between(profile: CalibreProfile, first: float, last: float) -> KnownWay:
    """Of a part of the colon its share of the whole: a narrow part is long, in calibres."""
    share = float(np.diff(np.interp([first, last], places(), way_shares(profile.log_calibre)))[0])
    return KnownWay(WAY * share, WAY_STD * share)
