"""Corrections out of a file that another program changed: only what differs from the result was set by a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from msgspec import ValidationError, convert, structs, to_builtins

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS, UNSURE, segment_name, segment_number
from haustra.exchange.content import Content, words_of
from haustra.results.annotations import START, STOP, Annotations, Comment, NotedFinding

# Files of other programs have whole milliseconds, our tables six digits: a smaller difference is none.
SAME_S: Final = 0.0015
# Where one segment ends and the next begins is one boundary, to the tenth of a second that a person types.
MEET_S: Final = 0.1


@dataclass(frozen=True)
class ReadBack:
    """Intervals as (segment, start, end), and what readers noted; None where the file has no place for that.

    `recording` and `version` are those of the result it was exported from, where the file knows.
    """

    intervals: tuple[tuple[str, float, float], ...]
    findings: tuple[NotedFinding, ...] | None = None
    comments: tuple[Comment, ...] | None = None
    recording: str = ""
    version: int | None = None


def corrections_in(read: ReadBack, content: Content, source: str) -> Annotations:
    """What was said before, with what the file says otherwise."""
    if not read.intervals:
        raise HaustraError(f"{source} has no interval in a segment: keep those that were exported, and move their ends")
    unknown = [name for name, _, _ in read.intervals if name not in (*SEGMENTS, UNSURE)]
    if unknown:
        raise HaustraError(f"{source}: '{unknown[0]}' is no segment: choose of {', '.join(SEGMENTS)}")
    moved = _moved(_own_intervals(content), read.intervals, content, source)
    times = dict(content.said.times_s) | moved
    return _checked(
        structs.replace(
            content.said,
            recording=read.recording,
            version=read.version,
            by="",
            times_s={name: times[name] for name in (*SEGMENTS, STOP) if name in times},
            findings=content.said.findings if read.findings is None else _findings(read.findings, content),
            comments=content.said.comments if read.comments is None else _comments(read.comments, content),
        ),
        source,
    )


def _findings(read: Sequence[NotedFinding], content: Content) -> tuple[NotedFinding, ...]:
    """What still has its words and its time is what it was: words alone do not tell a note from a kind."""
    known = {(words_of(one.kind, one.size_mm, one.note), round(one.time_s, 3)): one for one in content.said.findings}
    return tuple(known.get((words_of(one.kind, one.size_mm, one.note), round(one.time_s, 3)), one) for one in read)


def _comments(read: Sequence[Comment], content: Content) -> tuple[Comment, ...]:
    """A comment about the whole recording was written at its start."""
    whole = {one.text for one in content.said.comments if one.time_s is None}
    return tuple(Comment(one.text) if one.text in whole and not one.time_s else one for one in read)


def _checked(annotations: Annotations, source: str) -> Annotations:
    """`structs.replace` checks nothing: the values went around the types."""
    try:
        return convert(to_builtins(annotations), Annotations)
    except ValidationError as error:
        raise HaustraError(f"{source}: {error}") from error


def _own_intervals(content: Content) -> list[tuple[str, float, float]]:
    return [(one.segment, one.start_s, one.end_s) for one in content.intervals]


def _moved(
    before: Iterable[tuple[str, float, float]],
    after: Iterable[tuple[str, float, float]],
    content: Content,
    source: str,
) -> dict[str, float]:
    """The times that a person moved. A boundary has two ends in a file, and it is enough to move one of them."""
    was, now = _edges(before, content), _edges(after, content)
    gone = [name for name in was if name not in now]
    more = [name for name in now if name not in was]
    if gone or more:
        which = f"{gone[0]} is missing" if gone else f"{more[0]} is new"
        raise HaustraError(f"{source}: {which}. Segments can be moved, not removed or added at the ends")
    moved = {}
    for name, (ended_s, began_s) in now.items():
        new = [at for at, old in zip((began_s, ended_s), reversed(was[name]), strict=True) if abs(at - old) > SAME_S]
        if new and max(new) - min(new) > MEET_S:
            raise HaustraError(
                f"{source}: {name} begins at {began_s:.1f} s, but the interval before it ends at {ended_s:.1f} s: "
                "let them meet"
            )
        if new:
            moved[name] = round(new[0], 3)
    return moved


def _edges(intervals: Iterable[tuple[str, float, float]], content: Content) -> dict[str, tuple[float, float]]:
    """The times of a withdrawal that intervals tell, as the end of what was before and the begin of what comes: its
    start, when each segment was first reached, and its stop."""
    ordered = sorted(intervals, key=lambda interval: interval[1])
    if not ordered:
        raise HaustraError(f"{content.folder} names no segments: there are no boundaries to correct")
    # The last interval ends when its last frame does, the withdrawal when that frame was taken.
    lasts_s = max(one.end_s for one in content.intervals) - content.end_s
    start_s, stop_s = ordered[0][1], max(end_s for _, _, end_s in ordered) - lasts_s
    return {START: (start_s, start_s), **_entered(ordered), STOP: (stop_s, stop_s)}


def _entered(ordered: Sequence[tuple[str, float, float]]) -> dict[str, tuple[float, float]]:
    """Where each segment behind the first one was first reached, or passed over."""
    found: dict[str, tuple[float, float]] = {}
    reached = segment_number(ordered[0][0])
    for (_, _, ended_s), (name, began_s, _) in pairwise(ordered):
        for number in range(reached + 1, segment_number(name) + 1):
            found[segment_name(number)] = (ended_s, began_s)
        reached = max(reached, segment_number(name))
    return found
