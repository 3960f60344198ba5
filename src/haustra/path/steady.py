"""The motion of every pair of successive frames as one estimate: what the pictures say, and how a hand moves.

Each of the six velocities of the camera (three of translation, three of rotation, in its own frame) is a process that
forgets: it wanders about a mean and returns to it within MEMORY_S. Each pair measures it with the uncertainty that the
network states, so a blurred frame tells what it knows and no more; where nothing is known the process goes on by
itself, from both sides. A sharp pair, a poor pair and a gap are the same case with other variances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve_banded, cholesky_banded, solve_banded, solveh_banded

from haustra.poses import FloatArray

# How long a velocity lasts. That of simulated operators is forgotten within 0.6 s in the median, but slow pulls last
# longer, and they are what fills a gap: with 1.2 s the way in gaps is found best (15 recordings that report nothing).
MEMORY_S = 1.2
# In a gap the scope moves more than elsewhere, and turns far more: a fast turn is what blurs a frame (true motion of
# dropped over that of kept frames in simulated recordings: 1.0 to 1.4 of the spread of translation, 2 to 8 of that of
# rotation).
SPREAD_IN_GAPS = np.array([1.3, 1.3, 1.3, 4.0, 4.0, 4.0])
# While an instrument is out the scope is held: no mean speed, and this share of the usual spread.
HELD_SPREAD = 0.3
# Errors of successive pairs are alike (they share a frame, and the same blur), so they teach less than their number;
# those of dropped frames most.
ALIKE = 2.0
ALIKE_POOR = 6.0
# Degrees of freedom of the errors: now and then a pair is far off.
TAIL = 4.0
ROUNDS = 3


@dataclass(frozen=True)
class PairVelocities:
    """Velocities (n, 6) between n + 1 frames as measured, and their standard deviations; not finite: not measured.

    `seen` marks pairs of two kept frames, `held` pairs during which an instrument is out. `stated` are the deviations
    as the network has them, where it has any: `std` is less where they are an error in common with other pairs.
    `lumen` (n + 1, 3) is where the lumen lies in the frames beside gaps (`haustra.chunks`).
    """

    step_s: FloatArray
    measured: FloatArray
    std: FloatArray
    seen: NDArray[np.bool_]
    held: NDArray[np.bool_]
    stated: FloatArray | None = None
    lumen: FloatArray | None = None


@dataclass(frozen=True)
class SteadyMotion:
    """Posterior of the velocities: `mean` and `std` (n, 6); `_factors` of its precision make draws from it."""

    mean: FloatArray
    std: FloatArray
    _factors: tuple[FloatArray, ...]

    def draws(self, component: int, count: int, rng: np.random.Generator) -> FloatArray:
        """Deviations (n, count) of one velocity from its mean, as they may be."""
        noise = rng.standard_normal((len(self.mean), count))
        return np.asarray(solve_banded((0, 1), self._factors[component], noise))

    def with_sum(self, component: int, weight: FloatArray) -> FloatArray:
        """Covariance (n,) of one velocity with its sum by `weight` (n,)."""
        return np.asarray(cho_solve_banded((self._factors[component], False), weight))


def steady_motion(pairs: PairVelocities) -> SteadyMotion:
    """The posterior mean of all velocities, and what is needed to draw from the posterior."""
    known = np.isfinite(pairs.measured) & np.isfinite(pairs.std)
    usual, spread = _usual(pairs, known)
    mean_at, spread_at = _prior(pairs, usual, spread)
    alike = np.where(pairs.seen, ALIKE, ALIKE_POOR)
    mean, std = np.empty_like(pairs.measured), np.empty_like(pairs.measured)
    factors = []
    for k in range(6):
        prior = _precision(pairs.step_s, spread_at[:, k])
        weight = np.where(known[:, k], 1.0 / (alike * np.square(np.where(known[:, k], pairs.std[:, k], 1.0))), 0.0)
        offset = np.where(known[:, k], pairs.measured[:, k] - mean_at[:, k], 0.0)
        deviation, robust = _solve(prior, weight, offset)
        mean[:, k] = mean_at[:, k] + deviation
        banded = prior + np.stack([np.zeros_like(robust), robust])
        factors.append(cholesky_banded(banded))
        std[:, k] = _marginal_std(banded)
    return SteadyMotion(mean, std, tuple(factors))


def _usual(pairs: PairVelocities, known: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Mean and spread of the six velocities in this recording, from what was clearly seen (or from all there is)."""
    clear = known.all(axis=1) & pairs.seen
    rows = clear if clear.sum() >= 15 else known.all(axis=1)
    if not rows.any():
        return np.zeros(6), np.full(6, 1e-6)
    values = pairs.measured[rows]
    robust = 1.4826 * np.median(np.abs(values - np.median(values, axis=0)), axis=0)
    spread = np.sqrt(0.5 * (robust**2 + values.var(axis=0)))
    return np.where(np.arange(6) < 3, values.mean(axis=0), 0.0), np.maximum(spread, 1e-6)


def _prior(pairs: PairVelocities, usual: FloatArray, spread: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and spread (n, 6) of the process at every pair."""
    unseen = ~pairs.seen
    pace = np.where(unseen & pairs.held, 0.0, 1.0)
    width = np.where(unseen[:, None], np.where(pairs.held[:, None], HELD_SPREAD, SPREAD_IN_GAPS), 1.0)
    return pace[:, None] * usual, width * spread


def _precision(step_s: FloatArray, spread: FloatArray) -> FloatArray:
    """Inverse covariance of the process (tridiagonal) in upper banded form: a Markov chain from pair to pair."""
    kept = np.exp(-0.5 * (step_s[1:] + step_s[:-1]) / MEMORY_S)
    new = np.maximum(1.0 - kept**2, 1e-9) * spread[1:] ** 2
    banded = np.zeros((2, len(step_s)))
    banded[0, 1:] = -kept / new
    banded[1, 0] = 1.0 / spread[0] ** 2
    banded[1, 1:] += 1.0 / new
    banded[1, :-1] += kept**2 / new
    return banded


def _solve(prior: FloatArray, weight: FloatArray, offset: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Posterior mean, and the weights of the measurements once those far off count less (Student's t)."""
    robust = weight
    for _ in range(ROUNDS):
        deviation = solveh_banded(prior + np.stack([np.zeros_like(robust), robust]), robust * offset)
        robust = weight * (TAIL + 1) / (TAIL + weight * np.square(offset - deviation))
    return np.asarray(deviation), robust


def _marginal_std(banded: FloatArray) -> FloatArray:
    """Square roots of the diagonal of the inverse of a tridiagonal matrix, by one sweep from either end."""
    off, diagonal = banded[0, 1:] ** 2, banded[1]
    left, right = diagonal.copy(), diagonal.copy()
    for i in range(1, len(diagonal)):
        left[i] -= off[i - 1] / left[i - 1]
    for i in range(len(diagonal) - 2, -1, -1):
        right[i] -= off[i] / right[i + 1]
    return 1.0 / np.sqrt(left + right - diagonal)
