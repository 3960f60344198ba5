"""Files appear complete or not at all: everything is written to a temporary name in the same folder and renamed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from haustra.core.errors import HaustraError

# Hours of poses are a few megabytes.
MOST_TEXT = 256 << 20


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
        _flush(temporary)  # after a loss of power a renamed file must not be empty
        temporary.replace(target)
    except OSError as error:
        raise HaustraError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _flush(file: Path) -> None:
    with file.open("rb+") as handle:
        os.fsync(handle.fileno())


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


def regular_file(source: Path, most_bytes: int = MOST_TEXT) -> None:
    """A HaustraError unless it is an ordinary file of at most so many bytes: a pipe or a device may never end."""
    try:
        found = source.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise HaustraError(f"no such file: {source}") from error
    except (OSError, ValueError) as error:  # too long a name, a NUL byte
        raise HaustraError(f"{source} cannot be read: {error}") from error
    if not stat.S_ISREG(found.st_mode):
        raise HaustraError(f"{source} is not a file")
    if found.st_size > most_bytes:
        raise HaustraError(f"{source} has {found.st_size} bytes: at most {most_bytes} are read")


def read_text(source: Path) -> str:
    """The text of a small file that a user named."""
    regular_file(source)
    try:
        return source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HaustraError(f"{source} is not a readable text file: {error}") from error


def read_json(source: Path) -> Any:
    text = read_text(source)
    try:
        return json.loads(text)
    except RecursionError as error:
        raise HaustraError(f"{source} is not a readable JSON file: its values are nested too deeply") from error
    except ValueError as error:  # also a number of more digits than Python converts
        raise HaustraError(f"{source} is not a readable JSON file: {error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
