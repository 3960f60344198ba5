"""The fit of the location's parameters: a proper score, and a search that finds its minimum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.fit_location import FITTED, crps, fit, is_ours, value_of, with_value, world_of

from haustra.path import PathParameters


def test_the_score_is_lowest_for_the_deviation_that_holds() -> None:
    error = np.random.default_rng(0).normal(0.0, 0.03, 20_000)
    stated = np.array([0.01, 0.02, 0.03, 0.04, 0.08])
    scores = [crps(error, np.full_like(error, std)).mean() for std in stated]
    assert stated[int(np.argmin(scores))] == 0.03
    assert crps(2 * error, np.full_like(error, 0.06)).mean() == pytest.approx(2 * scores[2])


def test_the_search_finds_the_minimum_of_what_is_fitted_and_leaves_the_rest() -> None:
    wanted = {
        name: value_of(PathParameters(), name) * (2.0 if number % 2 else 0.4) for number, name in enumerate(FITTED)
    }
    said: list[str] = []

    def objective(parameters: PathParameters) -> float:
        return sum(np.log(value_of(parameters, name) / value) ** 2 for name, value in wanted.items())

    found = fit(PathParameters(), 5, objective, said.append)
    for name, value in wanted.items():
        assert value_of(found, name) == pytest.approx(value, rel=0.1), name
    for name in FITTED:
        found = with_value(found, name, value_of(PathParameters(), name))
    assert found == replace(PathParameters())
    assert len(said) == 6


def test_worlds_are_kinds_of_a_set_or_folders(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "foreign-colons" / "c").mkdir(parents=True)
    assert world_of(tmp_path / "set" / "30hz-02", "30hz-02") == "30hz"
    assert world_of(tmp_path / "foreign-colons" / "c", "c") == "foreign-colons"
    assert (is_ours("30hz"), is_ours("foreign-colons")) == (True, False)
