"""Locks on files: the system lets go when a process ends, however it ends."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from haustra.core.errors import HaustraError

_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


@contextmanager
def locked(file: Path, refusal: str) -> Iterator[None]:
    """Hold `file` for this process. A HaustraError with the line `refusal` when another process holds it."""
    with file.open("ab") as handle:
        if lock(handle.fileno()) is False:
            raise HaustraError(refusal)
        yield


def lock(descriptor: int) -> bool | None:
    """Hold an open file until it is closed; False where another holds it, None where the file system has no locks."""
    try:
        _lock(descriptor)
    except OSError as error:
        return False if error.errno in _HELD else None
    return True


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: a byte far behind the end, so that the text before it can be written
        import msvcrt

        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
