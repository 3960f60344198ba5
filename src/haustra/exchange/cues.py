"""Lines for a player to show: the segment all the time, and what was found for a few seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from haustra.exchange.content import COMMENT, FINDING, GIVEN_FINDING, Content, Event, SegmentInterval

SHOWN_S: Final = 4.0


@dataclass(frozen=True)
class Cue:
    """One line of subtitles."""

    start_s: float
    end_s: float
    text: str


def cues_of(content: Content) -> list[Cue]:
    """In the order of time; each text is one line."""
    found = [Cue(one.start_s, one.end_s, _segment(one)) for one in content.intervals]
    found += [Cue(one.start_s, max(one.start_s + SHOWN_S, one.end_s), _line(_event(one))) for one in content.events]
    return sorted(found, key=lambda cue: (cue.start_s, cue.end_s))


def clock(time_s: float, point: str) -> str:
    """`HH:MM:SS.mmm` with the format's own sign for the point."""
    milliseconds = round(time_s * 1000)
    seconds, milliseconds = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{point}{milliseconds:03d}"


def _segment(interval: SegmentInterval) -> str:
    sure = "" if interval.probability is None else f" ({100 * interval.probability:.0f} %)"
    return f"{interval.segment.capitalize()}{', re-entered' if interval.re_entered else ''}{sure}"


def _event(event: Event) -> str:
    before = {FINDING: "Finding: ", GIVEN_FINDING: "Finding: ", COMMENT: "Comment: "}.get(event.kind, "")
    return before + event.text if before else event.text.capitalize()


def _line(text: str) -> str:
    return " ".join(text.split())
