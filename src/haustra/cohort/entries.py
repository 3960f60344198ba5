"""The recordings of a cohort, each under an id: found in folders, by patterns, or listed in tables."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from haustra.cohort.manifest import TABLES, read_manifest
from haustra.cohort.store import READERS, file_system, is_file, read_address
from haustra.core.addresses import STORES, folder_of, is_remote, relative_to, scheme_of
from haustra.core.errors import HaustraError
from haustra.options import (
    COHORT_DEFAULTS,
    OPTIONS_FILE,
    RECORDING_OPTIONS,
    anchored,
    check_options,
    parse_options_file,
)
from haustra.results.folder import OVERLAY
from haustra.results.table import FRAMES

BESIDE = ("annotations", "findings")  # files beside a recording that `locate` does not read
COLUMNS = ("id", "video", *RECORDING_OPTIONS, *BESIDE)
VIDEOS = frozenset(
    {
        *(".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".wmv", ".asf", ".mpg", ".mpeg", ".m2v"),
        *(".vob", ".ts", ".mts", ".m2ts", ".mxf", ".ogv", ".dcm"),
    }
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_MAGIC = re.compile(r"[*?\[]")

log = logging.getLogger("haustra")


@dataclass(frozen=True)
class Entry:
    """A recording: `id` names it in every output. `options` are those of `locate`, `beside` addresses of its files.

    Options are as a user wrote them, addresses made absolute: a mistake in one is the failure of this recording alone.
    """

    id: str
    video: str
    options: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)


def find_entries(
    inputs: Sequence[str], out: str, common: Mapping[str, Any] | None = None, allow_schemes: Sequence[str] = ()
) -> list[Entry]:
    """Every recording of the inputs with its options; ids are unique.

    An option is taken from the recording's row of a table, else from `common`, else from the haustra.toml beside the
    recording. Addresses in these files are those of object stores, or of schemes that the inputs have, too, or that
    are allowed.
    """
    allowed = STORES | {scheme.lower() for scheme in allow_schemes} | {scheme_of(given) for given in (*inputs, out)}
    check_options(common or {})  # a mistake in what holds for all recordings stops the command
    listed: list[Entry] = []
    videos: list[str] = []
    for given in inputs:
        if _suffix(given) in TABLES:
            listed += [_listed(row, given) for row in read_manifest(given, COLUMNS)]
        else:
            videos += [video for video in _videos(given) if not _inside(video, out)]
    named = listed + [Entry(name, absolute(video)) for name, video in zip(_ids(videos), videos, strict=True)]
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
        addresses = [entry.video, *entry.beside.values(), *(str(file) for files in named for file in files)]
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


def _listed(row: Mapping[str, str], source: str) -> Entry:
    video = row.get("video", "")
    if not video:
        raise HaustraError(f"{source}: the row {dict(row)} names no video: the column 'video' is needed in every row")
    name = row.get("id") or _clean(_stem(video))
    if not _ID.fullmatch(name):
        raise HaustraError(f"{source}: the id '{name}' is not possible: letters, digits, '.', '_' and '-', at most 100")
    folder = folder_of(source)
    options = anchored({key: row[key] for key in RECORDING_OPTIONS if key in row}, folder)
    beside = {key: relative_to(folder, row[key]) for key in BESIDE if key in row}
    return Entry(name, relative_to(folder, video), options, beside)


def _videos(given: str) -> list[str]:
    """The videos that one argument stands for, sorted: a file, a pattern, or a folder with all folders below it."""
    if is_remote(given):
        fs, path = file_system(given)
        names = fs.glob(path) if _MAGIC.search(path) else fs.find(path) if fs.isdir(path) else [path]
        found = [fs.unstrip_protocol(name) for name in names]
        return found if found == [fs.unstrip_protocol(path)] else _only_videos(found)
    path_given = Path(given)
    if path_given.is_dir():
        return _only_videos(map(str, path_given.rglob("*")))
    if path_given.exists() or not _MAGIC.search(given):
        return [given]
    root = Path(path_given.anchor or ".")
    pattern = str(path_given.relative_to(root)) if path_given.anchor else given
    return _only_videos(map(str, root.glob(pattern)))


def _only_videos(paths: Iterable[str]) -> list[str]:
    """Overlays of results are no recordings, whatever folder they are found in."""
    shown = (path for path in paths if _suffix(path) in VIDEOS and not PurePosixPath(path).name.startswith("."))
    return sorted(path for path in shown if is_remote(path) or not _is_result(Path(path)))


def _is_result(video: Path) -> bool:
    return video.name == OVERLAY and (video.parent / FRAMES[0]).exists()


def _inside(video: str, out: str) -> bool:
    if is_remote(video) or is_remote(out):
        return video.startswith(out.rstrip("/") + "/")
    return Path(video).absolute().is_relative_to(Path(out).absolute())


def _ids(videos: Sequence[str]) -> list[str]:
    """File names without their endings; where two are the same, the folders around them too."""
    counts = Counter(_clean(_stem(video)).casefold() for video in videos)
    return [
        name if counts[name.casefold()] == 1 else _clean("-".join(PurePosixPath(video).with_suffix("").parts[-3:]))
        for video in videos
        for name in [_clean(_stem(video))]
    ]


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


def _clean(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).lstrip("._-")[:100] or "recording"


def _stem(address: str) -> str:
    return PurePosixPath(address.replace("\\", "/")).stem


def _suffix(address: str) -> str:
    return PurePosixPath(address).suffix.lower()
