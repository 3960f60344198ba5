"""Addresses of files as users write them: local paths, or anything that fsspec can address (s3://bucket/file)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from haustra.core.errors import HaustraError

VideoPaths: TypeAlias = str | Path | Sequence[str | Path]  # a recording, or the parts of one in their order

# Object stores. A table or haustra.toml may come from somebody else: it opens nothing else unless a user says so.
STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"})


def is_remote(address: str) -> bool:
    """Whether an address is a URL rather than a local path."""
    return "://" in address


def scheme_of(address: str) -> str | None:
    """What stands before ://, None for a local path."""
    return address.partition("://")[0].lower() if is_remote(address) else None


def relative_to(folder: str, address: str) -> str:
    """`address` as seen from `folder`, which may be remote itself; absolute and remote addresses stay as they are."""
    if is_remote(address) or Path(address).is_absolute():
        return address
    return f"{folder.rstrip('/')}/{address}" if is_remote(folder) else str(Path(folder, address))


def folder_of(address: str) -> str:
    """Where a file lies, local or remote."""
    return address.rpartition("/")[0] if is_remote(address) else str(Path(address).absolute().parent)


def names_of(files: Sequence[str], recording: str) -> list[str]:
    """What stands for the files of a recording in every output: its id, numbered where it is in parts."""
    return [recording] if len(files) == 1 else [f"{recording}-{n}" for n in range(1, len(files) + 1)]


def shown_name(path: Path) -> str:
    """The name of a file as text that every output can hold: on disk it need not be UTF-8."""
    return path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def paths_of(video: VideoPaths) -> tuple[Path, ...]:
    """The file or folder of a recording, or those of its parts."""
    paths = (Path(video),) if isinstance(video, str | Path) else tuple(Path(part) for part in video)
    if not paths:
        raise HaustraError("no recording was given: name a video, or the parts of one in their order")
    return paths
