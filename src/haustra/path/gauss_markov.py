"""The Gauss-Markov (Ornstein-Uhlenbeck, AR(1)) process: Gaussian, with correlation exp(-distance / length).

It appears three times along the path, in the form that suits each: as a dense covariance (log calibre along the colon),
as a tridiagonal precision on uneven steps (prior of the smoother), and as a recursion on even steps (common error of
the steps).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from haustra.core.arrays import FloatArray


def correlation(distance: FloatArray | np.floating[Any], length: float) -> FloatArray:
    """Correlation of two values of the process at this distance."""
    return np.asarray(np.exp(-distance / length))


def precision(step: FloatArray, spread: FloatArray, length: float) -> FloatArray:
    """Inverse covariance, in upper banded form (2, n), at the middles of n successive steps.

    `spread` (n,) is the standard deviation of the process at each of them.
    """
    rho = correlation(0.5 * (step[1:] + step[:-1]), length)
    innovation = np.maximum(1.0 - rho**2, 1e-9) * spread[1:] ** 2
    banded = np.zeros((2, len(step)))
    banded[0, 1:] = -rho / innovation
    banded[1, 0] = 1.0 / spread[0] ** 2
    banded[1, 1:] += 1.0 / innovation
    banded[1, :-1] += rho**2 / innovation
    return banded


def ar1_draws(rho: float, n: int, count: int, rng: np.random.Generator) -> FloatArray:
    """Draws (n, count) of unit variance whose neighbours have the correlation `rho`."""
    noise = rng.standard_normal((n, count))
    noise[1:] *= np.sqrt(1.0 - rho**2)
    for before, now in pairwise(noise):  # scipy.signal imports all of scipy.stats, which takes half a second
        now += rho * before
    return noise


def ar1_covariance_with_sum(rho: float, weight: FloatArray) -> FloatArray:
    """Covariance (n,) of each value with the sum of all by `weight` (n,), in O(n)."""
    before, after = weight.copy(), weight.copy()
    for k in range(1, len(weight)):
        before[k] += rho * before[k - 1]
        after[-k - 1] += rho * after[-k]
    return before + after - weight
