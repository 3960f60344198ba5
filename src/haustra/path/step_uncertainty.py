"""Uncertainty of large steps: AR(1) error in common with neighbouring steps, and bias correction.

Beyond about 0.2 calibres from picture to picture the network's estimate saturates and its predicted standard deviation
exceeds the estimate itself. Such a step is far off, its neighbours are off with it, and in a withdrawal it is too
short: the scope was pulled back further than was measured. How much further depends on the pace: in a hurried
withdrawal it is a pull, in a slow one mostly a frame that misled the network.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.path.gauss_markov import correlation
from haustra.path.parameters import StepUncertaintyParameters
from haustra.path.velocities import PairVelocities


def common_correlation(step_s: FloatArray, parameters: StepUncertaintyParameters) -> float:
    """Correlation of the common error between neighbouring steps, at the recording's median sampling."""
    return float(correlation(np.median(step_s), parameters.memory_s))


def common_std(pairs: PairVelocities, parameters: StepUncertaintyParameters) -> FloatArray:
    """Standard deviation (n,) of the error that each step has in common with its neighbours; 0 in gaps."""
    return parameters.common_share * _predicted_std(pairs)


def correct_bias(pairs: PairVelocities, parameters: StepUncertaintyParameters) -> PairVelocities:
    """The pairs of a withdrawal with steps of excess uncertainty made longer, backwards along the viewing axis."""
    measured = pairs.measured.copy()
    excess = np.minimum(excess_std(pairs, parameters), parameters.excess_cap)
    measured[:, 2] -= parameters.bias_gain * _usual_step(pairs) * excess / pairs.step_s
    return replace(pairs, measured=measured)


def bias_std(pairs: PairVelocities, parameters: StepUncertaintyParameters) -> FloatArray:
    """Standard deviation (n,) of that correction, which is an error in common, too."""
    return parameters.bias_error * excess_std(pairs, parameters)


def excess_std(pairs: PairVelocities, parameters: StepUncertaintyParameters) -> FloatArray:
    """Excess (n,), calibres, of the predicted standard deviation over the usual share of the step; 0 in gaps."""
    return np.maximum(_predicted_std(pairs) - parameters.usual_share * np.nan_to_num(_length(pairs)), 0.0)


def _usual_step(pairs: PairVelocities) -> float:
    """Median length of the steps between kept frames, calibres: the pace of the withdrawal."""
    return float(np.median(_length(pairs)[pairs.clear])) if pairs.clear.any() else 0.0


def _length(pairs: PairVelocities) -> FloatArray:
    return np.asarray(np.linalg.norm(pairs.measured[:, :3], axis=1) * pairs.step_s)


def _predicted_std(pairs: PairVelocities) -> FloatArray:
    """Predicted standard deviation (n,) of the step's translation, calibres; 0 in gaps and where none is predicted."""
    predicted = np.linalg.norm(pairs.predicted_std[:, :3], axis=1) * pairs.step_s
    return np.where(pairs.clear & np.isfinite(predicted), predicted, 0.0)
