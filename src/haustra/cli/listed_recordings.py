"""The recordings that one argument stands for: a video, a folder of them, a table, or folders of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haustra.cohort.entries import find_entries
from haustra.cohort.videos import find_videos
from haustra.core.errors import HaustraError
from haustra.core.files import is_hidden
from haustra.core.pictures import is_picture
from haustra.core.spreadsheets import SUFFIXES as TABLES

if TYPE_CHECKING:
    from haustra.lab.training.motion.own_recordings import Listed


def listed_recordings(data: Path, out: Path, given: Mapping[str, Any]) -> list[Listed] | None:
    """Name, files and options of each; `given` holds for all. None where `data` holds frame pairs that are ready."""
    if not data.exists():
        raise HaustraError(f"no such file or folder: {data}")
    if data.is_dir() and any(data.rglob("shard.json")):
        return None
    known = {name: value for name, value in given.items() if value is not None}
    if folders := _picture_folders(data):
        return [("-".join(one.relative_to(data).parts) or data.name, (str(one),), known) for one in folders]
    return [(entry.id, entry.videos, entry.options) for entry in find_entries([str(data)], str(out), known)]


def _picture_folders(data: Path) -> list[Path]:
    """Folders of pictures, where there is no video and no table."""
    if data.suffix.lower() in TABLES or not data.is_dir() or find_videos(str(data)):
        return []
    pictures = (path for path in data.rglob("*") if is_picture(path))
    return sorted({path.parent for path in pictures if not is_hidden(path.relative_to(data))})
