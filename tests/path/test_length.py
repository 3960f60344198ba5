"""How long the way of a colon and of its parts is, and what a way that is too short tells."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.path.calibre import mean_profile
from haustra.path.length import FAR_SHORT, WAY, WAY_STD, KnownWay, way_between


def test_parts_make_up_the_whole_and_narrow_ones_are_long() -> None:
    profile = mean_profile()
    whole = way_between(profile, 0.0, 1.0)
    assert (whole.mean, whole.std) == pytest.approx((WAY, WAY_STD))
    parts = [way_between(profile, first, first + 0.2) for first in (0.0, 0.2, 0.4, 0.6, 0.8)]
    assert sum(part.mean for part in parts) == pytest.approx(WAY)
    assert parts[3].mean > 1.2 * parts[0].mean
    assert parts[3].std / parts[3].mean == pytest.approx(WAY_STD / WAY)


def test_each_step_takes_its_share_of_what_is_missing() -> None:
    """The steps that are least certain take most; what is certain, and what the way itself is unsure of, stays."""
    with_way = np.array([0.0, 1.0, 3.0])
    np.testing.assert_allclose(KnownWay(10.0, 0.0).gain(with_way), [0.0, 0.25, 0.75])
    np.testing.assert_allclose(KnownWay(10.0, 2.0).gain(with_way), [0.0, 0.125, 0.375])


def test_only_a_way_that_is_far_too_short_widens_its_errors() -> None:
    known = KnownWay(40.0, 10.0)
    least = 40.0 - 10.0 * FAR_SHORT
    assert known.widening(least + 1, 0.01) == 1
    assert known.widening(200.0, 0.01) == 1, "a narrow colon is long"
    wider = known.widening(0.0, 16.0)
    assert wider > 1
    together = np.sqrt(wider**2 * 16.0 + 10.0**2)
    assert 40.0 / together == pytest.approx(FAR_SHORT), "then it is this many deviations too short"
    assert known.widening(0.0, 1e6) == 1, "errors that explain it stay as they are"
