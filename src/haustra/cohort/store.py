"""Where a cohort's files lie: a local folder, or anything that fsspec can address (s3://bucket/folder)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from haustra.core.addresses import is_remote
from haustra.core.checked_tables import MOST_BYTES
from haustra.core.errors import HaustraError, require
from haustra.core.files import read_bytes
from haustra.core.owned import files_below, own_name, refuse_links, remove, replacing_in
from haustra.core.sharing import is_shared, make_folder
from haustra.core.temporary import scratch_folder, sweep_below

EXTRA = "cluster"
COHORT = "cohort.json"
READERS = 16  # an object store answers many small requests at a time


class Store(Protocol):
    """A folder. Names in it are separated by slashes; files appear complete or not at all."""

    address: str

    @property
    def shared(self) -> bool:
        """Whether others than its owner may read the cohort: its list of recordings tells."""

    def read(self, name: str) -> bytes | None:
        """All of a file, None where there is none."""

    def write(self, name: str, data: bytes) -> None: ...

    def names(self, folder: str) -> list[str]:
        """All files below a folder, relative to it, sorted."""

    def remove(self, name: str) -> None:
        """Remove a file that may not be there."""

    def working(self, folder: str, scratch: Path) -> Any:
        """A context with a local folder to work in; what it holds at the end is stored, errors or not."""

    def scratch(self) -> AbstractContextManager[Path]:
        """A local folder for what must not stay."""

    def tidy(self) -> None:
        """Remove temporary files that a killed process left."""


def store_at(address: str) -> Store:
    """The store at an address, local or remote."""
    return RemoteStore(address) if is_remote(address) else LocalStore(Path(address))


class LocalStore:
    """A folder of this machine, or of a file system that all machines share."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.address = str(self.root)

    @property
    def shared(self) -> bool:
        return is_shared(self.root / COHORT)

    def read(self, name: str) -> bytes | None:
        source = self.root / name
        try:
            return read_bytes(source, MOST_BYTES)  # a stranger's folder may have a pipe there, or a link to a device
        except HaustraError:
            if source.exists():
                raise
            return None

    def write(self, name: str, data: bytes) -> None:
        with replacing_in(self.root, name) as temporary:
            temporary.write_bytes(data)

    def names(self, folder: str) -> list[str]:
        return files_below(self.root, folder)

    def remove(self, name: str) -> None:
        remove(self.root, name)

    @contextmanager
    def working(self, folder: str, scratch: Path) -> Iterator[Path]:  # noqa: ARG002 (the store is local already)
        refuse_links(self.root, folder)
        yield self.root / folder

    def scratch(self) -> AbstractContextManager[Path]:
        return scratch_folder(self.root)

    def tidy(self) -> None:
        sweep_below(self.root)


class RemoteStore:
    """Work is done in a scratch folder and uploaded at the end."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self._fs, self._root = file_system(self.address)

    @property
    def shared(self) -> bool:
        """Who may read an object the store decides."""
        return False

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(self._fs.cat_file(f"{self._root}/{name}"))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise unreadable(f"{self.address}/{name}", error) from error

    def write(self, name: str, data: bytes) -> None:
        try:
            self._fs.pipe_file(f"{self._root}/{name}", data)
        except Exception as error:
            raise HaustraError(f"cannot write {self.address}/{name}: {one_line(error)}") from error

    def names(self, folder: str) -> list[str]:
        self._fs.invalidate_cache()
        root = f"{self._root}/{folder}".rstrip("/")
        return sorted(str(path)[len(root) + 1 :] for path in self._fs.find(root))

    def remove(self, name: str) -> None:
        if self._fs.exists(f"{self._root}/{name}"):
            self._fs.rm_file(f"{self._root}/{name}")

    @contextmanager
    def working(self, folder: str, scratch: Path) -> Iterator[Path]:
        local, before = scratch / folder, self.names(folder)
        for name in before:
            make_folder((local / own_name(name)).parent)
            self._fs.get_file(f"{self._root}/{folder}/{name}", str(local / name))
        try:
            yield local
        finally:
            after = LocalStore(local).names("")
            for name in after:
                self._fs.put_file(str(local / name), f"{self._root}/{folder}/{name}")
            for name in set(before) - set(after):
                self.remove(f"{folder}/{name}")

    def scratch(self) -> AbstractContextManager[Path]:
        return scratch_folder()

    def tidy(self) -> None:
        """An object appears whole or not at all."""


def file_system(address: str) -> tuple[Any, str]:
    """The fsspec file system of an address and the path in it."""
    fsspec = require("fsspec", EXTRA)
    scheme = address.partition("://")[0]
    try:
        fs, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise HaustraError(f"{scheme}:// needs another package: pip install 'haustra[{EXTRA}]'") from error
    except ValueError as error:
        raise HaustraError(f"{address} cannot be addressed: {one_line(error)}") from error
    return fs, str(path).rstrip("/")


def read_address(address: str) -> bytes:
    """All of a file that a user named."""
    try:
        if is_remote(address):
            fs, path = file_system(address)
            return bytes(fs.cat_file(path))
        return read_bytes(Path(address), MOST_BYTES)
    except HaustraError:
        raise
    except Exception as error:  # each file system has errors of its own
        raise unreadable(address, error) from error


def is_file(address: str) -> bool:
    """Whether a file is there and may be read; a store that does not let us look has none."""
    try:
        if not is_remote(address):
            return Path(address).is_file()
        fs, path = file_system(address)
        return bool(fs.isfile(path))
    except OSError:
        return False


def fetch(address: str, target: Path) -> None:
    """Make the file or folder at an address appear as `target`: a link where it is local, else a copy of it."""
    if is_remote(address):
        fs, path = file_system(address)
        try:
            fs.get(path, str(target), recursive=fs.isdir(path))
        except Exception as error:
            raise unreadable(address, error) from error
        return
    source = Path(address).absolute()
    if not source.exists():
        raise HaustraError(f"no such file or folder: {address}")
    try:
        target.symlink_to(source)
    except OSError:  # on Windows only some users may make links
        shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)


def unreadable(address: str, error: Exception) -> HaustraError:
    """The error for an address that cannot be read."""
    missing = isinstance(error, FileNotFoundError)
    return HaustraError(f"no such file: {address}" if missing else f"{address} cannot be read: {one_line(error)}")


def one_line(error: BaseException) -> str:
    """The first line of an error's message, or its type where it has none."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
