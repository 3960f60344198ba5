"""Log-Gaussian-process prior of the lumen calibre along the colon: it turns motion in calibres into locations.

A single camera measures its motion in units of what it sees, and what it sees is the lumen: the same step in the
picture is a long one in the wide ascending colon and a short one in the sigmoid. The log calibre along the colon is a
Gauss-Markov process about the mean of each segment; how far colons differ from that mean is part of every location's
uncertainty. Only the shape of the profile matters: a colon that is narrow throughout has the same locations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.path.gauss_markov import correlation
from haustra.path.parameters import CalibreParameters


@dataclass(frozen=True)
class CalibreProfile:
    """Log calibre at even locations from 0 to 1, and the Cholesky factor of its covariance."""

    locations: FloatArray
    log_calibre: FloatArray
    factor: FloatArray

    def draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Log calibres (locations, count) of colons drawn from the prior."""
        return self.log_calibre[:, None] + self.factor @ rng.standard_normal((self.factor.shape[1], count))

    def path_shares(self) -> FloatArray:
        """Share of the whole path, in calibres, that lies before each location."""
        return _path_shares(self.log_calibre)


@cache
def mean_profile(parameters: CalibreParameters, lens_std: float = 0.0) -> CalibreProfile:
    """The mean colon, tapered by as much as the motion network does not compensate.

    `lens_std` is the relative standard deviation of the lens' angles, 0 for a calibrated one. A scale that is wrong
    everywhere leaves locations as they are; but what a wrong lens does to a step depends on how far off the axis the
    wall is seen, so it varies with the place as the calibre does: by as much as the angles are wrong.
    """
    locations = np.linspace(0.0, 1.0, parameters.intervals + 1)
    taper = np.log(np.interp(locations, parameters.segment_middles, parameters.diameter_mm))
    distance = np.abs(locations[:, None] - locations)
    kernel = (parameters.spread**2 + lens_std**2) * correlation(distance, parameters.correlation_length)
    kernel += parameters.taper_spread**2 * np.outer(taper - taper.mean(), taper - taper.mean())
    factor = np.linalg.cholesky(kernel + 1e-9 * np.eye(len(locations)))
    return CalibreProfile(locations, parameters.taper_share * taper, np.asarray(factor, np.float64))


def location_of_travel(
    travelled: FloatArray, locations: FloatArray, log_calibre: FloatArray, first: float = 0.0, last: float = 1.0
) -> FloatArray:
    """Locations for shares (0..1) of the distance, in calibres, travelled from `first` to `last`.

    `log_calibre` is that of the colon at `locations`, which run evenly from 0 to 1.
    """
    at = first + (last - first) * locations
    return np.interp(travelled, _path_shares(np.interp(at, locations, log_calibre)), at)


def _path_shares(log_calibre: FloatArray) -> FloatArray:
    """Integral of 1 / calibre up to each of evenly spaced places, as a share of all of it (trapezoidal rule)."""
    inverse = np.exp(-log_calibre)
    path = np.concatenate([[0.0], np.cumsum(0.5 * (inverse[1:] + inverse[:-1]))])
    return np.asarray(path / path[-1])
