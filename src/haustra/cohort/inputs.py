"""The files of a recording under its id: linked or fetched into scratch, so that no output can tell their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from haustra.cohort.entries import Entry
from haustra.cohort.store import fetch, file_system, is_remote
from haustra.errors import HaustraError
from haustra.run import file_digest

_OPTION_FILES = ("camera", "template", "motion", "quality")


@dataclass(frozen=True)
class Staged:
    """Local paths: the video is named by the recording's id."""

    video: Path
    options: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Stamp:
    """What a file looks like from outside; `proves` where it follows from the contents (an object store's ETag)."""

    mark: str
    proves: bool = False


def staged(entry: Entry, scratch: Path) -> Staged:
    video = scratch / f"{entry.id}{_suffix(entry.video)}"
    fetch(entry.video, video)
    options = dict(entry.options)
    for name in _OPTION_FILES:
        if is_remote(options.get(name, "")):
            local = scratch / f"{name}{_suffix(options[name])}"
            fetch(options[name], local)
            options[name] = str(local)
    beside = {}
    for name, address in entry.beside.items():
        beside[name] = scratch / f"{entry.id}-{name}{_suffix(address)}"
        fetch(address, beside[name])
    return Staged(video, options, beside)


def stamp_of(address: str) -> Stamp:
    """Size and date of a local file, the ETag of an object; a file that is not there has a stamp of its own."""
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


def contents_of(value: str) -> str:
    """Names the contents of a small file that an option gives; nothing for a word such as `lite`."""
    if is_remote(value):
        return stamp_of(value).mark
    return file_digest(Path(value)) if Path(value).is_file() else ""


def _suffix(address: str) -> str:
    return PurePosixPath(address.replace("\\", "/")).suffix.lower()
