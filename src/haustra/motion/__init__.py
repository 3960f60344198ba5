"""Stage 5: the 6-DoF motion of frame pairs, with its uncertainty (paper, fig:network).

`stream` runs it over a recording; `estimator` is the trained network, `epipolar_refinement` and `refined_motion`
refine it by points of the optical flow, `least_squares` is the motion that explains flow and disparity best; `methods`
is the registry with the baselines; `canonical` and `canonical_frames` are the camera that all of them see; `lumen`
finds the direction of the lumen; `parameters` has every tuned number.
"""

from __future__ import annotations

from haustra.motion.canonical import CANONICAL_FOV_DEG, canonical_K
from haustra.motion.estimator import MotionEstimator, motion_to_T_a_b
from haustra.motion.methods import MotionMethod, open_motion
from haustra.motion.parameters import MotionParameters
from haustra.motion.refined_motion import RefinedMotion

__all__ = [
    "CANONICAL_FOV_DEG",
    "MotionEstimator",
    "MotionMethod",
    "MotionParameters",
    "RefinedMotion",
    "canonical_K",
    "motion_to_T_a_b",
    "open_motion",
]
