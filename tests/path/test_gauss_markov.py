"""One process in three forms: they have the same covariance."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.path.gauss_markov import ar1_covariance_with_sum, ar1_draws, correlation, precision

LENGTH = 1.7


def banded_to_dense(banded: np.ndarray) -> np.ndarray:
    return np.diag(banded[1]) + np.diag(banded[0, 1:], 1) + np.diag(banded[0, 1:], -1)


def test_the_precision_is_the_inverse_of_the_exponential_covariance_on_uneven_steps() -> None:
    step = np.random.default_rng(0).uniform(0.1, 0.9, 12)
    middle = np.cumsum(step) - step / 2
    covariance = 0.3**2 * correlation(np.abs(middle[:, None] - middle), LENGTH)
    found = banded_to_dense(precision(step, np.full(12, 0.3), LENGTH))
    np.testing.assert_allclose(np.linalg.inv(found), covariance, rtol=1e-9)


def test_where_the_spread_changes_each_value_has_its_own_once_the_past_is_forgotten() -> None:
    spread = np.repeat([1.0, 4.0, 1.0], 40)
    found = np.linalg.inv(banded_to_dense(precision(np.full(120, 0.5), spread, LENGTH)))
    assert np.sqrt(np.diag(found))[[0, 79, 119]] == pytest.approx([1.0, 4.0, 1.0], rel=1e-3)


def test_draws_and_the_covariance_with_a_sum_are_those_of_the_process() -> None:
    weight = np.random.default_rng(0).uniform(size=40)
    covariance = correlation(0.2 * np.abs(np.arange(40)[:, None] - np.arange(40)), LENGTH)
    rho = float(covariance[0, 1])
    np.testing.assert_allclose(ar1_covariance_with_sum(rho, weight), covariance @ weight)
    drawn = np.cov(ar1_draws(rho, 40, 20_000, np.random.default_rng(1)))
    np.testing.assert_allclose(drawn, covariance, atol=0.04)
