"""What the network doubts: beyond what goes with every step, only between kept frames, and in common."""

from __future__ import annotations

import numpy as np

from haustra.path.doubt import (
    DOUBT_S,
    MOST_PULLED,
    PULL,
    PULL_ERROR,
    STATED,
    USUAL_SHARE,
    doubts,
    lasting,
    lasting_with_sum,
    pull_errors,
    pulled,
    stated_errors,
)
from haustra.path.steady import PairVelocities

STEP_S = np.full(6, 0.1)


def pairs(stated: list[float] | None) -> PairVelocities:
    """Six pairs that found 3 and 4 a second; the last is in a gap."""
    measured = np.tile([3.0, 0.0, 4.0, 9.0, 9.0, 9.0], (6, 1))
    std = None if stated is None else np.tile(np.array(stated)[:, None], (1, 6)) / np.sqrt(3)
    return PairVelocities(STEP_S, measured, np.ones((6, 6)), np.arange(6) < 5, np.zeros(6, bool), std)


def test_doubt_is_what_is_stated_beyond_a_share_of_what_was_found() -> None:
    found = doubts(pairs([1.0, 5 * USUAL_SHARE, 5.0, 20.0, np.nan, 20.0]))
    np.testing.assert_allclose(found, [0, 0, 0.5 * (1 - USUAL_SHARE), 2 - 0.5 * USUAL_SHARE, 0, 0], atol=1e-12)
    assert not doubts(pairs(None)).any(), "a network that states nothing"


def test_what_is_stated_is_an_error_in_common_and_a_pull_has_one_of_its_own() -> None:
    given = pairs([1.0, 2.0, 5.0, 20.0, np.nan, 20.0])
    np.testing.assert_allclose(stated_errors(given), STATED * np.array([0.1, 0.2, 0.5, 2.0, 0, 0]))
    np.testing.assert_allclose(pull_errors(given), PULL_ERROR * doubts(given))
    assert not stated_errors(pairs(None)).any()


def test_a_doubted_step_is_drawn_back_further_up_to_a_limit() -> None:
    given = pairs([1.0, 1.0, 5.0, 20.0, np.nan, 20.0])
    further = given.measured - pulled(given).measured
    assert not further[:, [0, 1, 3, 4, 5]].any(), "along the viewing axis alone"
    back = [0, 0, PULL * 5 * (1 - USUAL_SHARE), PULL * MOST_PULLED / 0.1, 0, 0]
    np.testing.assert_allclose(further[:, 2], back, atol=1e-12)


def test_doubts_of_neighbours_go_together_and_their_sum_is_known_exactly() -> None:
    step_s = np.full(40, 0.2)
    weight = np.random.default_rng(0).uniform(size=40)
    apart = np.abs(np.arange(40)[:, None] - np.arange(40)) * 0.2
    covariance = np.exp(-apart / DOUBT_S)
    np.testing.assert_allclose(lasting_with_sum(step_s, weight), covariance @ weight)
    drawn = np.cov(lasting(step_s, 20_000, np.random.default_rng(1)))
    np.testing.assert_allclose(drawn, covariance, atol=0.04)
