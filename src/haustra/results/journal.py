"""Journal of observations on disk: the chunks of an interrupted run, which resumes from them, or all of a finished one.

Every file carries the digest of what it belongs to (`Run.observed`) and is passed over where that is another.
"""

from __future__ import annotations

import re
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
from msgspec import Struct

from haustra.core.errors import HaustraError
from haustra.core.files import replacing, write_json
from haustra.core.owned import refuse_links, remove, remove_empty
from haustra.core.records import read_record
from haustra.core.temporary import is_temporary
from haustra.results.observations import Observations

MARK = "run.json"
MOST_UNPACKED = 1 << 30  # a day's recording
_DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, tokenize.TokenError, SyntaxError)
_OURS = re.compile(r"run\.json|chunk-\d{6}\.npz")


class _Mark(Struct):
    """Whose chunks lie here."""

    observed: str


class Journal:
    """Finished chunks of one run in `folder`; `resumed` and `replaced` say what lay there before."""

    def __init__(self, folder: Path, observed: str) -> None:
        self._folder, self._observed = folder, observed
        refuse_links(folder.parent, folder.name)
        found = _found(folder)
        self.resumed = found == observed
        self.replaced = found is not None and not self.resumed
        if not self.resumed:
            self.discard()
            write_json(folder / MARK, {"observed": observed})

    def chunks(self) -> Iterator[Observations]:
        """Finished chunks from the first on, without a hole, one at a time: thumbnails are most of a long recording."""
        for number in count():
            chunk = load_observations(self._file(number), self._observed)
            if chunk is None:
                return
            yield chunk

    def save(self, number: int, chunk: Observations) -> None:
        refuse_links(self._folder.parent, self._folder.name)
        save_observations(self._file(number), chunk, self._observed)

    def discard(self) -> None:
        """Remove everything that a journal writes, and nothing else."""
        try:
            for path in self._folder.iterdir() if self._folder.is_dir() else ():
                if _is_ours(path.name):
                    remove(self._folder.parent, f"{self._folder.name}/{path.name}")
            remove_empty(self._folder.parent, self._folder.name)
        except OSError as error:
            raise HaustraError(f"cannot clear {self._folder}: {error.strerror or error}") from error

    def _file(self, number: int) -> Path:
        return self._folder / f"chunk-{number:06d}.npz"


def is_journal(folder: Path) -> bool:
    """Whether a folder holds nothing but what a journal writes."""
    return folder.is_dir() and not folder.is_symlink() and all(_is_ours(path.name) for path in folder.iterdir())


def _is_ours(name: str) -> bool:
    return is_temporary(name) or _OURS.fullmatch(name) is not None


def save_observations(target: Path, chunk: Observations, observed: str) -> None:
    """Write a chunk with the digest of what it belongs to."""
    with replacing(target) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, observed=np.array(observed), **chunk.to_arrays())


def load_observations(source: Path, observed: str) -> Observations | None:
    """The chunk in a file, or None where there is none, it is damaged, or it belongs to another run."""
    try:
        with zipfile.ZipFile(source) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_UNPACKED:
                return None
        with np.load(source, allow_pickle=False) as arrays:
            if str(arrays["observed"]) != observed:
                return None
            found = Observations.from_arrays({name: arrays[name] for name in arrays.files})
        return found if (np.diff(found.time_s) > 0).all() else None
    except (OSError, ValueError, KeyError, IndexError, TypeError, EOFError, MemoryError, *_DAMAGED):
        return None


def _found(folder: Path) -> str | None:
    try:
        return read_record(folder / MARK, _Mark).observed
    except HaustraError:
        return None
