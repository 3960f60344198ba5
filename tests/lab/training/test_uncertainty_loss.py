"""The likelihood that uncertainty is learnt by, and what makes it honest, by value."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from haustra.lab.training.motion.likelihood import WITHIN_TWO, loss_likelihood, temperature, within_two


def test_likelihood_is_the_student_density() -> None:
    rng = np.random.default_rng(0)
    motion, truth, log_std = (rng.normal(size=(3, 6)) for _ in range(3))
    total = 0.0
    for error, log in zip((motion - truth).ravel(), log_std.ravel(), strict=True):
        scale = math.exp(log)
        total -= math.log((1 + (error / scale) ** 2 / 4) ** -2.5 / scale)
    found = loss_likelihood(*(torch.from_numpy(x) for x in (motion, log_std, truth)))
    assert float(found) == pytest.approx(total / 18)


def test_likelihood_leaves_the_estimate_alone() -> None:
    motion = torch.zeros(2, 6, requires_grad=True)
    log_std = torch.zeros(2, 6, requires_grad=True)
    loss_likelihood(motion, log_std, torch.ones(2, 6)).backward()  # type: ignore[no-untyped-call]
    assert motion.grad is None
    assert log_std.grad is not None


def test_temperature_makes_spread_honest() -> None:
    rng = np.random.default_rng(1)
    error = rng.normal(size=(20_000, 6)) * np.array([1, 2, 3, 4, 5, 6])
    factor = temperature(error, np.ones((20_000, 6)))
    assert factor == pytest.approx([1, 2, 3, 4, 5, 6], rel=0.05)


def test_within_two_counts_components() -> None:
    motion = torch.tensor([[0.0, 1.9, 2.1, -1.9, -2.1, 0.0]])
    assert float(within_two(motion, torch.zeros(1, 6), torch.zeros(1, 6))) == pytest.approx(4 / 6)


def test_an_error_of_two_standard_deviations_lies_within_them() -> None:
    found = within_two(torch.tensor([[2.0, -2.0, 2.01, 0.0]]), torch.zeros(1, 4), torch.zeros(1, 4))
    assert found.tolist() == [0.75]


def test_the_share_within_two_is_that_of_a_normal_distribution() -> None:
    assert pytest.approx(math.erf(math.sqrt(2)), abs=1e-4) == WITHIN_TWO
    error = np.linspace(0, 1, 10_001)[:, None]
    assert temperature(error, np.full_like(error, 0.25)) == pytest.approx([2 * WITHIN_TWO], rel=1e-3)
