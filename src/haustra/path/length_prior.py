"""Prior of the path length between two places of the colon: a Kalman update on the total length.

An implausibly short path means that travel was missed: steps too large for the network, or fast motion inside gaps. The
prior is one scalar measurement of the sum of all steps. Its residual goes to the steps by their covariance with the
sum, so mostly to those that are least certain; a path that is known well stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.path.calibre import CalibreProfile
from haustra.path.parameters import LengthPriorParameters


@dataclass(frozen=True)
class PathLength:
    """Mean and standard deviation of the length of a path, calibres."""

    mean: float
    std: float

    def gain(self, with_sum: FloatArray) -> FloatArray:
        """Kalman gain (n,): share of the total-length residual assigned to each step.

        `with_sum` (n,) is the covariance of the steps with their sum.
        """
        return np.asarray(with_sum / (with_sum.sum() + self.std**2))

    def inflation(self, length: float, variance: float, far_short: float) -> float:
        """Factor on the errors of a path of this length and variance that makes it `far_short` deviations too short.

        1 for paths that are longer than that.
        """
        wanted = np.square(max(self.mean - length, 0.0) / far_short) - self.std**2
        return float(np.sqrt(max(wanted / max(variance, 1e-12), 1.0)))


def length_between(profile: CalibreProfile, first: float, last: float, parameters: LengthPriorParameters) -> PathLength:
    """The prior for a part of the colon: its share of the whole, in calibres, so a narrow part is long."""
    share = float(np.diff(np.interp([first, last], profile.locations, profile.path_shares()))[0])
    return PathLength(parameters.mean * share, parameters.std * share)
