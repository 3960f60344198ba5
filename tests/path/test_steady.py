"""The motion of all pairs against a dense transcription with every constant written out, and the turn by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from haustra.path.steady import PairVelocities, steady_motion

FAST = np.arange(6) < 3  # translation has a mean speed, rotation has none


def made(seed: int, n: int) -> PairVelocities:
    """Uneven steps; every fifth pair unseen, some of those held, some not measured."""
    rng = np.random.default_rng(seed)
    seen = np.arange(n) % 5 > 0
    measured = rng.normal(0.5, 1.0, (n, 6)) + 8.0 * (rng.random((n, 6)) < 0.03)
    measured[np.arange(n) % 10 == 5] = np.nan
    return PairVelocities(
        rng.uniform(0.05, 0.4, n), measured, rng.uniform(0.2, 2.0, (n, 6)), seen, ~seen & (np.arange(n) % 15 == 0)
    )


def dense(pairs: PairVelocities, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Posterior mean and deviation of velocity k: a chain that forgets within 1.2 s, measured with Student's errors."""
    n, x, std = len(pairs.step_s), pairs.measured[:, k], pairs.std[:, k]
    known = np.isfinite(x)
    clear = np.isfinite(pairs.measured).all(axis=1) & pairs.seen
    values = x[clear if clear.sum() >= 15 else np.isfinite(pairs.measured).all(axis=1)]
    robust = 1.4826 * float(np.median(np.abs(values - np.median(values))))
    usual = float(values.mean()) if FAST[k] else 0.0
    spread = math.sqrt((robust**2 + float(((values - values.mean()) ** 2).mean())) / 2)
    mean, width = np.empty(n), np.empty(n)
    for i in range(n):
        mean[i] = usual * (0.0 if pairs.held[i] and not pairs.seen[i] else 1.0)
        gap = 0.3 if pairs.held[i] else 1.3 if k < 3 else 4.0
        width[i] = spread * (1.0 if pairs.seen[i] else gap)
    P = np.zeros((n, n))
    P[0, 0] = width[0] ** 2
    for i in range(1, n):
        keeps = math.exp(-(pairs.step_s[i] + pairs.step_s[i - 1]) / 2 / 1.2)
        P[i, :i] = P[:i, i] = keeps * P[i - 1, :i]
        P[i, i] = keeps**2 * P[i - 1, i - 1] + (1 - keeps**2) * width[i] ** 2
    alike = np.where(pairs.seen, 2.0, 6.0)
    weight = np.array([1 / (a * s * s) if ok else 0.0 for a, s, ok in zip(alike, std, known, strict=True)])
    offset, now = np.where(known, x - mean, 0.0), weight
    for _ in range(3):
        S = np.linalg.inv(np.linalg.inv(P) + np.diag(now))
        deviation = S @ (now * offset)
        now = weight * (4 + 1) / (4 + weight * (offset - deviation) ** 2)
    return mean + deviation, np.sqrt(np.diag(np.linalg.inv(np.linalg.inv(P) + np.diag(now))))


@pytest.mark.parametrize(("seed", "n"), [(0, 60), (1, 60), (2, 15), (3, 19), (4, 20)])
def test_all_pairs_at_once_are_the_dense_posterior(seed: int, n: int) -> None:
    pairs = made(seed, n)
    found = steady_motion(pairs)
    for k in range(6):
        mean, std = dense(pairs, k)
        np.testing.assert_allclose(found.mean[:, k], mean, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found.std[:, k], std, rtol=1e-6)
