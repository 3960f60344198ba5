"""The recordings of a cohort, each under an id: found in folders, by patterns, or listed in tables."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from haustra.cohort.manifest import read_manifest
from haustra.cohort.store import READERS, is_file, read_address
from haustra.cohort.videos import Found, by_folder, find_videos, ids_of, one_by_one
from haustra.core.addresses import STORES, folder_of, is_remote, relative_to, scheme_of
from haustra.core.errors import HaustraError
from haustra.core.option import parse_id
from haustra.core.spreadsheets import SUFFIXES as TABLES
from haustra.options import (
    COHORT_DEFAULTS,
    OPTIONS_FILE,
    RECORDING_OPTIONS,
    anchored,
    check_options,
    parse_options_file,
)

BESIDE = ("annotations",)  # files beside a recording that `locate` does not read
COLUMNS = ("id", "video", *RECORDING_OPTIONS, *BESIDE)

log = logging.getLogger("haustra")


@dataclass(frozen=True)
class Entry:
    """A recording: `id` names it in every output. `options` are those of `locate`, `beside` addresses of its files.

    `video` is its file, or the first of its parts, which `further_parts` follow. Options are as a user wrote them,
    addresses made absolute: a mistake in one is the failure of this recording alone.
    """

    id: str
    video: str
    options: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    further_parts: tuple[str, ...] = ()

    @property
    def videos(self) -> tuple[str, ...]:
        """The parts in their order, or the one video."""
        return self.video, *self.further_parts


def find_entries(
    inputs: Sequence[str],
    out: str,
    common: Mapping[str, Any] | None = None,
    allow_schemes: Sequence[str] = (),
    *,
    parts: bool = False,
) -> list[Entry]:
    """Every recording of the inputs with its options; ids are unique.

    With `parts`, the videos that are found in one folder are the parts of one recording.

    An option is taken from the recording's row of a table, else from `common`, else from the haustra.toml beside the
    recording. Addresses in these files are those of object stores, or of schemes that the inputs have, too, or that
    are allowed.
    """
    allowed = STORES | {scheme.lower() for scheme in allow_schemes} | {scheme_of(given) for given in (*inputs, out)}
    check_options(common or {})  # a mistake in what holds for all recordings stops the command
    listed: list[Entry] = []
    found: list[Found] = []
    for given in inputs:
        if _suffix(given) in TABLES:
            listed += _listed(read_manifest(given, COLUMNS), given)
        else:
            found += [video for video in find_videos(given) if not _inside(video.address, out)]
    named = listed + [
        Entry(name, absolute(first), further_parts=tuple(map(absolute, further)))
        for name, (first, *further) in (by_folder(found) if parts else one_by_one(found))
    ]
    if not named:
        raise HaustraError(f"no recording was found in {', '.join(inputs)}: give videos, a folder or a table")
    _check_unique(named)
    _check_schemes(listed, allowed)
    shared = anchored(common or {}, str(Path.cwd()))
    files = _options_files({folder_of(entry.video) for entry in named})
    _check_schemes([Entry(folder, "", found) for folder, found in files.items()], allowed)
    return [
        replace(entry, options={**COHORT_DEFAULTS, **files[folder_of(entry.video)], **shared, **entry.options})
        for entry in named
    ]


def _check_schemes(entries: Iterable[Entry], allowed: Collection[str | None]) -> None:
    """Refuse what a file would open on the user's behalf that is no object store."""
    for entry in entries:
        named = (RECORDING_OPTIONS[name].files_in(value) for name, value in entry.options.items())
        addresses = [*entry.videos, *entry.beside.values(), *(str(file) for files in named for file in files)]
        for scheme in map(scheme_of, addresses):
            if scheme is not None and scheme not in allowed:
                raise HaustraError(
                    f"{entry.id}: {scheme}:// is not opened for a table or haustra.toml, only "
                    f"{', '.join(sorted(STORES))}: give --allow-scheme {scheme} if that is meant"
                )


def _options_files(folders: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The options of the haustra.toml in each folder; an object store answers many questions at once."""
    with ThreadPoolExecutor(READERS) as pool:
        return dict(pool.map(lambda folder: (folder, _options_file(folder)), sorted(folders)))


def _options_file(folder: str) -> dict[str, Any]:
    source = relative_to(folder, OPTIONS_FILE)
    if not is_file(source):
        return {}
    found = parse_options_file(read_address(source), source)
    log.info("from %s: %s", source, ", ".join(f"{name} = {value}" for name, value in found.items()))
    return anchored(found, folder)


def _listed(rows: Sequence[Mapping[str, str]], source: str) -> list[Entry]:
    """The recordings of a table; those without an id get one from where they lie."""
    folder = folder_of(source)
    entries = [_row_entry(row, source, folder) for row in rows]
    nameless = [k for k, entry in enumerate(entries) if not entry.id]
    for k, name in zip(nameless, ids_of([Found(entries[k].video, folder) for k in nameless]), strict=True):
        entries[k] = replace(entries[k], id=name)
    return entries


def _row_entry(row: Mapping[str, str], source: str, folder: str) -> Entry:
    video, *further = _parts(row.get("video", ""), folder) or [""]
    if not video:
        raise HaustraError(f"{source}: the row {dict(row)} names no video: the column 'video' is needed in every row")
    name = row.get("id", "")
    if name:
        try:
            parse_id(name)
        except HaustraError as error:
            raise HaustraError(f"{source}: {error}") from error
    options = anchored({key: row[key] for key in RECORDING_OPTIONS if key in row}, folder)
    beside = {key: relative_to(folder, row[key]) for key in BESIDE if key in row}
    return Entry(name, video, options, beside, tuple(further))


def _parts(cell: str, folder: str) -> list[str]:
    """What a cell names: one video, or several with semicolons between them, the parts of one recording."""
    whole = relative_to(folder, cell)
    if ";" in cell and not is_remote(whole) and is_file(whole):  # a name with a semicolon
        return [whole]
    return [relative_to(folder, part.strip()) for part in cell.split(";") if part.strip()]


def _inside(video: str, out: str) -> bool:
    if is_remote(video) or is_remote(out):
        return video.startswith(out.rstrip("/") + "/")
    return Path(video).absolute().is_relative_to(Path(out).absolute())


def _check_unique(entries: Sequence[Entry]) -> None:
    """Ids become folders, and some systems take A and a for the same."""
    seen: dict[str, Entry] = {}
    for entry in entries:
        other = seen.setdefault(entry.id.casefold(), entry)
        if other is not entry:
            raise HaustraError(
                f"{other.video} and {entry.video} would both be '{entry.id}': give each an id of its own in a table"
            )


def absolute(address: str) -> str:
    """Workers have another working folder."""
    return address if is_remote(address) else str(Path(address).absolute())


def _suffix(address: str) -> str:
    return PurePosixPath(address).suffix.lower()
