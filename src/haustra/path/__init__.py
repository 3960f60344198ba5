"""Stage 6: from the motions of frame pairs to the location index of every frame, with its uncertainty.

`withdrawal.follow_withdrawal` is the stage. It takes the observations of a recording and returns the withdrawal: its
samples, how much of the colon they show, and the location of each. The model, in the order of the data:

1. *Measurements* (`velocities`). Each pair of successive samples measures six velocities v of the camera, in calibres
   and radians a second, with a standard deviation that the motion network predicts. Pairs with a dropped frame are
   measured, too.
2. *Smoothing* (`smoother`). Each velocity is an Ornstein-Uhlenbeck process about the recording's mean
   (`gauss_markov`), wider in gaps, measured with Student-t noise: the posterior of all pairs is one tridiagonal
   system.
3. *Rotation across gaps* (`gap_lumen`, `gap_rotation`). The lumen that is seen before and after a gap corrects pitch
   and yaw of what the smoother has there, by the variances of both.
4. *Travel* (`travel`). Step i is d_i = -a_i . v_i dt_i along the viewing axis a_i, averaged over time. Its error has
   three parts (`step_uncertainty`): the smoother's posterior, an AR(1) error in common with neighbouring steps, and
   the error of a bias correction for steps that are too large for the network.
5. *Length* (`length_prior`). Where both ends are places of the colon, their distance is known: a Kalman update on the
   sum of the steps puts what is missing where the travel is least certain.
6. *Calibre* (`calibre`). Travel in calibres becomes location through c(x), the calibre along the colon: the distance
   up to x is the integral of dx / c(x), and log c is a Gaussian process about the anatomical taper.
7. *Location* (`location_estimate`). The mean of two measures: the travel above, and the projection of the poses on the
   paper's major travelling path (`paper_index`). The variance is that of a Monte Carlo over travel, calibre and ends,
   plus the square of half the difference of the two measures.

Around it: `withdrawal_start` (change-point search where the start is not given), `extent` (a whole colon, or a part),
`paper_index` (the paper's own index, for any trajectory and as `locate --index paper`), `indices` (time and
ScopeGuide, which the paper compares with), `trajectory` and `trajectory_files` (poses, TUM and KITTI), `warnings`, and
`parameters`: every tuned number, in one place.

Two more models of the location's error exist beside the Monte Carlo of 7, for inputs that it cannot have: a Brownian
bridge of scale drift where only a trajectory is known (`paper_index.location`), and the bridge that the segment
decoder fits to any standard deviations it is given (`anatomy.decoder`). They give different numbers and are not
interchangeable.
"""

from haustra.path.paper_index import LocationIndex, MajorPath, location_index, major_travelling_path
from haustra.path.parameters import PathParameters
from haustra.path.trajectory import Trajectory, chain

__all__ = [
    "LocationIndex",
    "MajorPath",
    "PathParameters",
    "Trajectory",
    "chain",
    "location_index",
    "major_travelling_path",
]
