"""The prior of the path length: of parts of the colon, its Kalman gain, and what an implausibly short path means."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.path.calibre import mean_profile
from haustra.path.length_prior import PathLength, length_between
from haustra.path.parameters import CalibreParameters, LengthPriorParameters

PROFILE = mean_profile(CalibreParameters(taper_share=0.6))
PARAMETERS = LengthPriorParameters(mean=50.0, std=10.0)


def test_parts_make_up_the_whole_and_narrow_ones_are_long() -> None:
    whole = length_between(PROFILE, 0.0, 1.0, PARAMETERS)
    assert (whole.mean, whole.std) == pytest.approx((50.0, 10.0))
    parts = [length_between(PROFILE, first, first + 0.2, PARAMETERS) for first in (0.0, 0.2, 0.4, 0.6, 0.8)]
    assert sum(part.mean for part in parts) == pytest.approx(50.0)
    assert parts[3].mean > 1.2 * parts[0].mean
    assert parts[3].std / parts[3].mean == pytest.approx(0.2)


def test_each_step_takes_its_share_of_the_residual() -> None:
    """The steps that are least certain take most; what is certain, and the prior's own uncertainty, stay."""
    with_sum = np.array([0.0, 1.0, 3.0])
    np.testing.assert_allclose(PathLength(10.0, 0.0).gain(with_sum), [0.0, 0.25, 0.75])
    np.testing.assert_allclose(PathLength(10.0, 2.0).gain(with_sum), [0.0, 0.125, 0.375])


def test_only_an_implausibly_short_path_inflates_its_errors() -> None:
    prior, far_short = PathLength(40.0, 10.0), 1.5
    shortest = 40.0 - 10.0 * far_short
    assert prior.inflation(shortest + 1, 0.01, far_short) == 1
    assert prior.inflation(200.0, 0.01, far_short) == 1, "a narrow colon is long"
    inflation = prior.inflation(0.0, 16.0, far_short)
    assert inflation > 1
    together = np.sqrt(inflation**2 * 16.0 + 10.0**2)
    assert 40.0 / together == pytest.approx(far_short), "then it is this many deviations too short"
    assert prior.inflation(0.0, 1e6, far_short) == 1, "errors that explain it stay as they are"
