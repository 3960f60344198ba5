"""The videos that an argument stands for, whole or as parts, and the id that each recording gets from where it lies."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePosixPath

from haustra.cohort.store import file_system
from haustra.core.addresses import folder_of, is_remote
from haustra.core.pictures import natural_key
from haustra.results.folder import OVERLAY
from haustra.results.table import FRAMES

# What Windows takes for a device, with any ending.
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})
VIDEOS = frozenset(
    {
        *(".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".wmv", ".asf", ".mpg", ".mpeg", ".m2v"),
        *(".vob", ".ts", ".mts", ".m2ts", ".mxf", ".ogv", ".dcm"),
    }
)
_MAGIC = re.compile(r"[*?\[]")

Steps = tuple[str, ...]  # folders from the root down, and a name


@dataclass(frozen=True)
class Found:
    """A video, and the folder below which it was found; None where it was named itself."""

    address: str
    below: str | None = None


def find_videos(given: str) -> list[Found]:
    """The videos that one argument stands for, sorted: a file, a pattern, or a folder with all folders below it."""
    if is_remote(given):
        return _find_remote(given)
    path = Path(given)
    if path.is_dir():
        return _only_videos(map(str, path.rglob("*")), given)
    if path.exists() or not _MAGIC.search(given):
        return [Found(given)]
    root = Path(path.anchor or ".")
    pattern = str(path.relative_to(root)) if path.anchor else given
    return _only_videos(map(str, root.glob(pattern)), _fixed(given))


def one_by_one(found: Sequence[Found]) -> Iterator[tuple[str, list[str]]]:
    """Each video as a recording of its own, with its id."""
    for name, video in zip(ids_of(found), found, strict=True):
        yield name, [video.address]


def by_folder(found: Sequence[Found]) -> Iterator[tuple[str, list[str]]]:
    """The videos of a folder as the parts of one recording, counted as a person would; the folder gives the id."""
    folders: dict[str, list[Found]] = {}
    for video in found:
        folders.setdefault(folder_of(video.address), []).append(video)
    places = [(_steps(folder), videos[0].below) for folder, videos in folders.items()]
    for name, videos in zip(_ids(places), folders.values(), strict=True):
        yield name, sorted((video.address for video in videos), key=lambda part: natural_key(PurePosixPath(part).name))


def ids_of(found: Sequence[Found]) -> list[str]:
    """The id of each of some videos, from where it lies."""
    return _ids([(_steps(video.address, named=True), video.below) for video in found])


def _ids(places: Sequence[tuple[Steps, str | None]]) -> list[str]:
    """Ids that tell the folders, too: `PatA/2.mpg` is PatA-2.

    What was found below a folder is named from there, what was named itself from the folder that all of these have in
    common. Where two are still the same, both are named from the folder that everything has in common.
    """
    alone = _common(place for place, below in places if not _is_below(place, below))
    whole = _common(place for place, _ in places)
    names = [
        _id(place, _steps(below) if below is not None and _is_below(place, below) else alone) for place, below in places
    ]
    counts = Counter(name.casefold() for name in names)
    return [
        name if counts[name.casefold()] == 1 else _id(place, whole)
        for name, (place, _) in zip(names, places, strict=True)
    ]


def _is_below(place: Steps, folder: str | None) -> bool:
    return folder is not None and place[: len(_steps(folder))] == _steps(folder)


def _id(place: Steps, root: Steps) -> str:
    return clean_id("-".join(place[len(root) :] or place[-1:]))


def clean_id(name: str) -> str:
    """What may stand in an id, which becomes a folder. Müller and Möller stay two, and so do names in other scripts.

    Letters lose their accents. Where that leaves letters that no id can have, a mark of the whole name follows.
    """
    composed = unicodedata.normalize("NFKC", name)  # some systems take names apart
    plain = "".join(one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))
    found = re.sub(r"[^A-Za-z0-9._-]+", "_", plain).lstrip("._-")[:100] or "recording"
    if any(one.isalnum() and not one.isascii() for one in plain):
        found = f"{found[:90].rstrip('._-')}-{hashlib.sha256(composed.encode('utf-8', 'replace')).hexdigest()[:6]}"
    stem = found.partition(".")[0]
    return f"{stem}_{found[len(stem) :]}"[:100] if stem.lower() in _DEVICES else found


def _common(places: Iterable[Steps]) -> Steps:
    """The folders that all of them have in common."""
    levels = zip(*(place[:-1] for place in places), strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))


def _steps(address: str, *, named: bool = False) -> Steps:
    """`named`: the last step is that of a file, and loses its ending."""
    path = PurePosixPath(address if is_remote(address) else Path(address).absolute().as_posix())
    return path.with_suffix("").parts if named else path.parts


def _find_remote(given: str) -> list[Found]:
    fs, path = file_system(given)
    names = fs.glob(path) if _MAGIC.search(path) else fs.find(path) if fs.isdir(path) else [path]
    found = [fs.unstrip_protocol(name) for name in names]
    if found == [fs.unstrip_protocol(path)]:
        return [Found(found[0])]
    return _only_videos(found, fs.unstrip_protocol(_fixed(path)))


def _fixed(pattern: str) -> str:
    """The folder above all that a pattern can match; a folder itself."""
    parts = PurePosixPath(pattern.replace("\\", "/")).parts
    magic = next((k for k, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
    return str(PurePosixPath(*parts[:magic]))


def _only_videos(paths: Iterable[str], below: str) -> list[Found]:
    """Overlays of results are no recordings, whatever folder they are found in."""
    shown = (
        path for path in paths if PurePosixPath(path).suffix.lower() in VIDEOS and PurePosixPath(path).name[0] != "."
    )
    return [Found(path, below) for path in sorted(shown) if is_remote(path) or not _is_result(Path(path))]


def _is_result(video: Path) -> bool:
    return video.name == OVERLAY and (video.parent / FRAMES[0]).exists()
