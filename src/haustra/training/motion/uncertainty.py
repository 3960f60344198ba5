"""How far off a number may be: a likelihood to learn it by, and what makes it honest (ours).

The estimate itself is not touched by the likelihood (it is detached): a network that may choose between a better
estimate and a larger spread learns the estimate badly. Errors have heavy tails, so they are taken as Student-t.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

DEGREES_OF_FREEDOM = 4.0
WEIGHT = 0.05  # beside the losses of the motion itself, for features that both heads share
# Of a normal distribution: how many errors lie within two standard deviations.
WITHIN_TWO = 0.9545


def loss_likelihood(motion: Tensor, log_std: Tensor, truth: Tensor) -> Tensor:
    """Negative logarithm of the Student-t density of errors (B, k), without its constant."""
    squared = (motion.detach() - truth).square() * torch.exp(-2 * log_std)
    heavy = 0.5 * (DEGREES_OF_FREEDOM + 1) * torch.log1p(squared / DEGREES_OF_FREEDOM)
    return (log_std + heavy).mean()


def within_two(motion: Tensor, log_std: Tensor, truth: Tensor) -> Tensor:
    """Share of the six errors of each pair (B,) that lie within two predicted standard deviations."""
    return ((motion - truth).abs() <= 2 * log_std.exp()).to(motion.dtype).mean(dim=1)


def temperature(error: NDArray[np.float64], std: NDArray[np.float64]) -> NDArray[np.float64]:
    """Factor of each column's standard deviation with which WITHIN_TWO of the errors (n, k) lie within two of them."""
    return np.asarray(np.quantile(np.abs(error) / (2 * std), WITHIN_TWO, axis=0), np.float64)
