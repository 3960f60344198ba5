"""Landmarks that a user gives: the moment the withdrawal leaves a flexure, or enters a segment; as words or a file.

A landmark is obeyed to the frame. With a tolerance it is one observation among the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from haustra.core.errors import HaustraError
from haustra.core.times import parse_time
from haustra.core.vocabulary import BOUNDARIES
from haustra.results.annotations import read_annotations_file

# The boundary that each name stands for.
BOUNDARY_OF = {name: boundary.number for boundary in BOUNDARIES for name in boundary.names}
# Who set a moment: an option of the command line, unless it was a reader with a name.
GIVEN = "given"
_TOLERANCE = re.compile(r"\s*(?:\+-|±)\s*")


@dataclass(frozen=True)
class Landmark:
    """Boundary 1 (cecum | ascending) to 5 (sigmoid | rectum) is passed at `time_s`.

    `std_s` 0: exactly there, whatever else is known. Above 0: with this standard deviation. `by` is who said so.
    """

    boundary: int
    time_s: float
    std_s: float = 0.0
    by: str = GIVEN

    @property
    def exact(self) -> bool:
        return self.std_s == 0


def parse_landmarks(given: Iterable[str]) -> tuple[Landmark, ...]:
    """`hepatic=3:05`, `hepatic=3:05+-10` or an annotations file (.json); each boundary once, in the colon's order."""
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
    moment, *tolerance = _TOLERANCE.split(time, maxsplit=1)
    return Landmark(boundary, parse_time(moment), parse_time(tolerance[0]) if tolerance else 0.0)


def _of_file(source: Path) -> list[Landmark]:
    """The annotated times of a file; when the withdrawal starts and stops is no landmark."""
    return [Landmark(boundary, time_s) for boundary, time_s in read_annotations_file(source).boundaries_s.items()]
