"""Agreement of two readings: kappa beside scikit-learn's, and boundaries in seconds."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.anatomy.reader_agreement import Reading, agreement, kappa
from haustra.core.vocabulary import SEGMENTS
from haustra.results.annotations import NAMES


def _reading(times_s: tuple[float, ...]) -> Reading:
    """Each segment from its time to the next one's, on a clock of ten a second."""
    grid = np.arange(0.0, 60.0, 0.1).round(1)
    time_s = grid[(grid >= times_s[0]) & (grid <= times_s[-1])]
    number = np.searchsorted(np.array(times_s[1:-1]), time_s, side="right") + 1
    return Reading(time_s, number.astype(np.int64), dict(zip(NAMES, times_s, strict=True)))


FIRST = _reading((5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 55.0))


def test_kappa_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(3)
    a = generator.integers(0, 4, 500)
    b = np.where(generator.random(500) < 0.6, a, generator.integers(0, 4, 500))
    assert kappa(a, b) == pytest.approx(metrics.cohen_kappa_score(a, b))
    assert kappa(a == 2, b == 2) == pytest.approx(metrics.cohen_kappa_score(a == 2, b == 2))


def test_kappa_is_unknown_where_chance_makes_both_the_same() -> None:
    assert kappa(np.ones(5, np.int64), np.ones(5, np.int64)) is None
    assert kappa(np.zeros(0, np.int64), np.zeros(0, np.int64)) is None


def test_a_reader_agrees_with_themselves() -> None:
    found = agreement([(FIRST, FIRST)])
    assert found.overall == 1
    assert set(found.segments.values()) == {1}
    assert {difference.largest_s for difference in found.boundaries.values()} == {0}
    assert found.seconds == pytest.approx(50)


def test_one_boundary_differs() -> None:
    other = _reading((5.0, 10.0, 20.0, 34.0, 40.0, 50.0, 55.0))
    found = agreement([(FIRST, other), (FIRST, FIRST)])
    assert [name for name in SEGMENTS if found.segments[name] != 1] == ["transverse", "descending"]
    descending = found.boundaries["descending"]
    assert (descending.count, descending.median_s, descending.largest_s) == (2, 2.0, 4.0)
    assert 0.9 < (found.overall or 0) < 1


def test_what_lies_outside_a_withdrawal_is_no_segment() -> None:
    later = _reading((8.0, 10.0, 20.0, 30.0, 40.0, 50.0, 55.0))
    found = agreement([(FIRST, later)])
    cecum = found.segments["cecum"]
    assert cecum is not None
    assert cecum < 0.7
    assert found.boundaries["cecum"].largest_s == 3.0


def test_a_boundary_that_one_reader_lacks_is_not_counted() -> None:
    lacking = Reading(FIRST.time_s, FIRST.number, {"cecum": 5.0, "stop": 55.0})
    found = agreement([(FIRST, lacking)])
    assert found.boundaries["rectum"].count == 0
    assert found.boundaries["rectum"].median_s is None
