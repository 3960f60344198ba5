"""Versions of a reviewed result: every save is one more file in `versions/`; nothing is ever changed or removed.

    RESULT/versions/original/   the outputs as `haustra locate` wrote them
    RESULT/versions/0001.json   who saved what when, with all annotations as they were then

The outputs in the result folder are those of the newest version. Version 0 is the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from haustra.core.errors import HaustraError
from haustra.core.files import keep
from haustra.core.owned import files_below, refuse_links, remove, replacing_in
from haustra.core.records import as_record, read_record
from haustra.core.times import format_time
from haustra.core.vocabulary import SEGMENTS
from haustra.results.annotations import FORMAT, NAMES, START, STOP, Annotations, Line, NotedFinding, Sighting, Text

FOLDER, ORIGINAL, SUMMARY = "versions", "original", "summary.json"
SOMEBODY: Final = "a person"


class StaleVersionError(HaustraError):
    """Optimistic locking: somebody else saved in between, so what is to be saved was made from an older version."""


class Version(Struct, frozen=True, forbid_unknown_fields=True):
    """`parent` is the version it was made from (0: Haustra's own result), `changes` what differs from it, in words."""

    format: Literal["haustra-version-1"]
    number: Annotated[int, Meta(ge=1, le=9999)]
    parent: Annotated[int, Meta(ge=0, le=9999)]
    by: Line
    made: datetime
    changes: Annotated[tuple[Text, ...], Meta(max_length=100)]
    annotations: Annotations


def history(folder: Path) -> list[Version]:
    """All versions of a result, the oldest first; none where it was not reviewed."""
    found: list[Version] = []
    while (file := _file(folder, len(found) + 1)).is_file():
        found.append(_read(file))
    return found


def next_version(
    folder: Path, annotations: Annotations, *, by: str, newest: int | None = None, parent: int | None = None
) -> Version:
    """What `append` would save. Where `newest` is given and is no longer the newest version's number it is refused.

    `parent` is the newest version unless the reader began from another, such as 0 to read without seeing what others
    set.
    """
    versions = history(folder)
    if newest is not None and newest != len(versions):
        raise StaleVersionError(_stale(newest, versions))
    base = len(versions) if parent is None else parent
    before = versions[base - 1].annotations if base else Annotations(FORMAT)
    return Version(
        "haustra-version-1",
        number=len(versions) + 1,
        parent=base,
        by=as_record(by, Line, "the name of who says so"),
        made=datetime.now(UTC).replace(microsecond=0),
        changes=tuple(changes(before, annotations)),
        annotations=annotations,
    )


def append(folder: Path, version: Version) -> None:
    """Save one more version. The caller holds the folder (`results.folder.held`) since `next_version` made it."""
    with replacing_in(folder, _name(version.number)) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(version), indent=1) + b"\n")


def _stale(newest: int, versions: Sequence[Version]) -> str:
    if not versions:
        return f"there is no version {newest} of this result: reload it"
    last = versions[-1]
    return (
        f"version {last.number} was saved by {last.by or SOMEBODY} at {last.made:%Y-%m-%d %H:%M} UTC, "
        f"this was made from version {newest}: reload it and make the change again"
    )


def lineage(versions: Sequence[Version], number: int) -> list[Version]:
    """The versions that led to one, itself last."""
    found: list[Version] = []
    while number:
        found.insert(0, versions[number - 1])
        number = versions[number - 1].parent
    return found


def keep_original(folder: Path, names: Iterable[str]) -> None:
    """Before the first version changes them: the outputs of `haustra locate`, under another name.

    The summary comes last: where we are killed before it, the outputs themselves are still the original.
    """
    refuse_links(folder, f"{FOLDER}/{ORIGINAL}")
    for name in sorted(names, key=lambda name: name == SUMMARY):
        kept = folder / FOLDER / ORIGINAL / name
        if (folder / name).is_file() and not kept.exists():
            keep(folder / name, kept)


def remove_original(folder: Path) -> None:
    """Another run of `haustra locate` writes here: its outputs become the original."""
    for name in sorted(files_below(folder, f"{FOLDER}/{ORIGINAL}"), key=lambda name: name != SUMMARY):
        remove(folder, f"{FOLDER}/{ORIGINAL}/{name}")


def original(folder: Path) -> Path:
    """Where the outputs of `haustra locate` lie, reviewed or not."""
    kept = folder / FOLDER / ORIGINAL
    return kept if (kept / SUMMARY).is_file() else folder


def authors(versions: Sequence[Version]) -> dict[str, str]:
    """Who set each of the times of the newest version: the one who first saved it as it still is."""
    found: dict[str, str] = {}
    before: Mapping[str, float] = {}
    for version in lineage(versions, len(versions)):
        times = version.annotations.times_s
        found = {name: found[name] if before.get(name) == times[name] else version.by or SOMEBODY for name in times}
        before = times
    return found


def noted_by(versions: Sequence[Version]) -> dict[NotedFinding | Sighting, str]:
    """Who noted each finding and landmark of the newest version: the first one to save it as it is."""
    found: dict[NotedFinding | Sighting, str] = {}
    for version in lineage(versions, len(versions)):
        noted: list[NotedFinding | Sighting] = [*version.annotations.findings, *version.annotations.sightings]
        found = {one: found.get(one, version.by or SOMEBODY) for one in noted}
    return found


def changes(before: Annotations, after: Annotations) -> list[str]:
    """What differs, in words."""
    said = [_moved(name, before.times_s.get(name), after.times_s.get(name)) for name in NAMES]
    said += [_places(before, after)]
    for what, old, new in (
        ("landmark", before.sightings, after.sightings),
        ("finding", before.findings, after.findings),
        ("comment", before.comments, after.comments),
    ):
        said += [_counted("added", what, set(new) - set(old)), _counted("removed", what, set(old) - set(new))]
    if before.reviewed != after.reviewed:
        said.append("reviewed" if after.reviewed else "no longer reviewed")
    return [line for line in said if line]


def _moved(name: str, before_s: float | None, after_s: float | None) -> str:
    if before_s == after_s:
        return ""
    what = {START: "start", STOP: "end"}.get(name, f"{name} entered")
    if after_s is None:
        return f"{what} left to Haustra"
    was = "" if before_s is None else f" (was {format_time(before_s)})"
    return f"{what} {format_time(after_s)}{was}"


def _places(before: Annotations, after: Annotations) -> str:
    if (before.begins, before.ends) == (after.begins, after.ends):
        return ""
    begins = SEGMENTS[0] if after.begins is None else after.begins
    return f"shows {begins} to {SEGMENTS[-1] if after.ends is None else after.ends}"


def _counted(verb: str, what: str, entries: set[Any]) -> str:
    return f"{len(entries)} {what}{'s' if len(entries) > 1 else ''} {verb}" if entries else ""


def _file(folder: Path, number: int) -> Path:
    return folder / _name(number)


def _name(number: int) -> str:
    return f"{FOLDER}/{number:04d}.json"


def _read(file: Path) -> Version:
    version = read_record(file, Version)
    if version.number != int(file.stem) or version.parent >= version.number:
        raise HaustraError(
            f"{file} is not a version: its number is {version.number}, and it was made from {version.parent}"
        )
    return version
