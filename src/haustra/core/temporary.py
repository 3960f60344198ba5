"""Temporary files and folders that hold their own lock: what a killed process left behind is told from what is in use.

They are gone at exit and at a signal that ends a command; what `kill -9` or a loss of power leaves is removed by the
next start in the same folder (`sweep`). A name alone proves nothing: only what nobody holds a lock on is removed.
Where the file system knows no locks nothing is.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from haustra.core.locks import lock

PREFIX = ".haustra-"
_OURS = re.compile(r"\.haustra-[a-z0-9_]{8}(\.\w+)?", re.ASCII)
_LOCK = ".lock"
# A folder gets its lock right after it was made.
_NEWBORN_S = 60.0
_CLOSED_TO_RENAME = os.name == "nt"  # Windows renames no file that is open


def is_temporary(name: str) -> bool:
    """Whether a file or folder of this name is one of these."""
    return _OURS.fullmatch(name) is not None


@contextmanager
def temporary_file(folder: Path, suffix: str) -> Iterator[Path]:
    """An empty file in `folder` that only we hold, removed at the end unless it was renamed."""
    handle, path = _made(folder, suffix)
    try:
        if _CLOSED_TO_RENAME:
            os.close(handle)
        yield path
    finally:
        path.unlink(missing_ok=True)
        if not _CLOSED_TO_RENAME:
            os.close(handle)


def _made(folder: Path, suffix: str) -> tuple[int, Path]:
    """A new file with our lock; another one where a sweep took it before we had the lock."""
    while True:
        handle, name = tempfile.mkstemp(prefix=PREFIX, suffix=suffix, dir=folder)
        if lock(handle) is not False and _is_still(handle, name):
            return handle, Path(name)
        os.close(handle)


def _is_still(handle: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(name, follow_symlinks=False))
    except FileNotFoundError:
        return False


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A folder of the user alone in `parent` (else in the system's temporary folder), removed at the end."""
    place = Path(tempfile.gettempdir()) if parent is None else parent
    sweep(place)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        lock(handle)
        yield folder
    finally:
        os.close(handle)
        shutil.rmtree(folder, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove the temporary files and folders in `folder` that no process holds any more."""
    try:
        entries = [entry for entry in os.scandir(folder) if is_temporary(entry.name) and not entry.is_symlink()]
    except OSError:
        return
    for entry in entries:
        with suppress(OSError):  # somebody else's, or swept by another process meanwhile
            _sweep_folder(Path(entry.path)) if entry.is_dir(follow_symlinks=False) else _sweep_file(Path(entry.path))


@lru_cache(maxsize=1024)
def sweep_once(folder: Path) -> None:
    """`sweep`, the first time that this process writes in a folder."""
    sweep(folder)


def sweep_below(root: Path) -> None:
    """`sweep` for a folder and all below it, links not followed."""
    for place, folders, _ in os.walk(root, followlinks=False):
        folders[:] = [name for name in folders if not is_temporary(name) and not (Path(place) / name).is_symlink()]
        sweep(Path(place))


def _sweep_file(path: Path) -> None:
    with _opened(path) as handle:
        if stat.S_ISREG(os.fstat(handle).st_mode) and lock(handle):
            path.unlink()


def _sweep_folder(path: Path) -> None:
    found = path.stat(follow_symlinks=False)
    if hasattr(os, "getuid") and found.st_uid != os.getuid():  # the system's temporary folder is everybody's
        return
    try:
        with _opened(path / _LOCK) as handle:
            free = lock(handle) is True
    except FileNotFoundError:
        free = time.time() - found.st_mtime > _NEWBORN_S
    if free:
        shutil.rmtree(path)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        yield handle
    finally:
        os.close(handle)
