"""Files appear complete or not at all: everything is written to a temporary name in the same folder and renamed."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from haustra.core.errors import HaustraError
from haustra.core.sharing import file_mode, make_folder
from haustra.core.temporary import sweep_once, temporary_file

# Hours of poses are a few megabytes.
MOST_TEXT = 64 << 20


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a temporary path beside `target` that becomes `target` when the block ends without an error."""
    try:
        make_folder(target.parent)
        sweep_once(target.parent)
        with temporary_file(target.parent, target.suffix) as temporary:
            yield temporary
            temporary.chmod(file_mode())
            _flush(temporary)  # after a loss of power a renamed file must not be empty
            temporary.replace(target)
    except OSError as error:
        raise HaustraError(f"cannot write {target}: {error.strerror or error}") from error


def _flush(file: Path) -> None:
    with file.open("rb+") as handle:
        os.fsync(handle.fileno())


def keep(source: Path, target: Path) -> None:
    """Make a file appear under a second name, which keeps it when the first one is replaced (`replacing`)."""
    try:
        make_folder(target.parent)
        target.hardlink_to(source)
    except OSError:  # not on every file system
        with replacing(target) as temporary:
            shutil.copyfile(source, temporary)


def write_text(target: Path, text: str) -> None:
    """Write a text file in UTF-8, complete or not at all."""
    with replacing(target) as temporary:
        # A file name that is not UTF-8 may be in it.
        temporary.write_text(text, encoding="utf-8", errors="replace")


def write_json(target: Path, value: Any) -> None:
    """Write a JSON file, complete or not at all."""
    write_text(target, json_text(value))


def json_text(value: Any) -> str:
    """As all our JSON files are written: indented, for people."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


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


def read_bytes(source: Path, most_bytes: int = MOST_TEXT) -> bytes:
    """A small file that a user named."""
    regular_file(source, most_bytes)
    try:
        return source.read_bytes()
    except OSError as error:
        raise HaustraError(f"{source} cannot be read: {(error.strerror or str(error)).lower()}") from error


def is_hidden(path: Path) -> bool:
    """Whether a path below a folder has a hidden part: unfinished work of a stopped run, or not meant to be seen."""
    return any(part.startswith(".") for part in path.parts)


def read_text(source: Path) -> str:
    """The text of a small file that a user named."""
    try:
        return read_bytes(source).decode("utf-8")
    except UnicodeDecodeError as error:
        raise HaustraError(f"{source} is not a readable text file: {error}") from error


def read_json(source: Path) -> Any:
    """The value in a JSON file that a user named."""
    text = read_text(source)
    try:
        return msgspec.json.decode(text)  # Python's own takes infinities, and halves of letters that cannot be written
    except RecursionError as error:
        raise HaustraError(f"{source} is not a readable JSON file: its values are nested too deeply") from error
    except msgspec.DecodeError as error:
        raise HaustraError(f"{source} is not a readable JSON file: {error}") from error
