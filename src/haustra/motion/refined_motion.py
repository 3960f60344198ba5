"""Motion of a pair as `locate` measures it: the network's estimate, refined by points of the flow.

A self-supervised network learns from targets that flow and its own disparity give (`least_squares`), and lags behind
them: after a few hundred steps its rotations are half of what they should be, and a biased prior bends the path however
weak it is. For these networks, start from the least-squares targets with a weak prior.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from haustra.core.arrays import Float32Array, FloatArray, Images
from haustra.flow import Flow
from haustra.flow.methods import DEFAULT_FLOW, DisFlow
from haustra.motion.epipolar_refinement import flow_points, refine_motion, usable
from haustra.motion.estimator import MotionEstimator, PairMeasurement, motion_to_T_a_b
from haustra.motion.least_squares import solve_motion
from haustra.motion.parameters import DEFAULTS, MotionParameters


class RefinedMotion:
    """A network and the refinement, behind the interface of all methods; `flow` is what the network was opened with."""

    def __init__(
        self, network: MotionEstimator, flow: str | None = None, parameters: MotionParameters = DEFAULTS
    ) -> None:
        self.network, self.parameters = network, parameters
        self.size, self.fov_deg, self.K = network.size, network.fov_deg, network.K
        self.recipe, self.flow_name = network.recipe, flow or network.flow_name
        self._fine: Flow = DisFlow(full_size=True) if self.flow_name == DEFAULT_FLOW else self.network.pair_flow

    @property
    def path(self) -> Path:
        """The file of the network."""
        return self.network.path

    def estimate(self, frames_a: Images, frames_b: Images) -> FloatArray:
        """s(a->b) (N, 6) of RGB frames (N, S, S, 3)."""
        return self.measure(frames_a, frames_b).motion

    def pair_motions(self, frames_a: Images, frames_b: Images) -> FloatArray:
        """T_a_b (N, 4, 4) of frame pairs."""
        return motion_to_T_a_b(self.estimate(frames_a, frames_b))

    def measure(self, frames_a: Images, frames_b: Images) -> PairMeasurement:
        """The refined motion of clear pairs, with its standard deviations."""
        if len(frames_a) == 0:
            return self.network.measure(frames_a, frames_b)
        flow_ab = np.stack([self._fine(a, b) for a, b in zip(frames_a, frames_b, strict=True)])
        network, disparity = self.network.measure_scene(frames_a, frames_b, flow_ab)
        start = self.parameters.start
        if disparity is None:
            prior = network.motion
            usual = self._prior_std(prior, start.translation_share, np.radians(start.rotation_deg))
            std = np.where(np.isfinite(network.std), network.std, usual)
        else:
            prior = self._targets(network.motion, frames_a, flow_ab, disparity)
            std = self._prior_std(prior, start.target_translation_share, start.target_rotation_rad)
        points = flow_points(frames_a, flow_ab, self.K, self.parameters.epipolar)
        return PairMeasurement(*refine_motion(prior, std, points, float(self.K[0, 0]), self.parameters.epipolar))

    def measure_low_quality(self, frames_a: Images, frames_b: Images) -> PairMeasurement:
        """The network alone, for pairs with a dropped frame: its flow is as poor as the frame."""
        return self.network.measure(frames_a, frames_b)

    def _targets(
        self, motion: FloatArray, frames_a: Images, flow_ab: Float32Array, disparity: FloatArray
    ) -> FloatArray:
        """What the network was taught: the motion (N, 6) that explains the flow best with its own disparity."""
        valid = np.stack([usable(frame, self.parameters.epipolar) for frame in frames_a])
        parameters = self.parameters.least_squares
        return solve_motion(
            motion, flow_ab, disparity, self.K, valid, prior=parameters.free_prior, parameters=parameters
        )

    def _prior_std(self, motion: FloatArray, share: float, rotation: float) -> FloatArray:
        """Standard deviations (N, 6) where a network predicts none: a share of the translation, and radians."""
        length = np.maximum(np.linalg.norm(motion[:, :3], axis=1, keepdims=True), self.parameters.start.shortest)
        return np.concatenate([np.repeat(share * length, 3, axis=1), np.full((len(motion), 3), rotation)], axis=1)
