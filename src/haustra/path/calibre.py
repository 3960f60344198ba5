"""Calibre along the colon: what turns motion in units of the lumen into a location.

A single camera measures its motion in units of what it sees, and what it sees is the lumen: the same step in the
picture is a long way in the wide ascending colon and a short one in the sigmoid. The log of the calibre along the colon
is a slowly varying state. Its prior is the mean calibre of each segment; what the motion network can tell of the
calibre, where it can tell anything, is evidence; how far a colon may be from both is part of every location's
uncertainty. Only the course counts: a colon that is narrow throughout has the same locations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from haustra.poses import FloatArray

# Inner diameter, mm, cecum to rectum, of colons distended for CT colonography: the sigmoid is the narrowest. CT of
# colons that are not distended agrees in the ratio of ascending to descending (46 to 29 mm, medians of 119 adults).
DIAMETER_MM = (48.0, 49.0, 42.0, 33.0, 27.0, 36.0)
# Where the middles of the segments lie (the paper's table tbl_compare_template, Set 3).
MIDDLES = (0.034, 0.138, 0.332, 0.556, 0.780, 0.951)
# How far the log calibre of one colon, and the camera's way from the centre line, are from the mean colon's; alike
# over this part of the colon. Set on plans of simulated operators in plain and wide worlds (not rendered).
SPREAD = 0.25
REACH = 0.12
# Mean and spread of the log calibre (over 20 mm of radius) in the pairs that the motion network learnt from.
USUAL_MEAN, USUAL_STD = -0.12, 0.34
# A network that does not state the calibre still knows some of it (in the world it learnt from nearly all, abroad next
# to nothing): the prior's taper counts by this share, between what serves either.
SHARE_UNSTATED = 0.6
ANY_LEVEL = 3.0  # standard deviation of the level, which does not matter
NODES = 100


@dataclass(frozen=True)
class CalibreEvidence:
    """What the network says of the log calibre at each frame: mean and standard deviation, NaN where nothing."""

    log_calibre: FloatArray
    std: FloatArray

    def likelihood(self) -> tuple[FloatArray, FloatArray]:
        """Value and precision of what was seen, without what the network assumed before it looked.

        A network that states the spread of what it learnt from has seen nothing.
        """
        known = np.isfinite(self.log_calibre) & np.isfinite(self.std)
        stated = np.where(known, 1.0 / np.square(np.where(known, self.std, 1.0)), 0.0)
        precision = np.maximum(stated - USUAL_STD**-2, 0.0) * known
        seen = stated * np.nan_to_num(self.log_calibre) - USUAL_MEAN / USUAL_STD**2
        return np.divide(seen, precision, out=np.zeros_like(seen), where=precision > 0), precision


@dataclass(frozen=True)
class CalibreProfile:
    """Log calibre at NODES + 1 places of the colon, and a factor of its covariance."""

    log_calibre: FloatArray
    factor: FloatArray

    def draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Log calibres (NODES + 1, count) as they may be."""
        return self.log_calibre[:, None] + self.factor @ rng.standard_normal((self.factor.shape[1], count))


@cache
def unstated_profile() -> CalibreProfile:
    """The mean colon, for motion of a network that says nothing of the calibre."""
    prior = prior_profile()
    return CalibreProfile(SHARE_UNSTATED * prior.log_calibre, prior.factor)


@cache
def prior_profile() -> CalibreProfile:
    """The mean colon."""
    factor = np.asarray(np.linalg.cholesky(_covariance()), np.float64)
    return CalibreProfile(np.log(np.interp(places(), MIDDLES, DIAMETER_MM)), factor)


def profile_with(evidence: CalibreEvidence, location: FloatArray) -> CalibreProfile:
    """The prior and what was seen at these locations. Errors at one place are alike: a place counts as one look."""
    prior = prior_profile()
    value, precision = evidence.likelihood()
    node = np.rint(np.clip(location, 0.0, 1.0) * NODES).astype(np.intp)
    frames = np.bincount(node, precision > 0, NODES + 1)
    looked = frames > 0
    if not looked.any():
        return prior
    total = np.bincount(node, precision, NODES + 1)[looked]
    mean = np.bincount(node, precision * value, NODES + 1)[looked] / total
    noise = np.diag(frames[looked] / total)
    covariance = _covariance()
    gain = np.linalg.solve(covariance[np.ix_(looked, looked)] + noise, covariance[looked]).T
    log_calibre = prior.log_calibre + gain @ (mean - prior.log_calibre[looked])
    left = covariance - gain @ covariance[looked]
    return CalibreProfile(log_calibre, _factor(left))


def location_of_travel(
    travelled: FloatArray, log_calibre: FloatArray, first: float = 0.0, last: float = 1.0
) -> FloatArray:
    """Locations for shares (0..1) of the way travelled between `first` and `last`, measured in calibres."""
    at = first + (last - first) * places()
    inverse = np.exp(-np.interp(at, places(), log_calibre))
    way = np.concatenate([[0.0], np.cumsum(0.5 * (inverse[1:] + inverse[:-1]))])
    return np.interp(travelled, way / way[-1], at)


@cache
def places() -> FloatArray:
    """The locations of the nodes."""
    return np.linspace(0.0, 1.0, NODES + 1)


@cache
def _covariance() -> FloatArray:
    apart = np.abs(places()[:, None] - places())
    return ANY_LEVEL**2 + SPREAD**2 * np.exp(-apart / REACH) + 1e-9 * np.eye(NODES + 1)


def _factor(covariance: FloatArray) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T))
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
