"""Errors of a location index against plain loops, and the decisions at their edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.lab.evaluate.location_errors import location_errors


@pytest.mark.parametrize("seed", range(3))
def test_location_errors_on_random_input(seed: int) -> None:
    """No equation in the paper: MAE, RMSE, maximum, Pearson's correlation, share within twice the stated error."""
    rng = np.random.default_rng(seed)
    index, truth, std = rng.random(200), rng.random(200), rng.uniform(0, 0.3, 200)
    index[rng.integers(0, 200, 9)], truth[rng.integers(0, 200, 9)] = np.nan, np.nan
    rows = [(x, y, s) for x, y, s in zip(index, truth, std, strict=True) if not math.isnan(x) and not math.isnan(y)]
    n, figures = len(rows), location_errors(index, truth, std)
    mean_x, mean_y = sum(x for x, _, _ in rows) / n, sum(y for _, y, _ in rows) / n
    covariance = sum((x - mean_x) * (y - mean_y) for x, y, _ in rows)
    spread = math.sqrt(sum((x - mean_x) ** 2 for x, _, _ in rows) * sum((y - mean_y) ** 2 for _, y, _ in rows))
    assert figures.as_dict() == pytest.approx(
        {
            "location_mae": sum(abs(x - y) for x, y, _ in rows) / n,
            "location_rmse": math.sqrt(sum((x - y) ** 2 for x, y, _ in rows) / n),
            "location_max": max(abs(x - y) for x, y, _ in rows),
            "location_correlation": covariance / spread,
            "within_2std": sum(abs(x - y) <= 2 * s for x, y, s in rows) / n,
        }
    )


def test_an_error_of_exactly_twice_the_stated_one_is_within() -> None:
    figures = location_errors(np.array([0.5, 0.5, 0.5]), np.array([0.0, 0.25, 1.0]), np.array([0.25, 0.125, 0.2499]))
    assert figures.within_2std == pytest.approx(2 / 3)
    assert location_errors(np.array([0.5]), np.array([0.5])).within_2std is None


def test_correlation_needs_two_frames_and_change_in_both() -> None:
    assert location_errors(np.array([0.1, 0.3]), np.array([0.2, 0.9])).location_correlation == pytest.approx(1)
    assert location_errors(np.array([0.1, 0.3]), np.array([0.2, 0.2])).location_correlation is None
    assert location_errors(np.array([0.3, 0.3]), np.array([0.1, 0.2])).location_correlation is None
    assert location_errors(np.array([0.3]), np.array([0.1])).location_correlation is None


def test_without_a_common_frame_nothing_is_compared() -> None:
    with pytest.raises(HaustraError, match="nothing can be compared"):
        location_errors(np.array([np.nan, 0.5]), np.array([0.5, np.nan]))
