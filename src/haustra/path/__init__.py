"""From motions to a place: trajectory, major travelling path, location index (paper, fig:location_index)."""

from haustra.path.curve import DEFAULT_SMOOTHING, MajorPath, major_travelling_path
from haustra.path.location import LocationIndex, location_index
from haustra.path.trajectory import Trajectory, chain

__all__ = [
    "DEFAULT_SMOOTHING",
    "LocationIndex",
    "MajorPath",
    "Trajectory",
    "chain",
    "location_index",
    "major_travelling_path",
]
