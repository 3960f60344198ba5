"""What other programs can show of a result: its segment intervals, and its events, each with a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import polars as pl

from haustra.anatomy.findings import DETECTED, Finding, detected_biopsies, events_of, place_findings
from haustra.anatomy.findings_file import stored_findings
from haustra.anatomy.intervals import INTERVALS
from haustra.core.checked_tables import NOT_A_TABLE, ColumnRule, checked, flags, numbers
from haustra.core.csv_dialect import MOST_BYTES, with_formulas
from haustra.core.errors import HaustraError
from haustra.core.files import read_bytes
from haustra.core.vocabulary import SEGMENTS, UNSURE
from haustra.localization import Localization, open_result
from haustra.results.annotations import FORMAT, Annotations
from haustra.results.folder import FINDINGS
from haustra.results.folder import INTERVALS as INTERVALS_FILE
from haustra.results.versions import history

# Kinds of events; a finding is one that a reader noted.
FINDING, GIVEN_FINDING, BIOPSY, COMMENT, CECUM, RETROFLEXION = (
    "finding",
    "given finding",
    "biopsy",
    "comment",
    "cecum",
    "retroflexion",
)


_TIME = numbers(-1e19, 1e19, full=True)
_CHECKED: dict[str, ColumnRule] = {
    "segment": ColumnRule(pl.String, words=(UNSURE, *SEGMENTS), full=True),
    **dict.fromkeys(("start_s", "end_s", "duration_s"), _TIME),
    **dict.fromkeys(("start_frame", "end_frame"), ColumnRule(pl.Int64, 0, 1e12, full=True)),
    "probability": numbers(0, 1.001),
    "kept_share": numbers(0, 1.001, full=True),
    "re_entered": flags(),
    "entered_by": ColumnRule(pl.String, full=True),
}


@dataclass(frozen=True)
class SegmentInterval:
    """A row of segments.csv."""

    segment: str
    start_s: float
    end_s: float
    duration_s: float
    start_frame: int
    end_frame: int
    probability: float | None
    kept_share: float
    re_entered: bool
    entered_by: str


@dataclass(frozen=True)
class Event:
    """Something at one time, in words; `finding` is the finding that it is, if it is one.

    A detected biopsy lasts from `start_s` to `end_s`, anything else is a moment.
    """

    kind: str
    time_s: float
    text: str
    segment: str = ""
    location_index: float | None = None
    finding: Finding | None = None

    @property
    def lasts_s(self) -> float:
        return 0.0 if self.finding is None else self.finding.lasts_s

    @property
    def start_s(self) -> float:
        return self.time_s - self.lasts_s / 2

    @property
    def end_s(self) -> float:
        return self.time_s + self.lasts_s / 2


@dataclass(frozen=True)
class Content:
    """A result for other programs. `frame_rate` is that of the recording, `picture` its box (x, y, width, height)."""

    folder: Path
    name: str
    recording: str
    version: int
    duration_s: float
    frame_rate: float | None
    size: tuple[int, int] | None
    picture: tuple[int, int, int, int] | None
    intervals: tuple[SegmentInterval, ...]
    events: tuple[Event, ...]
    said: Annotations
    frames: pl.DataFrame
    summary: dict[str, Any]

    @property
    def stem(self) -> str:
        """For names of files."""
        return PurePath(self.name).stem

    @property
    def end_s(self) -> float:
        """When the last frame was taken: where the withdrawal stops."""
        return float(self.frames["time_s"][-1])


def read_content(result: str | Path) -> Content:
    """Of a result folder, as its newest version has it."""
    opened = open_result(result)
    if not opened.frames.height:
        raise HaustraError(f"{result} has no located frame: there is nothing to export")
    versions = history(opened.folder)
    said = versions[-1].annotations if versions else Annotations(FORMAT)
    recording = opened.summary.get("recording")
    known = recording if isinstance(recording, dict) else {}
    size = (known["width"], known["height"]) if "width" in known else None
    run = opened.summary.get("run")
    return Content(
        folder=opened.folder,
        name=str(known.get("name") or opened.summary.get("trajectory") or opened.folder.resolve().name),
        recording=run["recording"] if isinstance(run, dict) else "",
        version=len(versions),
        duration_s=float(known.get("duration_s") or opened.frames["time_s"][-1]),
        frame_rate=known.get("frame_rate"),
        size=size,
        picture=tuple(known["picture"]) if "picture" in known else None,
        intervals=_intervals(opened.folder / INTERVALS_FILE),
        events=_events(opened, said),
        said=said,
        frames=opened.frames,
        summary=opened.summary,
    )


def _intervals(source: Path) -> tuple[SegmentInterval, ...]:
    data = read_bytes(source, MOST_BYTES)
    try:
        table = with_formulas(pl.read_csv(data, schema=INTERVALS))
    except NOT_A_TABLE as error:
        raise HaustraError(f"{source} is not a table of segments: make the result again") from error
    rows = checked(table, _CHECKED, source, INTERVALS)
    return tuple(SegmentInterval(**row) for row in rows.iter_rows(named=True))


def _events(opened: Localization, said: Annotations) -> tuple[Event, ...]:
    found = _findings(opened, said)
    found += [Event(COMMENT, one.time_s or 0.0, one.text) for one in said.comments]
    found += [Event(one.kind, one.time_s, f"{one.kind} seen") for one in said.sightings]
    return tuple(sorted(found, key=lambda event: event.time_s))


def _findings(opened: Localization, said: Annotations) -> list[Event]:
    """Those of findings.csv that are some, in its order, with their places."""
    noted = {Finding(one.time_s, one.kind, size_mm=one.size_mm, note=one.note) for one in said.findings}
    given = stored_findings(opened.folder / FINDINGS)
    events = [one for one in events_of([*given, *noted], detected_biopsies(opened.frames)) if one.affected]
    rows = place_findings(events, opened.frames).iter_rows(named=True)
    found = []
    for event, row in zip(events, rows, strict=True):
        by_reader = replace(event, biopsied=False) in noted
        kind = FINDING if by_reader else BIOPSY if event.by == DETECTED else GIVEN_FINDING
        text = words_of(event.label, event.size_mm, event.note)
        found.append(Event(kind, event.time_s, text, row["segment"] or "", row["location_index"], event))
    return found


def words_of(label: str, size_mm: float | None, note: str) -> str:
    """`polyp, 4 mm: flat`; the size once, where the label has it already."""
    size = "" if size_mm is None or re.search(r"\d\s*mm", label) else f", {size_mm:g} mm"
    return f"{label}{size}" + (f": {note}" if note else "")
