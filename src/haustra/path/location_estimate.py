"""The location index of every frame and its uncertainty, from the distance travelled and a Monte Carlo over its errors.

Progress is measured in two ways whose errors differ, and the location is their mean. One is the distance travelled
along the viewing axis (`path.travel`), which counts too little where the tip is bent aside. The other is the paper's:
the place along the major travelling path (`path.paper_index`), which cuts corners. With true motion the mean is off by
half as much as the axis alone on simulated colons, and by no more on the foreign pair. The calibre prior turns
distances in calibres into locations. Where both ends are places of the colon, the length of the path between them is
known, too.
"""

from __future__ import annotations

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.path.calibre import CalibreProfile, location_of_travel, mean_profile
from haustra.path.frame_locations import UNKNOWN_STD, End, FrameLocations
from haustra.path.length_prior import length_between
from haustra.path.paper_index.location import location_index
from haustra.path.parameters import PathParameters
from haustra.path.travel import Travel


def estimate_location(
    travel: Travel, ends: tuple[End, End], parameters: PathParameters, *, length_known: bool, lens_std: float = 0.0
) -> FrameLocations:
    """Locations of the n + 1 frames of n pairs, between the ends.

    `length_known`: the ends are places of the colon and the travel is in calibres, so the length prior holds. A camera
    that was not withdrawn at all has no location: the index is then spread evenly, and its uncertainty says so.
    `lens_std`: see `mean_profile`.
    """
    if not travel.step.sum() > 0:
        even = np.linspace(ends[0].location, ends[1].location, len(travel.step) + 1)
        return FrameLocations(even, np.full(len(even), UNKNOWN_STD), travel.poses())
    profile = mean_profile(parameters.calibre, lens_std)
    first, last = ends[0].location, ends[1].location
    if length_known:
        prior = parameters.length_prior
        travel = travel.with_length(length_between(profile, first, last, prior), prior.far_short)
    by_axis = location_of_travel(_shares(travel.step), profile.locations, profile.log_calibre, first, last)
    log_scale = profile.log_calibre - profile.log_calibre.mean()
    T_w_c = travel.poses(np.exp(np.interp(by_axis[1:], profile.locations, log_scale)))
    by_path = first + (last - first) * location_index(T_w_c[:, :3, 3], parameters.paper_index).index
    draws = _location_draws(travel, profile, ends, parameters.location.draws)
    variance = np.mean(np.square(draws - by_axis[:, None]), axis=1) + np.square(0.5 * (by_axis - by_path))
    std = np.sqrt(variance + parameters.location.smallest_std**2)
    return FrameLocations(0.5 * (by_axis + by_path), std, T_w_c)


def _shares(step: FloatArray) -> FloatArray:
    """Share of the whole distance travelled up to each frame, clipped to the ends."""
    travelled = np.concatenate([[0.0], np.cumsum(step)])
    return np.clip(travelled / max(float(travelled[-1]), 1e-12), 0.0, 1.0)


def _location_draws(travel: Travel, profile: CalibreProfile, ends: tuple[End, End], count: int) -> FloatArray:
    """Locations (n + 1, count) under draws of travel, calibre and ends; the same ones on every call."""
    rng = np.random.default_rng(0)
    log_calibre = profile.draws(count, rng)
    first, last = (end.location + end.std * rng.standard_normal(count) for end in ends)
    shares = [_shares(step) for step in travel.draws(count, rng).T]
    draws = [
        location_of_travel(shares[d], profile.locations, log_calibre[:, d], first[d], last[d]) for d in range(count)
    ]
    return np.stack(draws, axis=1)
