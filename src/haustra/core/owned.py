"""The only ways to remove, replace and list files in a folder of ours: never through a link, never outside of it.

The folder itself is what the user named, link or not. Below it a symbolic link is not ours: somebody may have put it
there to have files elsewhere removed or overwritten. Removing goes down by directory descriptors that follow no link,
so that nothing can be swapped in between; where the system has none (Windows), each part of the path is looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO

from haustra.core.errors import HaustraError
from haustra.core.files import replacing
from haustra.core.sharing import file_mode
from haustra.core.temporary import is_temporary

_BY_DESCRIPTOR = {os.open, os.unlink, os.stat} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def remove(root: Path, name: str) -> None:
    """Remove the file `name` (parts separated by slashes) below `root`; one that is not there is no error."""
    *parents, last = _parts(name)
    try:
        if not _BY_DESCRIPTOR:
            refuse_links(root, "/".join(parents))
            (root / name).unlink(missing_ok=True)
            return
        with ExitStack() as opened:
            folder = _descend(root, parents, opened)
            os.unlink(last, dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError as error:
        refuse_links(root, "/".join(parents))
        raise HaustraError(f"cannot remove {root / name}: {error.strerror or error}") from error


def remove_empty(root: Path, name: str) -> None:
    """Remove the folder `name` below `root` if nothing is left in it."""
    refuse_links(root, name)
    with suppress(OSError):
        (root / name).rmdir()


@contextmanager
def replacing_in(root: Path, name: str) -> Iterator[Path]:
    """As `replacing`, for a file below `root`."""
    refuse_links(root, "/".join(_parts(name)[:-1]))
    with replacing(root / name) as temporary:
        yield temporary


def files_below(root: Path, folder: str = "") -> list[str]:
    """Regular files below a folder of ours, relative to it, sorted; hidden ones and links are not listed."""
    refuse_links(root, folder)
    start = root / folder
    found = []
    for place, folders, names in os.walk(start, followlinks=False):
        folders[:] = [name for name in folders if not (is_temporary(name) or (Path(place) / name).is_symlink())]
        paths = (Path(place) / name for name in names if not name.startswith("."))
        found += [path.relative_to(start).as_posix() for path in paths if path.is_file() and not path.is_symlink()]
    return sorted(found)


def open_to_append(root: Path, name: str) -> IO[str]:
    """A text file of ours, opened to write on; a link is refused."""
    refuse_links(root, name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(root / name, flags, file_mode()), "a", encoding="utf-8", errors="backslashreplace")


def refuse_links(root: Path, name: str) -> None:
    """A HaustraError where `name` or a folder on the way to it is a link."""
    place = root
    for part in _parts(name) if name else ():
        place = place / part
        if place.is_symlink():
            raise HaustraError(f"{place} is a link: nothing is written or removed through it; take it away first")


def _descend(root: Path, parents: list[str], opened: ExitStack) -> int:
    """Descriptor of the folder `parents` below `root`."""
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    opened.callback(os.close, folder)
    for part in parents:
        folder = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        opened.callback(os.close, folder)
    return folder


def own_name(name: str) -> str:
    """A name that leads to no place outside a folder of ours; a store of objects may hold any."""
    return "/".join(_parts(name))


def _parts(name: str) -> list[str]:
    parts = list(PurePosixPath(name).parts)
    if not parts or ".." in parts or PurePosixPath(name).is_absolute():
        raise HaustraError(f"'{name}' is not a name inside a folder of ours")
    return parts
