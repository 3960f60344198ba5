"""How much of a colon was seen: nothing is claimed on too little, and a part is not called a whole."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from made_observations import made_observations

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import Basis, Extent, Reason
from haustra.path.extent import extent_of
from haustra.path.frame_locations import UNKNOWN_STD, End
from haustra.path.parameters import ExtentParameters, PathParameters
from haustra.path.travel import estimate_travel
from haustra.path.velocities import pair_velocities
from haustra.path.withdrawal import follow_withdrawal
from haustra.results.observations import Observations

RATE = 15.0
PARAMETERS = PathParameters()
PART_BELOW = PARAMETERS.extent.part_below


def seen(seconds: float, distance: float, *, tremor: float = 0.02, kept: slice = slice(None)) -> Observations:
    """A camera drawn back along its axis by `distance` in all, with the tremor of a hand."""
    count = round(seconds * RATE)
    rng = np.random.default_rng(3)
    motion = tremor * rng.standard_normal((count, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    motion[:, 2] += distance / count  # s(a->b) takes points of a into b: what is drawn back sees them further away
    motion[0] = np.nan
    used = np.zeros(count, np.bool_)
    used[kept] = True
    return made_observations(motion, kept=used, time_s=np.arange(count) / RATE)


@pytest.mark.parametrize(
    ("distance", "extent"),
    [(0.9 * PART_BELOW, Extent.PART), (1.1 * PART_BELOW, Extent.LIKELY), (20 * PART_BELOW, Extent.LIKELY)],
)
def test_the_length_of_the_path_tells_a_part_from_a_whole(distance: float, extent: Extent) -> None:
    travel = estimate_travel(pair_velocities(seen(60, distance), PARAMETERS.velocities), PARAMETERS)
    assert extent_of(travel, PARAMETERS, start_known=True) is extent
    unsure = Extent.PART if extent is Extent.PART else Extent.UNSURE
    assert extent_of(travel, PARAMETERS, start_known=False) is unsure
    assert follow_withdrawal(seen(60, distance), 0.0).extent is extent


def decided(length: float, seconds: float = 60.0, spread: float = 0.1) -> Extent:
    """Of a length that is drawn with two values, `spread` of it apart from the mean."""
    lengths = length * np.array([[1 - spread, 1 + spread]])
    travel = SimpleNamespace(step=np.full(4, length / 4), step_s=np.full(4, seconds / 4), draws=lambda *_: lengths)
    limits = ExtentParameters(part_below=20.0, shortest_s=8.0, shortest_path=2.0, signal_to_noise=4.0)
    return extent_of(travel, replace(PARAMETERS, extent=limits), start_known=True)  # type: ignore[arg-type]


def test_limits_of_the_extent() -> None:
    assert [decided(length) for length in (1.99, 2.0, 19.99, 20.0)] == [
        Extent.UNKNOWN, Extent.PART, Extent.PART, Extent.LIKELY
    ]  # fmt: skip
    assert [decided(170, seconds) for seconds in (7.99, 8.0)] == [Extent.UNKNOWN, Extent.LIKELY]
    assert [decided(170, spread=spread) for spread in (0.25, 0.2499)] == [Extent.UNKNOWN, Extent.LIKELY]
    assert decided(-170) is Extent.UNKNOWN


@pytest.mark.parametrize(
    ("seconds", "distance"),
    [(3, 30.0), (60, 0.0), (60, -30.0)],
    ids=["three seconds", "a still scope", "an insertion"],
)
def test_too_little_evidence_is_no_place(seconds: float, distance: float) -> None:
    found = follow_withdrawal(seen(seconds, distance), 0.0)
    assert found.extent is Extent.UNKNOWN
    assert (found.std == UNKNOWN_STD).all()
    assert any("no location can be given" in warning for warning in found.warnings)


def test_an_insertion_alone_is_no_withdrawal_when_its_start_is_searched_for() -> None:
    assert follow_withdrawal(seen(60, -30.0), None).extent is Extent.UNKNOWN


def test_two_informative_frames_are_refused() -> None:
    with pytest.raises(HaustraError, match="2 informative frames, at least 3"):
        follow_withdrawal(seen(60, 30.0, kept=slice(10, 12)), 0.0)


def test_given_ends_are_kept_to() -> None:
    found = follow_withdrawal(seen(30, 10.0), 0.0, (End(0.25, 0.01), End(0.5, 0.01)))
    assert found.extent is Extent.GIVEN
    assert found.index[0] == pytest.approx(0.25)
    assert found.index[-1] == pytest.approx(0.5)


def test_the_table_says_what_a_place_rests_on() -> None:
    found = follow_withdrawal(seen(60, 40.0, kept=slice(0, 600)), 0.0)
    assert set(found.basis[:600]) == {Basis.SEEN}
    gap = seen(60, 40.0)
    reason = (Reason.KEPT,) * 300 + (Reason.NON_INFORMATIVE,) * 30 + (Reason.KEPT,) * 570
    motion = gap.motion.copy()
    motion[310:320] = np.nan
    poor = replace(gap, reason=reason, motion=motion)
    basis = follow_withdrawal(poor, 0.0).basis
    assert set(basis[300:310]) == {Basis.POOR}
    assert set(basis[310:320]) == {Basis.UNSEEN}


def test_a_start_found_in_next_to_nothing_is_nothing_to_be_sure_of() -> None:
    found = follow_withdrawal(seen(3, 30.0), None)
    assert found.start is not None
    assert found.start.confidence == found.start.nearly_confidence == 0.0
    assert any("check it and give --withdrawal-start" in warning for warning in found.warnings)
