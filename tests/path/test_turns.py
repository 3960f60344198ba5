"""How far off the turn across a gap may be."""

from __future__ import annotations

import numpy as np
import pytest

from haustra.path.steady import PairVelocities
from haustra.path.turns import BENT, LEAST, MOST, REACHED_AT, turn_doubts, with_unseen_bends


def pairs(stated_deg: list[float], seen: list[bool]) -> PairVelocities:
    """Each pair takes half a second and states this deviation, in degrees, about one axis."""
    n = len(seen)
    stated = np.zeros((n, 6))
    stated[:, 4] = np.radians(stated_deg) / 0.5
    return PairVelocities(
        np.full(n, 0.5), np.zeros((n, 6)), stated, np.array(seen), np.zeros(n, bool), None if n == 1 else stated
    )


def test_turns_between_clear_frames_are_known_and_those_across_gaps_add_up_what_is_stated() -> None:
    found = turn_doubts(
        pairs([1, 20, 30, 1, 200], [True, False, False, True, False]),
        np.array([True, True, False, True, True, True]),
    )
    assert found[[0, 1, 2, 4]].tolist() == [0.0] * 4
    assert found[3] == pytest.approx(LEAST + MOST * (1 - np.exp(-np.radians(50) / REACHED_AT)))
    assert found[5] > found[3]


def test_a_turn_is_never_off_by_more_than_a_scope_turns() -> None:
    most = LEAST + MOST
    assert turn_doubts(pairs([1e5, 1.0], [False, True]), np.ones(3, bool))[1] == pytest.approx(most)


def test_a_pair_that_was_not_asked_is_as_its_neighbours_are() -> None:
    found, asked = (
        turn_doubts(pairs([1.0, 20.0, middle, 40.0, 1.0], [True, False, False, False, True]), np.arange(6) % 3 != 2)
        for middle in (np.nan, 30.0)
    )
    np.testing.assert_allclose(found, asked)


def test_pairs_that_state_nothing_far_from_any_that_do_count_as_unseen() -> None:
    found = turn_doubts(pairs([np.nan, np.nan, 5.0], [False] * 3), np.ones(4, bool))
    assert found[1] == pytest.approx(LEAST + MOST * (1 - np.exp(-1)))
    assert found[2] == found[3] == pytest.approx(LEAST + MOST * (1 - np.exp(-np.radians(5) / REACHED_AT)))


def test_what_is_taken_stands_in_where_nothing_is_stated() -> None:
    assert turn_doubts(pairs([40.0], [False]), np.ones(2, bool))[1] > LEAST


def test_bends_of_the_way_through_a_gap_add_to_what_is_stated_of_it() -> None:
    kept = np.array([True, False, True, True, False, True])
    doubt = np.array([0.0, 0.0, 0.3, 0.0, 0.0, 0.3])
    index = np.array([0.1, 0.9, 0.1, 0.2, 0.0, 0.15])
    found = with_unseen_bends(doubt, index, kept)
    assert found[[0, 1, 3, 4]].tolist() == [0.0] * 4
    assert found[2] == pytest.approx(0.3)
    assert found[5] == pytest.approx(np.hypot(0.3, BENT * 0.05))
