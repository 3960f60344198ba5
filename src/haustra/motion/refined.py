"""Our way to the motion of a pair: what the network says, refined by where the flow took single points.

A network that learnt without truth follows targets that flow and its own disparity ask for (`least_squares`), and lags
behind them: after a few hundred steps its turns are half of what they should be, and a guess that errs to one side
bends a path however little it counts. There the refinement begins at the targets, and hardly holds on to them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.flow import Flow
from haustra.flow.methods import DEFAULT_FLOW, DisFlow
from haustra.motion.estimator import MotionEstimator, PairMeasurement, motion_to_T_a_b
from haustra.motion.least_squares import FREE, ITERATIONS, SAMPLES, solve_motion
from haustra.motion.refine import flow_points, refine_motion, usable
from haustra.poses import FloatArray

# For networks that do not say how far off they may be: a share of the translation's length, and radians. The shipped
# one says 0.2 to 0.4 and 0.25 degrees of itself in the median; one that learnt without truth turns worse.
USUAL_SHARE = 0.25
USUAL_TURN = np.radians(0.6)
SHORTEST = 0.01  # in units of the network: the same for pairs that hardly move
# The same for targets; set on Set 1 validation with networks of 250 steps.
TARGET_SHARE = 0.5
TARGET_TURN = FREE[1]


class RefinedMotion:
    """A network and the refinement, behind the interface of all methods; `flow` is what the network was opened with."""

    def __init__(self, network: MotionEstimator, flow: str | None = None) -> None:
        self.network = network
        self.size, self.fov_deg, self.K = network.size, network.fov_deg, network.K
        self.recipe, self.flow_name = network.recipe, flow or network.flow_name
        self._fine: Flow = DisFlow(full_size=True) if self.flow_name == DEFAULT_FLOW else self.network.pair_flow

    @property
    def path(self) -> Path:
        return self.network.path

    def estimate(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> FloatArray:
        """s(a->b) (N, 6) of RGB frames (N, S, S, 3)."""
        return self.measure(frames_a, frames_b).motion

    def pair_motions(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> FloatArray:
        """T_a_b (N, 4, 4) of frame pairs."""
        return motion_to_T_a_b(self.estimate(frames_a, frames_b))

    def measure(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> PairMeasurement:
        """The refined motion of pairs that show the wall, and how far off each number may be."""
        if len(frames_a) == 0:
            return self.network.measure(frames_a, frames_b)
        flow_ab = np.stack([self._fine(a, b) for a, b in zip(frames_a, frames_b, strict=True)])
        said, disparity = self.network.measure_scene(frames_a, frames_b, flow_ab)
        if disparity is None:
            start, std = said.motion, np.where(np.isfinite(said.std), said.std, _usual(said.motion))
        else:
            start = self._targets(said.motion, frames_a, flow_ab, disparity)
            std = _usual(start, TARGET_SHARE, TARGET_TURN)
        points = flow_points(frames_a, flow_ab, self.K)
        motion, spread = refine_motion(start, std, points, float(self.K[0, 0]))
        return PairMeasurement(motion, spread, said.log_calibre, said.log_calibre_std)

    def _targets(
        self, motion: FloatArray, frames_a: NDArray[np.uint8], flow_ab: NDArray[np.float32], disparity: FloatArray
    ) -> FloatArray:
        """What the network was taught: the motion (N, 6) that explains the flow best with its own disparity."""
        seen = np.stack([usable(frame) for frame in frames_a])
        stride = self.size // SAMPLES
        return solve_motion(motion, flow_ab, disparity, self.K, seen, prior=FREE, stride=stride, iterations=ITERATIONS)

    def measure_poor(self, frames_a: NDArray[np.uint8], frames_b: NDArray[np.uint8]) -> PairMeasurement:
        """The network alone, for pairs with a frame that shows little: its points are as poor as the frame."""
        return self.network.measure(frames_a, frames_b)


def _usual(motion: NDArray[Any], share: float = USUAL_SHARE, turn: float = USUAL_TURN) -> FloatArray:
    """Standard deviations (N, 6) where a network states none."""
    length = share * np.maximum(np.linalg.norm(motion[:, :3], axis=1, keepdims=True), SHORTEST)
    return np.concatenate([np.repeat(length, 3, axis=1), np.full((len(motion), 3), turn)], axis=1)
