"""Where the camera was at every frame, as one estimate with its uncertainty.

Progress is measured in two ways whose errors differ, and the location is their mean. One is the motion along the
viewing axis, which follows the lumen; the axis is averaged over AXIS_S, so looking around is no travelling. It counts
too little where the tip is bent aside. The other is the paper's: the place along the major travelling path
(fig:location_index), which cuts corners. With true motion the mean is off by half as much as the axis alone on
simulated colons, and by no more on those of another origin. Motion in calibres becomes location by the calibre along
the colon. The uncertainty comes from draws of all that may be wrong (velocities in and out of gaps, what the network
doubts, the calibre, where the withdrawal begins and ends) and from how far the two measures are apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.transform import Rotation

from haustra.path.calibre import CalibreProfile, location_of_travel, mean_profile, places
from haustra.path.location import UNKNOWN_STD, location_index
from haustra.path.steady import PairVelocities, SteadyMotion, steady_motion
from haustra.path.trajectory import chain
from haustra.poses import FloatArray

AXIS_S = 1.5
DRAWS = 128
SMALLEST_STD = 0.003
# The way through a gap is off by this many times what the posterior says (363 gaps of fifteen simulated recordings that
# report nothing): errors of poor frames go together for longer than the process remembers.
GAP_ERROR = 1.9
# What the network states beyond the usual error of a pair is in common to neighbouring pairs: steps of more than 5 mm
# are found too short, and it says so. It counts by this share and lasts this long (fifteen recordings of 70 to 120 s
# and thirteen of 18 to 29 s that report nothing; frames of the hurried ones within two deviations: 0.68 without it,
# 0.88 with it).
DOUBT = 0.5
DOUBT_S = 2.0


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
    _motion: SteadyMotion
    _axis: FloatArray
    _seen: NDArray[np.bool_]
    _doubt: FloatArray

    def draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Steps (n, count) as they may be."""
        steps = np.repeat(self.step[:, None], count, axis=1)
        widened = self.step_s * np.where(self._seen, 1.0, GAP_ERROR)
        for k in range(3):
            steps += (self._axis[:, k] * widened)[:, None] * self._motion.draws(k, count, rng)
        return steps + DOUBT * self._doubt[:, None] * _lasting(self.step_s, count, rng)

    def poses(self, scale: FloatArray | float = 1.0) -> FloatArray:
        """T_w_c (n + 1, 4, 4); each translation times `scale` (n,)."""
        return _chained(self._motion.mean, self.step_s, scale)


def travel_of(pairs: PairVelocities) -> Travel:
    """Progress along the viewing axis."""
    motion = steady_motion(pairs)
    axis = _axes(_chained(motion.mean, pairs.step_s), pairs.step_s)
    step = np.einsum("ij,ij->i", axis, motion.mean[:, :3] * pairs.step_s[:, None])
    return Travel(step, pairs.step_s, motion, axis, pairs.seen, _doubts(pairs, axis))


def _doubts(pairs: PairVelocities, axis: FloatArray) -> FloatArray:
    """Deviation of each step (n,) that the network states beyond what is taken for the error of the pair alone."""
    if pairs.stated is None:
        return np.zeros(len(axis))
    stated, own = (np.abs(axis * std[:, :3]).sum(axis=1) for std in (pairs.stated, pairs.std))
    beyond = np.sqrt(np.maximum(np.square(stated) - np.square(own), 0.0)) * pairs.step_s
    return np.where(pairs.seen & np.isfinite(beyond), beyond, 0.0)


def _lasting(step_s: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Noise (n, count) of unit spread that is forgotten within DOUBT_S."""
    kept = np.exp(-float(np.median(step_s)) / DOUBT_S)
    noise = rng.standard_normal((len(step_s), count))
    noise[1:] *= np.sqrt(1.0 - kept**2)
    for before, now in pairwise(noise):  # scipy's filter brings all of its statistics, half a second of imports
        now += kept * before
    return noise


@dataclass(frozen=True)
class LocationEstimate:
    """Of every frame: location index, its standard deviation, and the pose."""

    index: FloatArray
    std: FloatArray
    T_w_c: FloatArray


def estimate_location(travel: Travel, ends: tuple[End, End] = WHOLE) -> LocationEstimate:
    """Locations of the n + 1 frames of n pairs, between the ends."""
    if not travel.step.sum() > 0:
        even = np.linspace(ends[0].location, ends[1].location, len(travel.step) + 1)
        return LocationEstimate(even, np.full(len(even), UNKNOWN_STD), travel.poses())
    profile = mean_profile()
    first, last = ends[0].location, ends[1].location
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
