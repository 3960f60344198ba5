"""The smoother against a dense Gaussian posterior, written out matrix by matrix."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from made_pairs import made_pairs

from haustra.path.parameters import SmootherParameters
from haustra.path.smoother import smooth_velocities
from haustra.path.velocities import PairVelocities

OTHER = SmootherParameters(
    memory_s=0.4,
    gap_spread_translation=2.0,
    gap_spread_rotation=1.5,
    instrument_spread=0.7,
    clear_redundancy=1.0,
    low_quality_redundancy=3.0,
    degrees_of_freedom=9.0,
    iterations=5,
    fewest_clear_pairs=40,
)


def made(seed: int, n: int) -> PairVelocities:
    """Uneven steps; every fifth pair lies in a gap, some of those with an instrument, some not measured."""
    rng = np.random.default_rng(seed)
    clear = np.arange(n) % 5 > 0
    measured = rng.normal(0.5, 1.0, (n, 6)) + 8.0 * (rng.random((n, 6)) < 0.03)
    measured[np.arange(n) % 10 == 5] = np.nan
    return made_pairs(
        measured,
        step_s=rng.uniform(0.05, 0.4, n),
        noise_std=rng.uniform(0.2, 2.0, (n, 6)),
        clear=clear,
        instrument=~clear & (np.arange(n) % 15 == 0),
    )


def dense(pairs: PairVelocities, k: int, p: SmootherParameters) -> tuple[np.ndarray, np.ndarray]:
    """Posterior mean and covariance of velocity k: an Ornstein-Uhlenbeck process with Student-t measurements."""
    n, x, std = len(pairs.step_s), pairs.measured[:, k], pairs.noise_std[:, k]
    known = np.isfinite(x)
    measured = np.isfinite(pairs.measured).all(axis=1)
    clear = measured & pairs.clear
    values = x[clear if clear.sum() >= p.fewest_clear_pairs else measured]
    robust = 1.4826 * float(np.median(np.abs(values - np.median(values))))
    drift = float(values.mean()) if k < 3 else 0.0  # translation has a mean velocity, rotation has none
    spread = math.sqrt((robust**2 + float(((values - values.mean()) ** 2).mean())) / 2)
    mean, width = np.empty(n), np.empty(n)
    for i in range(n):
        mean[i] = drift * (0.0 if pairs.instrument[i] and not pairs.clear[i] else 1.0)
        gap = p.gap_spread_translation if k < 3 else p.gap_spread_rotation
        width[i] = spread * (1.0 if pairs.clear[i] else p.instrument_spread if pairs.instrument[i] else gap)
    P = np.zeros((n, n))
    P[0, 0] = width[0] ** 2
    for i in range(1, n):
        rho = math.exp(-(pairs.step_s[i] + pairs.step_s[i - 1]) / 2 / p.memory_s)
        P[i, :i] = P[:i, i] = rho * P[i - 1, :i]
        P[i, i] = rho**2 * P[i - 1, i - 1] + (1 - rho**2) * width[i] ** 2
    factor = np.where(pairs.clear, p.clear_redundancy, p.low_quality_redundancy)
    weight = np.array([1 / (f * s * s) if ok else 0.0 for f, s, ok in zip(factor, std, known, strict=True)])
    offset, now, nu = np.where(known, x - mean, 0.0), weight, p.degrees_of_freedom
    for _ in range(p.iterations):
        deviation = np.linalg.inv(np.linalg.inv(P) + np.diag(now)) @ (now * offset)
        now = weight * (nu + 1) / (nu + weight * (offset - deviation) ** 2)
    return mean + deviation, np.linalg.inv(np.linalg.inv(P) + np.diag(now))


@pytest.mark.parametrize("parameters", [SmootherParameters(), OTHER], ids=["default", "other"])
@pytest.mark.parametrize(("seed", "n"), [(0, 60), (1, 60), (2, 15), (3, 19), (4, 20)])
def test_the_posterior_of_all_pairs_is_the_dense_one(seed: int, n: int, parameters: SmootherParameters) -> None:
    pairs = made(seed, n)
    found = smooth_velocities(pairs, parameters)
    weight = np.random.default_rng(seed).normal(size=n)
    for k in range(6):
        mean, covariance = dense(pairs, k, parameters)
        np.testing.assert_allclose(found.mean[:, k], mean, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found.covariance_with_sum(k, weight), covariance @ weight, rtol=1e-6, atol=1e-9)


def test_draws_have_the_covariance_of_the_posterior() -> None:
    pairs = made(1, 40)
    found = smooth_velocities(pairs, SmootherParameters())
    covariance = dense(pairs, 2, SmootherParameters())[1]
    drawn = np.cov(found.deviations(2, 20_000, np.random.default_rng(1)))
    np.testing.assert_allclose(drawn, covariance, atol=0.05 * covariance.max())


def test_a_recording_without_any_measurement_stands_still() -> None:
    pairs = replace(made(0, 30), measured=np.full((30, 6), np.nan))
    assert not smooth_velocities(pairs, SmootherParameters()).mean.any()
