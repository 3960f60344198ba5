"""Segments by name and number, and the boundaries between them."""

from __future__ import annotations

import pytest

from haustra.core.segments import LUMEN_DIAMETER_MM
from haustra.core.vocabulary import BOUNDARIES, SEGMENTS, segment_name, segment_number


def test_numbers_count_the_segments_from_one() -> None:
    assert [segment_number(name) for name in SEGMENTS] == list(range(1, len(SEGMENTS) + 1))
    assert [segment_name(segment_number(name)) for name in SEGMENTS] == list(SEGMENTS)


@pytest.mark.parametrize("name", ["", None, "ileum", "Cecum"])
def test_what_is_not_a_segment_has_number_zero(name: str | None) -> None:
    assert segment_number(name) == 0
    assert segment_name(0) == ""


def test_boundaries_join_neighbouring_segments_and_flexures_end_the_first() -> None:
    for boundary in BOUNDARIES:
        assert segment_number(boundary.entered) == segment_number(boundary.left) + 1 == boundary.number + 1
    called = {name: boundary.left for boundary in BOUNDARIES for name in boundary.names}
    assert called["hepatic"] == "ascending"
    assert called["splenic"] == "transverse"
    assert set(called) == {*SEGMENTS[1:], "hepatic", "splenic"}, "no name stands for two boundaries"


def test_every_segment_has_a_diameter_and_the_sigmoid_is_the_narrowest() -> None:
    assert len(LUMEN_DIAMETER_MM) == len(SEGMENTS)
    assert min(zip(LUMEN_DIAMETER_MM, SEGMENTS, strict=True))[1] == "sigmoid"
