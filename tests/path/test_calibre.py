"""The calibre along the colon by value."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.path.calibre import (
    DIAMETER_MM,
    MIDDLES,
    NODES,
    REACH,
    SPREAD,
    TAPER_SHARE,
    location_of_travel,
    mean_profile,
    places,
)


def test_the_mean_colon_tapers_by_its_share() -> None:
    profile = mean_profile()
    assert len(profile.log_calibre) == NODES + 1 == len(places()) == 101
    assert (places()[0], places()[-1]) == (0.0, 1.0)
    for place, log_calibre in zip(places(), profile.log_calibre, strict=True):
        assert log_calibre == pytest.approx(TAPER_SHARE * np.log(np.interp(place, MIDDLES, DIAMETER_MM)))
    assert DIAMETER_MM == (48, 49, 42, 33, 27, 36), "CT colonography"
    assert MIDDLES == (0.034, 0.138, 0.332, 0.556, 0.780, 0.951), "the paper's template of Set 3"
    lengths = np.diff([0.0, *(2 * middle for middle in MIDDLES[:1])])
    assert lengths[0] == pytest.approx(0.068), "the middle of the first segment is half its length"


def test_calibres_are_alike_over_their_reach() -> None:
    factor = mean_profile().factor
    covariance = factor @ factor.T
    for i, j in ((0, 0), (50, 50), (10, 22), (0, 100), (80, 75)):
        apart = abs(places()[i] - places()[j])
        assert covariance[i, j] == pytest.approx(SPREAD**2 * np.exp(-apart / REACH), rel=1e-4, abs=1e-9)
    rng = np.random.default_rng(0)
    drawn = mean_profile().draws(3, np.random.default_rng(0))
    noise = rng.standard_normal((NODES + 1, 3))
    np.testing.assert_allclose(drawn, mean_profile().log_calibre[:, None] + factor @ noise)


@pytest.mark.parametrize(("first", "last"), [(0.0, 1.0), (0.2, 0.7), (-0.03, 1.02)])
def test_a_step_is_as_long_as_the_calibre_where_it_is_made(first: float, last: float) -> None:
    """Twice as wide in the second half: of a way in calibres two thirds are made in the first."""
    log_calibre = np.where(places() < 0.5, 0.0, np.log(2.0))
    way = np.linspace(0, 1, 31)
    fine = np.linspace(first, last, 20_001)
    inverse = 1 / np.exp(np.interp(fine, places(), log_calibre))
    behind = np.concatenate([[0], np.cumsum((inverse[1:] + inverse[:-1]) / 2)])
    found = location_of_travel(way, log_calibre, first, last)
    np.testing.assert_allclose(found, np.interp(way, behind / behind[-1], fine), atol=0.004)
    assert (found[0], found[-1]) == pytest.approx((first, last))
    even = location_of_travel(way, np.full(NODES + 1, 3.0), first, last)
    np.testing.assert_allclose(even, first + (last - first) * way, atol=1e-12)
