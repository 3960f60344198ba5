"""annotations.json: what a reviewer says about a recording: times of the segments, landmarks, findings, comments.

The one reader of such files and of what the review page sends. Everything in them is data: checked against the types
and bounds below, never run, never taken for a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from haustra.core.errors import HaustraError
from haustra.core.files import read_bytes
from haustra.core.records import as_record, decode_record
from haustra.core.times import MOST_S, seconds_of
from haustra.core.vocabulary import BOUNDARIES, FLEXURES, SEGMENTS

FORMAT: Final = "haustra-annotations-1"
# Marks a file that holds nothing but times: it leaves findings and comments as they are instead of emptying them.
TIMES: Final = "times"
START, STOP = SEGMENTS[0], "stop"
# The seven times of a withdrawal, in their order: entering each segment, and the stop (paper, fig:template).
NAMES: Final = (*SEGMENTS, STOP)
MOST_BYTES: Final = 4_000_000

Seconds = Annotated[float, Meta(ge=0, le=MOST_S)]
Line = Annotated[str, Meta(max_length=100)]
Text = Annotated[str, Meta(max_length=2000)]
# A segment, or a location index.
Place = Literal[SEGMENTS] | Annotated[float, Meta(ge=0, le=1)]  # type: ignore[valid-type]


class Sighting(Struct, frozen=True, forbid_unknown_fields=True):
    """A landmark that was seen, at one moment."""

    kind: Literal["cecum", "retroflexion"]
    time_s: Seconds


class NotedFinding(Struct, frozen=True, forbid_unknown_fields=True):
    """A finding that a reader noted."""

    kind: Annotated[str, Meta(min_length=1, max_length=60)]
    time_s: Seconds
    size_mm: Annotated[float, Meta(gt=0, le=500)] | None = None
    note: Text = ""


class Comment(Struct, frozen=True, forbid_unknown_fields=True):
    """About a moment, or about the whole recording."""

    text: Annotated[str, Meta(min_length=1, max_length=2000)]
    time_s: Seconds | None = None


class Annotations(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`times_s` has those of the seven times that a person set; the others are left to Haustra.

    `recording` is the digest of the recording they belong to and `version` the number of the version of its result that
    they were made from, where these are known. `begins` and `ends` say where a recording of a part begins and ends, as
    `locate --from --to`. `reviewed`: the reader has looked at everything and accepts what was not changed.
    """

    format: Literal["haustra-annotations-1", "times"]
    recording: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")] = ""
    version: Annotated[int, Meta(ge=0, le=9999)] | None = None
    by: Line = ""
    times_s: dict[str, Seconds] = {}
    begins: Place | None = None
    ends: Place | None = None
    sightings: Annotated[tuple[Sighting, ...], Meta(max_length=200)] = ()
    findings: Annotated[tuple[NotedFinding, ...], Meta(max_length=2000)] = ()
    comments: Annotated[tuple[Comment, ...], Meta(max_length=2000)] = ()
    reviewed: bool = False

    def __post_init__(self) -> None:
        unknown = [name for name in self.times_s if name not in NAMES]
        if unknown:
            raise ValueError(f"'{unknown[0]}' is not a time of a withdrawal: choose from {', '.join(NAMES)}")
        times = [self.times_s[name] for name in NAMES if name in self.times_s]
        if times != sorted(times) or (START in self.times_s and self.times_s.get(STOP) == self.times_s[START]):
            raise ValueError(f"the times must not decrease from {NAMES[0]} to {NAMES[-1]}")

    @property
    def boundaries_s(self) -> dict[int, float]:
        """The moments set for boundaries, by their numbers."""
        return {one.number: self.times_s[one.entered] for one in BOUNDARIES if one.entered in self.times_s}


def read_annotations_file(source: Path) -> Annotations:
    """Our format, or only times by name, or the seven times as a list; bare or under `times_s`."""
    return parse_annotations(read_bytes(source, MOST_BYTES), str(source))


def parse_annotations(data: bytes, source: str) -> Annotations:
    """As above, from bytes; `source` is what an error names."""
    if len(data) > MOST_BYTES:
        raise HaustraError(f"{source} is larger than {MOST_BYTES // 1_000_000} MB: not an annotations file")
    value: Any = decode_record(data, object, source)
    ours = isinstance(value, dict) and value.get("format", TIMES) != TIMES
    return as_record(value if ours else {"format": TIMES, "times_s": _times(value, source)}, Annotations, source)


def _times(value: Any, source: str) -> dict[str, float]:
    """Times by name out of a file that holds nothing else."""
    value = value.get("times_s", value) if isinstance(value, dict) else value
    if isinstance(value, list) and len(value) == len(NAMES):
        value = dict(zip(NAMES, value, strict=True))
    if not isinstance(value, Mapping) or not value:
        raise HaustraError(f"{source} holds no times: write an object with some of {', '.join((*NAMES, *FLEXURES))}")
    times: dict[str, float] = {}
    for name, time in value.items():
        own = FLEXURES.get(name, name)
        if own not in NAMES:
            raise HaustraError(f"{source}: '{name}' is not a landmark: choose from {', '.join((*NAMES, *FLEXURES))}")
        if own in times:
            raise HaustraError(f"{source}: {name} is given twice, as {own} too: leave one")
        times[own] = _seconds(time, source)
    return times


def _seconds(entry: Any, source: str) -> float:
    try:
        return seconds_of(entry)
    except HaustraError as error:
        raise HaustraError(f"{source}: {error}") from error


def to_json(annotations: Annotations) -> bytes:
    """As it is written to a file: indented, for people."""
    return msgspec.json.format(msgspec.json.encode(annotations), indent=2) + b"\n"
