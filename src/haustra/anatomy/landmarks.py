"""Landmarks that a user gives: the moment the withdrawal leaves a flexure, or enters a segment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from haustra.errors import HaustraError
from haustra.times import parse_time

# Which of the five inner boundaries a name stands for. A flexure belongs to the segment before it.
BOUNDARY_OF = {
    "ascending": 1, "hepatic": 2, "transverse": 2, "splenic": 3, "descending": 3, "sigmoid": 4, "rectum": 5,
}  # fmt: skip
# How well a user hits the moment. With 2 s given flexures are worth as much as exact ones, and 10 s of error harm
# little (`benchmarks.withdrawal_times`).
GIVEN_STD_S = 2.0


@dataclass(frozen=True)
class Landmark:
    """Boundary 1 (cecum | ascending) to 5 (sigmoid | rectum) is passed at `time_s`, give or take `std_s`."""

    boundary: int
    time_s: float
    std_s: float = GIVEN_STD_S


def parse_landmarks(given: Iterable[str]) -> tuple[Landmark, ...]:
    """`hepatic=3:05` and the like; each boundary once, in the order of the colon."""
    found: dict[int, Landmark] = {}
    for text in given:
        landmark = _parse(text)
        if landmark.boundary in found:
            raise HaustraError(f"landmark '{text}': this boundary was given twice")
        found[landmark.boundary] = landmark
    ordered = tuple(found[k] for k in sorted(found))
    times = [landmark.time_s for landmark in ordered]
    if times != sorted(times):
        raise HaustraError("the landmarks are not in the order of a withdrawal (cecum to rectum): check their times")
    return ordered


def _parse(text: str) -> Landmark:
    name, equals, time = text.partition("=")
    boundary = BOUNDARY_OF.get(name.strip().lower())
    if not equals or boundary is None:
        raise HaustraError(f"'{text}' is not a landmark: write NAME=TIME with one of {', '.join(BOUNDARY_OF)}")
    return Landmark(boundary, parse_time(time))
