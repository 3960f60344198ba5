"""Who may read what is written: the user alone, unless results are shared (`--share`) or made from shared ones."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_SHARED: ContextVar[bool] = ContextVar("shared", default=False)


@contextmanager
def sharing(on: bool) -> Iterator[None]:
    """What is written meanwhile gets the modes that the umask allows, rather than those for the user alone."""
    token = _SHARED.set(on)
    try:
        yield
    finally:
        _SHARED.reset(token)


def is_shared(file: Path) -> bool:
    """Whether others than its owner may read a file."""
    try:
        return bool(file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def file_mode() -> int:
    """The mode of a new file."""
    return (0o666 if _SHARED.get() else 0o600) & ~_umask()


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(0o777 if _SHARED.get() else 0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(20, "not a folder", str(folder))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
