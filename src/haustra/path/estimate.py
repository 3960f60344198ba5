"""Where the camera was at every frame, as one estimate with its uncertainty.

Progress is measured in two ways whose errors differ, and the location is their mean. One is the motion along the
viewing axis, which follows the lumen; the axis is averaged over AXIS_S, so looking around is no travelling. It counts
too little where the tip is bent aside. The other is the paper's: the place along the major travelling path
(fig:location_index), which cuts corners. With true motion the mean is off by half as much as the axis alone on
simulated colons, and by no more on those of another origin. Motion in calibres becomes location by the calibre along
the colon. Where both ends are places of the colon, the length of the way between them is known, too: what is missing
lies where travel is least certain. The uncertainty comes from draws of all that may be wrong (velocities in and out of
gaps, what the network states and doubts, the calibre, where the withdrawal begins and ends) and from how far the two
measures are apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.transform import Rotation

from haustra.path.calibre import CalibreProfile, location_of_travel, mean_profile, places
from haustra.path.doubt import lasting, lasting_with_sum, pull_errors, pulled, stated_errors
from haustra.path.length import KnownWay, way_between
from haustra.path.location import UNKNOWN_STD, location_index
from haustra.path.lumen import turned_by_lumen
from haustra.path.steady import PairVelocities, SteadyMotion, steady_motion
from haustra.path.trajectory import chain
from haustra.poses import FloatArray

AXIS_S = 1.5
DRAWS = 128
SMALLEST_STD = 0.003
# The way through a gap is off by this many times what the posterior says, because errors of poor frames go together for
# longer than the process remembers (1.9 over 363 gaps of fifteen simulated recordings that report nothing; less, since
# what is stated counts beside it, and the lumen tells of turns).
GAP_ERROR = 1.6


@dataclass(frozen=True)
class End:
    """Location of the first or the last frame, and how well it is known."""

    location: float
    std: float


# The tip is drawn to and fro in the cecum before it leaves, and the last frame is not at the anus to the millimetre.
# With 0.015 the error in the outer tenths was half of what was stated (fifteen recordings that report nothing).
WHOLE = (End(0.0, 0.008), End(1.0, 0.008))


@dataclass(frozen=True)
class Travel:
    """How far the camera was drawn back in each of n pairs (`step`, in calibres), and what may be wrong with it."""

    step: FloatArray
    step_s: FloatArray
    by_lumen: FloatArray  # of the n + 1 frames: the share of the turn to each that the lumen tells
    _motion: SteadyMotion
    _axis: FloatArray
    _span_s: FloatArray  # by which an error of the velocity becomes one of the step
    _common: FloatArray  # deviation in common with neighbouring steps
    _gain: FloatArray  # the part of what the way is off that each step takes, where the way's length is known
    _way_std: float = 0.0

    def draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Steps (n, count) as they may be."""
        off = self._common[:, None] * lasting(self.step_s, count, rng)
        for k in range(3):
            off += (self._axis[:, k] * self._span_s)[:, None] * self._motion.draws(k, count, rng)
        way_off = self._way_std * rng.standard_normal(count) - off.sum(axis=0)
        return self.step[:, None] + off + self._gain[:, None] * way_off

    def of_length(self, known: KnownWay) -> Travel:
        """The same travel where the length of its way is known, and its errors are as large as this needs."""
        way, with_way = float(self.step.sum()), self._with_way()
        wider = known.widening(way, float(with_way.sum()))
        gain = known.gain(np.square(wider) * with_way)
        more = gain * (known.mean - way)
        mean = self._motion.mean.copy()
        mean[:, :3] += self._axis * (more / self.step_s)[:, None]
        return Travel(
            self.step + more, self.step_s, self.by_lumen, replace(self._motion, mean=mean), self._axis,
            wider * self._span_s, wider * self._common, gain, known.std,
        )  # fmt: skip

    def _with_way(self) -> FloatArray:
        """Covariance (n,) of each step with the whole way."""
        result = self._common * lasting_with_sum(self.step_s, self._common)
        for k in range(3):
            weight = self._axis[:, k] * self._span_s
            result += weight * self._motion.with_sum(k, weight)
        return result

    def poses(self, scale: FloatArray | float = 1.0) -> FloatArray:
        """T_w_c (n + 1, 4, 4); each translation times `scale` (n,)."""
        return _chained(self._motion.mean, self.step_s, scale)


def travel_of(pairs: PairVelocities, *, withdrawn: bool = False) -> Travel:
    """Progress along the viewing axis; where the scope is known to be withdrawn, doubted steps are pulls."""
    motion = steady_motion(pulled(pairs) if withdrawn else pairs)
    mean, by_lumen = turned_by_lumen(motion.mean, pairs)
    motion = replace(motion, mean=mean)
    axis = _axes(_chained(motion.mean, pairs.step_s), pairs.step_s)
    step = np.einsum("ij,ij->i", axis, motion.mean[:, :3] * pairs.step_s[:, None])
    span_s = pairs.step_s * np.where(pairs.seen, 1.0, GAP_ERROR)
    common = stated_errors(pairs) + (pull_errors(pairs) if withdrawn else 0.0)
    return Travel(step, pairs.step_s, by_lumen, motion, axis, span_s, common, np.zeros_like(step))


@dataclass(frozen=True)
class LocationEstimate:
    """Of every frame: location index, its standard deviation, and the pose."""

    index: FloatArray
    std: FloatArray
    T_w_c: FloatArray


def estimate_location(travel: Travel, ends: tuple[End, End] = WHOLE, *, known: bool = True) -> LocationEstimate:
    """Locations of the n + 1 frames of n pairs, between the ends; `known`: these are places of the colon."""
    if not travel.step.sum() > 0:
        even = np.linspace(ends[0].location, ends[1].location, len(travel.step) + 1)
        return LocationEstimate(even, np.full(len(even), UNKNOWN_STD), travel.poses())
    profile = mean_profile()
    first, last = ends[0].location, ends[1].location
    if known:
        travel = travel.of_length(way_between(profile, first, last))
    by_axis = location_of_travel(_shares(travel.step), profile.log_calibre, first, last)
    scale = np.exp(np.interp(by_axis[1:], places(), profile.log_calibre - profile.log_calibre.mean()))
    T_w_c = travel.poses(scale)
    by_path = first + (last - first) * location_index(T_w_c[:, :3, 3]).index
    spread = np.mean(np.square(_draws(travel, profile, ends) - by_axis[:, None]), axis=1)
    std = np.sqrt(spread + np.square(0.5 * (by_axis - by_path)) + SMALLEST_STD**2)
    return LocationEstimate(0.5 * (by_axis + by_path), std, T_w_c)


def _chained(velocity: FloatArray, step_s: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
    """T_w_b = T_w_a @ T_a_b of successive frames (n + 1, 4, 4)."""
    steps = np.tile(np.eye(4), (len(velocity), 1, 1))
    steps[:, :3, 3] = velocity[:, :3] * (step_s * scale)[:, None]
    steps[:, :3, :3] = Rotation.from_rotvec(velocity[:, 3:] * step_s[:, None]).as_matrix()
    return chain(steps, np.concatenate([[0.0], np.cumsum(step_s)])).T_w_c


def _axes(T_w_c: FloatArray, step_s: FloatArray) -> FloatArray:
    """Direction of withdrawal (n, 3) in the first camera of each pair: against the viewing axis, averaged over time."""
    width = AXIS_S / max(float(np.median(step_s)), 1e-6)
    back = gaussian_filter1d(-T_w_c[:, :3, 2], width, axis=0, mode="nearest")
    back /= np.linalg.norm(back, axis=1, keepdims=True)
    return np.einsum("nji,nj->ni", T_w_c[:-1, :3, :3], 0.5 * (back[1:] + back[:-1]))


def _shares(step: FloatArray) -> FloatArray:
    """Share of the whole way that lies behind each frame: never before the first frame or after the last."""
    way = np.concatenate([[0.0], np.cumsum(step)])
    return np.clip(way / max(float(way[-1]), 1e-12), 0.0, 1.0)


def _draws(travel: Travel, profile: CalibreProfile, ends: tuple[End, End]) -> FloatArray:
    """Locations (n + 1, DRAWS) with the errors that motion, calibre and ends may have; the same ones on every call."""
    rng = np.random.default_rng(0)
    log_calibre = profile.draws(DRAWS, rng)
    first, last = (end.location + end.std * rng.standard_normal(DRAWS) for end in ends)
    shares = [_shares(step) for step in travel.draws(DRAWS, rng).T]
    draws = [location_of_travel(shares[d], log_calibre[:, d], first[d], last[d]) for d in range(DRAWS)]
    return np.stack(draws, axis=1)
