"""Files appear complete or not at all: everything is written to a temporary name in the same folder and renamed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from haustra.core.errors import HaustraError


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a temporary path beside `target` that becomes `target` when the block ends without an error."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
    except OSError as error:
        raise HaustraError(f"cannot write {target}: {error.strerror or error}") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise HaustraError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def keep(source: Path, target: Path) -> None:
    """Make a file appear under a second name, which keeps it when the first one is replaced (`replacing`)."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.hardlink_to(source)
    except OSError:  # not on every file system
        with replacing(target) as temporary:
            shutil.copyfile(source, temporary)


@contextmanager
def locked(file: Path, refusal: str) -> Iterator[None]:
    """Hold `file` for this process; the system lets go when the process ends, however it ends.

    A HaustraError with the line `refusal` when another process holds it. Where the file system knows no locks, there
    is none.
    """
    with file.open("ab") as handle:
        try:
            _lock(handle.fileno())
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise HaustraError(refusal) from error
        yield


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: a byte far behind the end, so that the text before it can be written
        import msvcrt

        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write_text(target: Path, text: str) -> None:
    with replacing(target) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(target: Path, value: Any) -> None:
    write_text(target, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(source: Path) -> Any:
    try:
        return json.loads(source.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise HaustraError(f"no such file: {source}") from error
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise HaustraError(f"{source} is not a readable JSON file: {error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
