"""Every parameter reaches the result: none is forgotten on its way down, none is dead."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from made_observations import made_observations
from made_paths import made_path

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import IndexMethod, Reason
from haustra.path import location_index
from haustra.path.parameters import PathParameters
from haustra.path.withdrawal import follow_withdrawal
from haustra.results.observations import Observations

WILD = made_path(0, 20, lateral_mm=40).positions  # far off the centre line
FACTORS = (0.5, 2.0, 0.01, 300.0)
LEAVES = [(group, leaf) for group, values in asdict(PathParameters()).items() for leaf in values]


@pytest.fixture(scope="module")
def seen() -> Observations:
    """A hesitant insertion, then a short withdrawal with gaps, instruments, unmeasured pairs and large steps."""
    rng = np.random.default_rng(0)
    n, at = 700, np.arange(700)
    motion = rng.standard_normal((n, 6)) * [0.1, 0.1, 0.06, 0.01, 0.01, 0.01]
    motion[:, 2] += np.where(at < 150, -0.12, np.where(at < 200, 0.02 * np.sin(at / 8), 0.055))
    motion[:, 4] += 0.01 * np.sin(at / 60)
    motion[0] = motion[300::37] = np.nan
    reason = [Reason.KEPT] * n
    for start in range(40, n - 60, 90):
        reason[start : start + 18] = [Reason.NON_INFORMATIVE] * 18
        reason[start + 5 : start + 7] = [Reason.BLACK] * 2
    reason[500:530] = [Reason.FORCEPS] * 30
    reason[-20:] = [Reason.NON_INFORMATIVE] * 20
    kept = np.array([one is Reason.KEPT for one in reason])
    std = np.where(kept[:, None], 0.01, 0.3) * np.ones((n, 6))
    std[550:552] = 0.15
    lumen = np.full((n, 3), np.nan)
    beside = np.flatnonzero(kept & ~(np.roll(kept, 1) & np.roll(kept, -1)))
    lumen[beside] = rng.uniform([-0.4, -0.4, 0.1], [0.4, 0.4, 0.9], (len(beside), 3))
    return made_observations(motion, reason=reason, motion_std=std, lumen=lumen)


def results(seen: Observations, parameters: PathParameters) -> list[Any]:
    """All that comes of a recording by both indices, and of a trajectory."""
    values: list[Any] = []
    try:
        for index in IndexMethod:
            found = follow_withdrawal(seen, None, index=index, parameters=parameters)
            values += [found.index, found.std, found.location.T_w_c, found.gap_rotation_std]
            values += [found.extent, found.start, found.warnings]
        place = location_index(WILD, parameters.paper_index)
        values += [place.index, place.std]
    except HaustraError as error:
        values.append(str(error))
    return values


def same(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(
        np.array_equal(x, y, equal_nan=True) if isinstance(x, np.ndarray) else x == y for x, y in zip(a, b, strict=True)
    )


def changed(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return (value[0] * factor, *value[1:])
    return max(round(value * factor), 1) if isinstance(value, int) else value * factor


@pytest.fixture(scope="module")
def usual(seen: Observations) -> list[Any]:
    return results(seen, PathParameters())


@pytest.mark.parametrize(("group", "leaf"), LEAVES)
def test_every_parameter_matters(seen: Observations, usual: list[Any], group: str, leaf: str) -> None:
    of_group = getattr(PathParameters(), group)
    for factor in FACTORS:
        other = replace(of_group, **{leaf: changed(getattr(of_group, leaf), factor)})
        if not same(results(seen, replace(PathParameters(), **{group: other})), usual):
            return
    pytest.fail("no result depends on it")


def test_they_are_a_plain_value() -> None:
    """For the identity of a run."""
    assert json.loads(json.dumps(asdict(PathParameters())))["smoother"]["memory_s"] > 0
    assert PathParameters() == PathParameters()
