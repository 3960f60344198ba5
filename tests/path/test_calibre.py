"""The calibre along the colon: its course, how it varies from colon to colon, and what it makes of travel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from haustra.path.calibre import location_of_travel, mean_profile
from haustra.path.parameters import CalibreParameters

PARAMETERS = CalibreParameters()


def test_the_mean_colon_tapers_by_its_share() -> None:
    untapered, half = (mean_profile(replace(PARAMETERS, taper_share=share)) for share in (0.0, 0.5))
    assert not untapered.log_calibre.any()
    for middle, diameter_mm in zip(PARAMETERS.segment_middles, PARAMETERS.diameter_mm, strict=True):
        at = np.interp(middle, half.locations, half.log_calibre)
        assert np.exp(2 * at) == pytest.approx(diameter_mm, rel=0.01)


def test_the_sigmoid_is_the_narrowest_part() -> None:
    profile = mean_profile(PARAMETERS)
    assert profile.locations[profile.log_calibre.argmin()] == pytest.approx(PARAMETERS.segment_middles[4], abs=0.01)


def test_colons_vary_by_the_spread_and_alike_over_the_correlation_length() -> None:
    parameters = replace(PARAMETERS, taper_spread=0.0)
    profile = mean_profile(parameters)
    drawn = profile.draws(20_000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.mean(axis=1), profile.log_calibre, atol=0.005)
    np.testing.assert_allclose(drawn.std(axis=1), parameters.spread, rtol=0.05)
    apart = round(parameters.correlation_length * parameters.intervals)
    assert np.corrcoef(drawn[10], drawn[10 + apart])[0, 1] == pytest.approx(np.exp(-1), abs=0.03)


def test_a_lens_that_is_not_known_makes_the_calibre_less_certain() -> None:
    parameters = replace(PARAMETERS, taper_spread=0.0)
    drawn = mean_profile(parameters, 0.2).draws(20_000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.std(axis=1), np.hypot(parameters.spread, 0.2), rtol=0.05)


def test_colons_differ_in_how_much_they_taper() -> None:
    """Where nothing else varies each drawn colon is the mean one with a taper of its own."""
    profile = mean_profile(replace(PARAMETERS, spread=0.0, taper_share=0.5, taper_spread=0.2))
    whole = mean_profile(replace(PARAMETERS, taper_share=1.0)).log_calibre
    drawn = profile.draws(4000, np.random.default_rng(0))
    shares = np.polyfit(whole, drawn, 1)[0]
    assert (shares.mean(), shares.std()) == (pytest.approx(0.5, abs=0.02), pytest.approx(0.2, abs=0.02))
    np.testing.assert_allclose(drawn - drawn.mean(axis=0), np.outer(whole - whole.mean(), shares), atol=1e-3)


@pytest.mark.parametrize(("first", "last"), [(0.0, 1.0), (0.2, 0.7), (-0.03, 1.02)])
def test_a_step_is_as_long_as_the_calibre_where_it_is_made(first: float, last: float) -> None:
    """Twice as wide in the second half: of a path in calibres two thirds lie in the first."""
    locations = np.linspace(0, 1, 101)
    log_calibre = np.where(locations < 0.5, 0.0, np.log(2.0))
    travelled = np.linspace(0, 1, 31)
    fine = np.linspace(first, last, 20_001)
    inverse = 1 / np.exp(np.interp(fine, locations, log_calibre))
    passed = np.concatenate([[0], np.cumsum((inverse[1:] + inverse[:-1]) / 2)])
    found = location_of_travel(travelled, locations, log_calibre, first, last)
    np.testing.assert_allclose(found, np.interp(travelled, passed / passed[-1], fine), atol=0.004)
    assert (found[0], found[-1]) == pytest.approx((first, last))
    even = location_of_travel(travelled, locations, np.full(101, 3.0), first, last)
    np.testing.assert_allclose(even, first + (last - first) * travelled, atol=1e-12)


def test_path_shares_are_the_distances_that_location_of_travel_inverts() -> None:
    profile = mean_profile(replace(PARAMETERS, taper_share=0.6))
    found = location_of_travel(profile.path_shares(), profile.locations, profile.log_calibre)
    np.testing.assert_allclose(found, profile.locations, atol=1e-12)
    assert np.interp(0.5, profile.path_shares(), profile.locations) > 0.52, "the colon is wider in its first half"
