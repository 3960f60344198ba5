"""How much of a colon was seen: nothing is claimed on too little, and a part is not called a whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from haustra.chunks import Observations
from haustra.errors import HaustraError
from haustra.path.estimate import End, travel_of
from haustra.path.extent import PART_BELOW, extent_of
from haustra.path.location import UNKNOWN_STD
from haustra.path.velocities import pair_velocities
from haustra.path.withdrawal import follow_withdrawal
from haustra.terms import Basis, Extent, Reason

RATE = 15.0


def seen(seconds: float, way: float, *, tremor: float = 0.02, kept: slice = slice(None)) -> Observations:
    """A camera drawn back along its axis by `way` in all, with the tremor of a hand."""
    count = round(seconds * RATE)
    rng = np.random.default_rng(3)
    motion = tremor * rng.standard_normal((count, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    motion[:, 2] += way / count  # s(a->b) takes points of a into b: what is drawn back sees them further away
    motion[0] = np.nan
    used = np.zeros(count, np.bool_)
    used[kept] = True
    reason = tuple(Reason.KEPT if keep else Reason.NON_INFORMATIVE for keep in used)
    return Observations(
        np.arange(count) / RATE,
        np.zeros(count, np.float32),
        np.zeros(count, np.float32),
        used,
        reason,
        motion,
        np.full((count, 6), np.nan),
        np.full((count, 3), np.nan),
    )


@pytest.mark.parametrize(
    ("way", "extent"),
    [(0.9 * PART_BELOW, Extent.PART), (1.1 * PART_BELOW, Extent.LIKELY), (20 * PART_BELOW, Extent.LIKELY)],
)
def test_the_length_of_the_way_tells_a_part_from_a_whole(way: float, extent: Extent) -> None:
    travel = travel_of(pair_velocities(seen(60, way)))
    assert extent_of(travel, begins=True) is extent
    assert extent_of(travel, begins=False) is (Extent.PART if extent is Extent.PART else Extent.UNSURE)
    assert follow_withdrawal(seen(60, way), 0.0).extent is extent


@pytest.mark.parametrize(
    ("seconds", "way"),
    [(3, 30.0), (60, 0.0), (60, -30.0)],
    ids=["three seconds", "a still scope", "an insertion"],
)
def test_too_little_evidence_is_no_place(seconds: float, way: float) -> None:
    found = follow_withdrawal(seen(seconds, way), 0.0)
    assert found.extent is Extent.UNKNOWN
    assert (found.std == UNKNOWN_STD).all()
    assert any("no location can be given" in warning for warning in found.warnings)


def test_an_insertion_alone_is_no_withdrawal_when_its_start_is_searched_for() -> None:
    assert follow_withdrawal(seen(60, -30.0), None).extent is Extent.UNKNOWN


def test_two_informative_frames_are_refused() -> None:
    with pytest.raises(HaustraError, match="2 frames are informative, at least 3"):
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
    kept = gap.kept.copy()
    kept[300:330] = False
    motion = gap.motion.copy()
    motion[310:320] = np.nan
    poor = replace(gap, kept=kept, motion=motion)
    basis = follow_withdrawal(poor, 0.0).basis
    assert set(basis[300:310]) == {Basis.POOR}
    assert set(basis[310:320]) == {Basis.UNSEEN}
