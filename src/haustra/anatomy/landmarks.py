"""Landmarks that a user gives: the moment the withdrawal leaves a flexure, or enters a segment; as words or a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haustra.anatomy.annotations import NAMES, seconds_of
from haustra.errors import HaustraError
from haustra.files import read_json
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
    """`hepatic=3:05`, or an annotations file (.json); each boundary once, in the order of the colon."""
    found: dict[int, Landmark] = {}
    for text in given:
        for landmark in _of_file(Path(text)) if text.lower().endswith(".json") else [_parse(text)]:
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


def _of_file(source: Path) -> list[Landmark]:
    """Annotated times, all seven or some by name; when the withdrawal starts and stops is no landmark."""
    value: Any = read_json(source)
    value = value.get("times_s", value) if isinstance(value, dict) else value
    if isinstance(value, list) and len(value) == len(NAMES):
        value = dict(zip(NAMES, value, strict=True))
    if not isinstance(value, dict):
        raise HaustraError(f"{source} holds no times: write an object with some of {', '.join(BOUNDARY_OF)}")
    unknown = [name for name in value if name not in BOUNDARY_OF and name not in NAMES]
    if unknown:
        raise HaustraError(f"{source}: '{unknown[0]}' is no landmark: choose of {', '.join(BOUNDARY_OF)}")
    known = {name: seconds_of(time, source) for name, time in value.items() if name in BOUNDARY_OF}
    return [Landmark(BOUNDARY_OF[name], time_s) for name, time_s in known.items()]
