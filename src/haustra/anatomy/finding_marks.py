"""How kinds of findings are drawn: a shape and a dark colour each, the same on the page and on the colon map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

from haustra.core.vocabulary import Reason

Outline = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Mark:
    """`outline` goes around the origin, at a distance of about 1."""

    outline: Outline
    colour: str


def _polygon(corners: int, turn: float = 0.0, size: float = 1.0) -> Outline:
    angles = [2 * pi * k / corners + turn for k in range(corners)]
    return tuple((round(size * sin(angle), 3), round(-size * cos(angle), 3)) for angle in angles)


_ARM: Final = 0.36
_CROSS: Final = (
    *((-_ARM, -1.0), (_ARM, -1.0), (_ARM, -_ARM), (1.0, -_ARM), (1.0, _ARM), (_ARM, _ARM)),
    *((_ARM, 1.0), (-_ARM, 1.0), (-_ARM, _ARM), (-1.0, _ARM), (-1.0, -_ARM), (-_ARM, -_ARM)),
)
_OUTLINES: Final = (
    *(_polygon(24), _polygon(4, pi / 4, 1.15), _polygon(3, 0.0, 1.2)),
    *(_polygon(4, 0.0, 1.15), _polygon(3, pi, 1.2), _polygon(6)),
)
_COLOURS: Final = ("#1d2329", "#004488", "#a3203a", "#6b3d00", "#00553f", "#5b1a77")
# One after the other for the kinds of a recording: a shape and a colour each, then the shapes again in other colours.
# All that are left share the last.
MARKS: Final = tuple(Mark(_OUTLINES[k % 6], _COLOURS[(k + k // 6) % 6]) for k in range(36))
BIOPSY: Final = Mark(_CROSS, "#1d2329")


def marks_of(kinds: Iterable[str]) -> dict[str, Mark]:
    """By kind, in the order in which they come; a biopsy is always a cross."""
    others = dict.fromkeys(kind for kind in kinds if kind != Reason.BIOPSY)
    return {kind: MARKS[min(k, len(MARKS) - 1)] for k, kind in enumerate(others)} | {Reason.BIOPSY.value: BIOPSY}
