"""The files of a recording, linked or fetched into a scratch folder under neutral names: no output shows theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from haustra.cohort.entries import Entry
from haustra.cohort.store import fetch, file_system
from haustra.core.addresses import is_remote, names_of
from haustra.core.errors import HaustraError
from haustra.options import RECORDING_OPTIONS
from haustra.results.run import file_digest


@dataclass(frozen=True)
class Staged:
    """Local paths: the video, or each part of it, is named by the recording's id."""

    videos: tuple[Path, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Stamp:
    """Identifies a file without reading it; `proves` where it follows from the contents (an object store's ETag)."""

    mark: str
    proves: bool = False


def staged(entry: Entry, scratch: Path) -> Staged:
    """Every file that the entry names, at hand in `scratch`."""
    named = zip(names_of(entry.videos, entry.id), entry.videos, strict=True)
    videos = tuple(Path(_fetched(scratch, name, video)) for name, video in named)
    options = {
        name: RECORDING_OPTIONS[name].with_files(value, partial(_fetched, scratch, name))
        for name, value in entry.options.items()
    }
    beside = {name: Path(_fetched(scratch, name, address)) for name, address in entry.beside.items()}
    return Staged(videos, options, beside)


def _fetched(scratch: Path, name: str, address: str) -> str:
    target = scratch / f"{name}{_suffix(address)}"
    if target.exists():  # an option may name several files
        target = scratch / f"{name}-{len(list(scratch.iterdir()))}{_suffix(address)}"
    fetch(address, target)
    return str(target)


def stamp_of(entry: Entry) -> Stamp:
    """Of all files of the recording itself."""
    stamps = [_file_stamp(video) for video in entry.videos]
    return Stamp("; ".join(stamp.mark for stamp in stamps), all(stamp.proves for stamp in stamps))


def _file_stamp(address: str) -> Stamp:
    """Size and date of a local file, the ETag of an object; a missing file has a stamp of its own."""
    try:
        if is_remote(address):
            fs, path = file_system(address)
            known = fs.info(path)
            tag = known.get("ETag") or known.get("etag")
            return Stamp(f"{known.get('size')} {tag or known.get('LastModified')}", proves=bool(tag))
        local = Path(address)
        files = sorted(local.iterdir()) if local.is_dir() else [local]
        marks = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
        return Stamp(" ".join(f"{size} {changed}" for _, size, changed in marks))
    except HaustraError:
        raise
    except Exception:  # each store has errors of its own for what is missing or forbidden
        return Stamp("missing")


def contents_of(address: str) -> str:
    """Names the contents of a small file; nothing where it is missing."""
    if is_remote(address):
        return _file_stamp(address).mark
    return file_digest(Path(address)) if Path(address).is_file() else ""


def _suffix(address: str) -> str:
    return PurePosixPath(address.replace("\\", "/")).suffix.lower()
