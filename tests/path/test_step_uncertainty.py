"""Excess uncertainty: beyond what every step has, between kept frames alone, corrected for and in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_pairs import made_pairs

from haustra.path.parameters import StepUncertaintyParameters
from haustra.path.step_uncertainty import bias_std, common_correlation, common_std, correct_bias, excess_std
from haustra.path.velocities import PairVelocities

PARAMETERS = StepUncertaintyParameters(
    common_share=0.4, memory_s=2.0, usual_share=0.6, bias_gain=6.0, excess_cap=0.25, bias_error=1.5
)


def pairs(predicted: list[float]) -> PairVelocities:
    """Six steps of 0.5 calibres with this predicted deviation a second; the last is in a gap."""
    measured = np.tile([3.0, 0.0, 4.0, 9.0, 9.0, 9.0], (6, 1))
    std = np.tile(np.array(predicted)[:, None], (1, 6)) / np.sqrt(3)
    return made_pairs(measured, step_s=0.1, predicted_std=std, clear=np.arange(6) < 5)


def test_excess_is_what_is_predicted_beyond_a_share_of_the_step() -> None:
    found = excess_std(pairs([1.0, 3.0, 5.0, 20.0, np.nan, 20.0]), PARAMETERS)
    np.testing.assert_allclose(found, [0, 0, 0.5 - 0.6 * 0.5, 2 - 0.6 * 0.5, 0, 0], atol=1e-12)


def test_the_prediction_is_an_error_in_common_and_the_correction_has_one_of_its_own() -> None:
    given = pairs([1.0, 2.0, 5.0, 20.0, np.nan, 20.0])
    np.testing.assert_allclose(common_std(given, PARAMETERS), 0.4 * np.array([0.1, 0.2, 0.5, 2.0, 0, 0]))
    np.testing.assert_allclose(bias_std(given, PARAMETERS), 1.5 * np.array([0, 0, 0.2, 1.7, 0, 0]), atol=1e-12)


def test_a_step_of_excess_uncertainty_is_longer_backwards_up_to_a_limit() -> None:
    given = pairs([1.0, 1.0, 5.0, 20.0, np.nan, 20.0])
    further = given.measured - correct_bias(given, PARAMETERS).measured
    assert not further[:, [0, 1, 3, 4, 5]].any(), "along the viewing axis alone"
    gain = 6.0 * 0.5  # by the usual step
    np.testing.assert_allclose(further[:, 2] * 0.1, [0, 0, gain * 0.2, gain * 0.25, 0, 0], atol=1e-12)


def test_the_same_excess_means_less_in_a_slower_withdrawal() -> None:
    """What exceeds the prediction of a step is the same; steps in gaps do not make the pace."""
    slow = pairs([1.0, 1.0, 5.0, 1.0, 1.0, 1.0])
    measured = slow.measured.copy()
    measured[[0, 1, 3, 4]] *= 0.2
    measured[5] *= 100.0
    slower = replace(slow, measured=measured)
    pulled = [(p.measured - correct_bias(p, PARAMETERS).measured)[2, 2] for p in (slow, slower)]
    assert pulled[1] == pytest.approx(0.2 * pulled[0])


def test_a_recording_without_a_clear_pair_is_not_corrected() -> None:
    unclear = replace(pairs([1.0] * 6), clear=np.zeros(6, np.bool_))
    np.testing.assert_array_equal(correct_bias(unclear, PARAMETERS).measured, unclear.measured)


def test_the_common_error_is_forgotten_within_its_memory() -> None:
    """At 0.1 s a step, however one long step there may be."""
    rho = common_correlation(np.array([0.1, 0.1, 5.0, 0.1, 0.1]), PARAMETERS)
    assert rho**20 == pytest.approx(np.exp(-1))
    assert common_correlation(np.full(5, 0.1), replace(PARAMETERS, memory_s=4.0)) > rho
