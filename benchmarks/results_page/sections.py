"""Pages and sections as pages/*.toml declare them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DECLARED = Path(__file__).parent / "pages"
# In the order of the index.
PAGES = (
    "proof", "location", "uncertainty", "segments", "start-and-extent", "motion", "real-tissue", "frames", "cost",
    "simulator", "paper-tables",
)  # fmt: skip
# Folders that commands are given, as options of this program.
FOLDERS = {
    "COHORT": "simulated recordings of 'haustra simulate cohort'",
    "WORK": "where runs are kept",
    "DATA": "real stills and sequences, foreign colons",
    "INSERTIONS": "simulated recordings with an insertion",
    "WITHDRAWALS": "simulated recordings without one",
    "FRAMES": "simulated stills of 'haustra simulate frames'",
    "PAIRS": "frame pairs of 'haustra train pairs'",
}


@dataclass(frozen=True)
class Section:
    """`about` says what was measured on what; a section without a command was measured by others, and says by whom.

    `shows` is a row or column that the command prints today: a record without it says that it is older.
    """

    name: str
    title: str
    about: str
    command: str | None = None
    shows: str = ""


@dataclass(frozen=True)
class Page:
    """A question and the sections that answer it."""

    name: str
    title: str
    about: str
    sections: tuple[Section, ...]


@cache
def pages() -> tuple[Page, ...]:
    return tuple(_page(name, tomllib.loads((DECLARED / f"{name}.toml").read_text(encoding="utf-8"))) for name in PAGES)


def _page(name: str, declared: Mapping[str, object]) -> Page:
    sections = declared["section"]
    assert isinstance(sections, list)
    return Page(
        name,
        str(declared["title"]),
        _prose(str(declared["about"])),
        tuple(Section(**{key: _prose(value) for key, value in section.items()}) for section in sections),
    )


def _prose(text: str) -> str:
    """One line a paragraph: the width of the file is not that of the page."""
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def sections() -> dict[str, Section]:
    """All of them by name."""
    return {section.name: section for page in pages() for section in page.sections}
