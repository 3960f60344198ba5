"""Ornstein-Uhlenbeck (Gauss-Markov) smoother with Student-t measurements: the velocity of every pair from all pairs.

Each of the six velocities of the camera is an Ornstein-Uhlenbeck process about the recording's mean. Each pair measures
it with its own noise, so a blurred frame tells as much as it knows; where nothing was measured the process interpolates
from both sides. A sharp pair, a low-quality pair and a gap are one case with different variances. The posterior
precision is tridiagonal, so the solution over all pairs is exact and linear in time; outliers are down-weighted by
iterative reweighting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve_banded, cholesky_banded, solve_banded, solveh_banded

from haustra.core.arrays import FloatArray, Mask
from haustra.path.gauss_markov import precision
from haustra.path.parameters import SmootherParameters
from haustra.path.velocities import PairVelocities


@dataclass(frozen=True)
class SmoothedVelocities:
    """Posterior of the velocities: its mean (n, 6), and for each of the six the Cholesky factor of its precision."""

    mean: FloatArray
    _factors: tuple[FloatArray, ...]

    def deviations(self, component: int, count: int, rng: np.random.Generator) -> FloatArray:
        """Draws (n, count) of one velocity from the posterior, less the mean."""
        noise = rng.standard_normal((len(self.mean), count))
        return np.asarray(solve_banded((0, 1), self._factors[component], noise))

    def covariance_with_sum(self, component: int, weight: FloatArray) -> FloatArray:
        """Posterior covariance (n,) of one velocity with its sum by `weight` (n,)."""
        return np.asarray(cho_solve_banded((self._factors[component], False), weight))


def smooth_velocities(pairs: PairVelocities, parameters: SmootherParameters) -> SmoothedVelocities:
    """The posterior of all velocities."""
    known = np.isfinite(pairs.measured) & np.isfinite(pairs.noise_std)
    prior_mean, prior_std = _prior(pairs, *_moments(pairs, known, parameters), parameters)
    redundancy = np.where(pairs.clear, parameters.clear_redundancy, parameters.low_quality_redundancy)
    mean = np.empty_like(pairs.measured)
    factors = []
    for k in range(6):
        prior = precision(pairs.step_s, prior_std[:, k], parameters.memory_s)
        variance = redundancy * np.square(np.where(known[:, k], pairs.noise_std[:, k], 1.0))
        weight = np.where(known[:, k], 1.0 / variance, 0.0)
        offset = np.where(known[:, k], pairs.measured[:, k] - prior_mean[:, k], 0.0)
        deviation, weight = _solve(prior, weight, offset, parameters)
        mean[:, k] = prior_mean[:, k] + deviation
        factors.append(cholesky_banded(_posterior(prior, weight)))
    return SmoothedVelocities(mean, tuple(factors))


def _moments(pairs: PairVelocities, known: Mask, parameters: SmootherParameters) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation (6,) of the velocities in this recording, from clear pairs where there are enough.

    The spread is half robust, half plain: neither single outliers nor rare fast moves decide it.
    """
    clear = known.all(axis=1) & pairs.clear
    rows = clear if clear.sum() >= parameters.fewest_clear_pairs else known.all(axis=1)
    if not rows.any():
        return np.zeros(6), np.full(6, 1e-6)
    values = pairs.measured[rows]
    robust = 1.4826 * np.median(np.abs(values - np.median(values, axis=0)), axis=0)
    spread = np.sqrt(0.5 * (robust**2 + values.var(axis=0)))
    return np.where(np.arange(6) < 3, values.mean(axis=0), 0.0), np.maximum(spread, 1e-6)


def _prior(
    pairs: PairVelocities, mean: FloatArray, spread: FloatArray, parameters: SmootherParameters
) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation (n, 6) of the process at every pair."""
    gap = ~pairs.clear
    pace = np.where(gap & pairs.instrument, 0.0, 1.0)
    in_gaps = np.repeat([parameters.gap_spread_translation, parameters.gap_spread_rotation], 3)
    width = np.where(gap[:, None], np.where(pairs.instrument[:, None], parameters.instrument_spread, in_gaps), 1.0)
    return pace[:, None] * mean, width * spread


def _posterior(prior: FloatArray, weight: FloatArray) -> FloatArray:
    return prior + np.stack([np.zeros_like(weight), weight])


def _solve(
    prior: FloatArray, weight: FloatArray, offset: FloatArray, parameters: SmootherParameters
) -> tuple[FloatArray, FloatArray]:
    """Posterior mean, and the inverse variances of the measurements after reweighting for Student-t errors."""
    robust, nu = weight, parameters.degrees_of_freedom
    for _ in range(parameters.iterations):
        deviation = solveh_banded(_posterior(prior, robust), robust * offset)
        robust = weight * (nu + 1) / (nu + weight * np.square(offset - deviation))
    return np.asarray(deviation), robust
