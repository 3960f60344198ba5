"""Student-t likelihood of predicted standard deviations, and their calibration (ours).

The estimate is detached from the likelihood: a network that can trade a better estimate for a larger standard deviation
learns the estimate badly. Errors have heavy tails, hence Student-t.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from haustra.core.arrays import FloatArray

DEGREES_OF_FREEDOM = 4.0
WEIGHT = 0.05  # relative to the motion losses, on the features that both heads share
# Coverage of two standard deviations under a normal distribution.
WITHIN_TWO = 0.9545


def loss_likelihood(motion: Tensor, log_std: Tensor, truth: Tensor) -> Tensor:
    """Negative log likelihood of errors (B, k) under a Student-t distribution, without its constant."""
    squared = (motion.detach() - truth).square() * torch.exp(-2 * log_std)
    heavy = 0.5 * (DEGREES_OF_FREEDOM + 1) * torch.log1p(squared / DEGREES_OF_FREEDOM)
    return (log_std + heavy).mean()


def within_two(motion: Tensor, log_std: Tensor, truth: Tensor) -> Tensor:
    """Share of the six errors of each pair (B,) that lie within two predicted standard deviations."""
    return ((motion - truth).abs() <= 2 * log_std.exp()).to(motion.dtype).mean(dim=1)


def temperature(error: FloatArray, std: FloatArray) -> FloatArray:
    """Factor on each column's standard deviation at which WITHIN_TWO of the errors (n, k) are within two of them."""
    return np.asarray(np.quantile(np.abs(error) / (2 * std), WITHIN_TWO, axis=0), np.float64)
