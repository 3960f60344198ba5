"""What was seen, on disk: chunks of an interrupted run, which resumes where it stopped; all of a finished one.

Every file carries the digest of what it belongs to (`Run.observed`) and is passed over where that is another.
"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import numpy as np

from haustra.core.errors import HaustraError
from haustra.core.files import replacing, write_json
from haustra.core.owned import remove
from haustra.results.observations import Observations

MARK = "run.json"
_OURS = re.compile(r"run\.json|chunk-\d{6}\.npz|\.(run|chunk-\d{6})-\w+\.(json|npz)")


class Journal:
    """Finished chunks of one run in `folder`; `resumed` and `replaced` say what lay there before."""

    def __init__(self, folder: Path, observed: str) -> None:
        self._folder, self._observed = folder, observed
        found = _found(folder)
        self.resumed = found == observed
        self.replaced = found is not None and not self.resumed
        if not self.resumed:
            self.discard()
            write_json(folder / MARK, {"observed": observed})

    def chunks(self) -> list[Observations]:
        """Finished chunks from the first on, without a hole."""
        found: list[Observations] = []
        while (chunk := load_observations(self._file(len(found)), self._observed)) is not None:
            found.append(chunk)
        return found

    def save(self, number: int, chunk: Observations) -> None:
        save_observations(self._file(number), chunk, self._observed)

    def discard(self) -> None:
        """Remove everything that a journal writes, and nothing else."""
        try:
            for path in self._folder.iterdir() if self._folder.is_dir() else ():
                if _OURS.fullmatch(path.name):
                    remove(self._folder, path.name)
            if self._folder.is_dir() and not any(self._folder.iterdir()):
                self._folder.rmdir()
        except OSError as error:
            raise HaustraError(f"cannot clear {self._folder}: {error.strerror or error}") from error

    def _file(self, number: int) -> Path:
        return self._folder / f"chunk-{number:06d}.npz"


def is_journal(folder: Path) -> bool:
    """Whether a folder holds nothing but what a journal writes."""
    return folder.is_dir() and not folder.is_symlink() and all(_OURS.fullmatch(path.name) for path in folder.iterdir())


def save_observations(target: Path, chunk: Observations, observed: str) -> None:
    with replacing(target) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, observed=np.array(observed), **chunk.to_arrays())


def load_observations(source: Path, observed: str) -> Observations | None:
    """The chunk in a file, or None where there is none, it is damaged, or it belongs to another run."""
    try:
        with np.load(source, allow_pickle=False) as arrays:
            if str(arrays["observed"]) != observed:
                return None
            return Observations.from_arrays({name: arrays[name] for name in arrays.files})
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _found(folder: Path) -> str | None:
    try:
        return str(json.loads((folder / MARK).read_text(encoding="utf-8"))["observed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
