"""Landmarks in a user's words."""

from __future__ import annotations

import pytest

from haustra.anatomy.landmarks import Landmark, parse_landmarks
from haustra.core.vocabulary import SEGMENTS


@pytest.mark.parametrize("name", SEGMENTS[1:])
def test_a_segment_is_entered_at_the_boundary_before_it(name: str) -> None:
    assert parse_landmarks([f" {name.upper()} =3:05"]) == (Landmark(SEGMENTS.index(name), 185.0, 0.0),)


def test_a_flexure_is_left_where_the_next_segment_begins() -> None:
    hepatic, splenic = parse_landmarks(["splenic=200", "hepatic=100"])
    assert (hepatic.boundary, splenic.boundary) == (SEGMENTS.index("transverse"), SEGMENTS.index("descending"))
    assert (hepatic.time_s, splenic.time_s) == (100, 200)


@pytest.mark.parametrize("text", ["hepatic=3:05+-10", "hepatic = 3:05 ± 0:10"])
def test_a_tolerance_makes_it_one_observation_among_others(text: str) -> None:
    (landmark,) = parse_landmarks([text])
    assert (landmark.time_s, landmark.std_s, landmark.exact) == (185.0, 10.0, False)
    assert parse_landmarks(["hepatic=3:05"])[0].exact
