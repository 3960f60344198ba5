"""Stage 5: the 6-DoF motion of a frame pair (paper, fig:network)."""

from __future__ import annotations

from haustra.motion.canonical import CANONICAL_FOV_DEG, canonical_K
from haustra.motion.estimator import MotionEstimator, motion_to_T_a_b
from haustra.motion.methods import MotionMethod, open_motion
from haustra.motion.refined import RefinedMotion

__all__ = [
    "CANONICAL_FOV_DEG",
    "MotionEstimator",
    "MotionMethod",
    "RefinedMotion",
    "canonical_K",
    "motion_to_T_a_b",
    "open_motion",
]
