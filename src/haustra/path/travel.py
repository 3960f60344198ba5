"""Distance travelled along the viewing axis, step by step, and the joint distribution of its errors.

The camera looks along the lumen, so motion against the viewing axis is withdrawal. The axis is averaged over time:
looking around is not travel. The steps are off by the posterior of the velocities, by an AR(1) error in common with
their neighbours and, once the length of the path is known, by what remains of both after a Kalman update on their sum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray
from haustra.path.gap_lumen import align_gaps
from haustra.path.gauss_markov import ar1_covariance_with_sum, ar1_draws
from haustra.path.length_prior import PathLength
from haustra.path.parameters import PathParameters
from haustra.path.smoother import SmoothedVelocities, smooth_velocities
from haustra.path.step_uncertainty import bias_std, common_correlation, common_std, correct_bias
from haustra.path.trajectory import chain
from haustra.path.velocities import PairVelocities


@dataclass(frozen=True)
class Travel:
    """Withdrawal `step` (n,) of each of n pairs, calibres, with its error model; negative steps go further in."""

    step: FloatArray
    step_s: FloatArray
    lumen_weight: FloatArray  # (n + 1,) weight of the lumen in the rotation of the gap before each sample
    _velocities: SmoothedVelocities
    _axis: FloatArray  # (n, 3) direction of withdrawal in the first camera of each pair
    _error_s: FloatArray  # (n,) factor from an error of the velocity to one of the step
    _common_std: FloatArray  # (n,) of the AR(1) error
    _correlation: float  # of that error between neighbouring steps
    _gain: FloatArray  # (n,) Kalman gain of the total length; 0 where that is not known
    _length_std: float = 0.0

    def draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Steps (n, count) drawn from their joint distribution."""
        error = self._common_std[:, None] * ar1_draws(self._correlation, len(self.step), count, rng)
        for k in range(3):
            error += (self._axis[:, k] * self._error_s)[:, None] * self._velocities.deviations(k, count, rng)
        residual = self._length_std * rng.standard_normal(count) - error.sum(axis=0)
        return self.step[:, None] + error + self._gain[:, None] * residual

    def with_length(self, length: PathLength, far_short: float) -> Travel:
        """Kalman update on the total length; errors that cannot explain an implausibly short path are inflated."""
        found, with_sum = float(self.step.sum()), self._covariance_with_sum()
        inflation = length.inflation(found, float(with_sum.sum()), far_short)
        gain = length.gain(np.square(inflation) * with_sum)
        more = gain * (length.mean - found)
        mean = self._velocities.mean.copy()
        mean[:, :3] += self._axis * (more / self.step_s)[:, None]
        return replace(
            self,
            step=self.step + more,
            _velocities=replace(self._velocities, mean=mean),
            _error_s=inflation * self._error_s,
            _common_std=inflation * self._common_std,
            _gain=gain,
            _length_std=length.std,
        )

    def _covariance_with_sum(self) -> FloatArray:
        """Covariance (n,) of each step with the sum of all."""
        result = self._common_std * ar1_covariance_with_sum(self._correlation, self._common_std)
        for k in range(3):
            weight = self._axis[:, k] * self._error_s
            result += weight * self._velocities.covariance_with_sum(k, weight)
        return result

    def poses(self, scale: FloatArray | float = 1.0) -> FloatArray:
        """T_w_c (n + 1, 4, 4); each translation times `scale` (n,)."""
        return _chained(self._velocities.mean, self.step_s, scale)


def estimate_travel(pairs: PairVelocities, parameters: PathParameters, *, withdrawn: bool = False) -> Travel:
    """Smooth the velocities, align the gaps with the lumen, and project on the viewing axis.

    `withdrawn`: the scope is known to be withdrawn between clear frames, so the bias of large steps is corrected.
    """
    steps = parameters.step_uncertainty
    velocities = smooth_velocities(correct_bias(pairs, steps) if withdrawn else pairs, parameters.smoother)
    mean, lumen_weight = align_gaps(velocities.mean, pairs, parameters.gap_lumen, parameters.gap_rotation)
    axis = _axes(_chained(mean, pairs.step_s), pairs.step_s, parameters.location.axis_window_s)
    step = np.einsum("ij,ij->i", axis, mean[:, :3] * pairs.step_s[:, None])
    return Travel(
        step,
        pairs.step_s,
        lumen_weight,
        replace(velocities, mean=mean),
        axis,
        _error_s=pairs.step_s * np.where(pairs.clear, 1.0, parameters.location.gap_error),
        _common_std=common_std(pairs, steps) + (bias_std(pairs, steps) if withdrawn else 0.0),
        _correlation=common_correlation(pairs.step_s, steps),
        _gain=np.zeros_like(step),
    )


def _chained(velocity: FloatArray, step_s: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
    """T_w_b = T_w_a @ T_a_b of successive samples (n + 1, 4, 4)."""
    steps = np.tile(np.eye(4), (len(velocity), 1, 1))
    steps[:, :3, 3] = velocity[:, :3] * (step_s * scale)[:, None]
    steps[:, :3, :3] = Rotation.from_rotvec(velocity[:, 3:] * step_s[:, None]).as_matrix()
    return chain(steps, np.concatenate([[0.0], np.cumsum(step_s)])).T_w_c


def _axes(T_w_c: FloatArray, step_s: FloatArray, window_s: float) -> FloatArray:
    """Direction of withdrawal (n, 3) in the first camera of each pair: against the viewing axis, averaged over time."""
    width = window_s / max(float(np.median(step_s)), 1e-6)
    back = gaussian_filter1d(-T_w_c[:, :3, 2], width, axis=0, mode="nearest")
    back /= np.linalg.norm(back, axis=1, keepdims=True)
    return np.einsum("nji,nj->ni", T_w_c[:-1, :3, :3], 0.5 * (back[1:] + back[:-1]))
