"""The paper's location index (paper, fig:location_index): trajectory, major travelling path, projection.

`location_index` is the index of any trajectory: a B-spline with smoothing gamma along which the camera travelled
(`curve`), and the place of every pose on it (`project`). `paper_location` is the index of a withdrawal by the paper's
whole method: dropped frames removed, the motions of kept frames chained (`kept_frames`); it is what
`locate --index paper` gives. Two things are not left as the paper has them, because taken literally they fail: gamma is
free of scale (the paper's 100 depends on the unit of the trajectory), and the projection is continuous in time (the
nearest point jumps where the path comes near itself).
"""

from haustra.path.paper_index.curve import MajorPath, major_travelling_path
from haustra.path.paper_index.location import LocationIndex, location_index

__all__ = ["LocationIndex", "MajorPath", "location_index", "major_travelling_path"]
