"""The journal of a run: finished chunks on disk, so that an interrupted run goes on where it stopped.

A chunk is a set of named arrays. The journal belongs to one identity (recording, options, models); another identity
starts anew. Nothing in it depends on how often the run was interrupted.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.files import replacing, write_json

Arrays = Mapping[str, NDArray[Any]]
_FINGERPRINT_BYTES = 1 << 20


def fingerprint(path: Path) -> str:
    """Tells recordings apart without reading them whole: size, first and last megabyte; names and sizes of a folder."""
    digest = hashlib.sha256()
    if path.is_dir():
        for entry in sorted(path.iterdir()):
            digest.update(f"{entry.name}\0{entry.stat().st_size}\0".encode())
        return digest.hexdigest()
    size = path.stat().st_size
    digest.update(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_FINGERPRINT_BYTES))
        file.seek(max(0, size - _FINGERPRINT_BYTES))
        digest.update(file.read(_FINGERPRINT_BYTES))
    return digest.hexdigest()


class Journal:
    """Finished chunks of one run in `folder`; `resumed` and `replaced` tell what lay there before."""

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        self._folder = folder
        self._identity = self.digest(identity)
        found = self._found_identity()
        self.replaced = found is not None and found != self._identity
        self.resumed = found == self._identity
        if not self.resumed:
            self.discard()
            write_json(folder / "identity.json", {"identity": self._identity})

    @staticmethod
    def digest(identity: Mapping[str, Any]) -> str:
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()

    def load(self, chunk: int) -> dict[str, NDArray[Any]] | None:
        """The arrays of a finished chunk, or None; a damaged file counts as not finished."""
        try:
            with np.load(self._file(chunk), allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None

    def save(self, chunk: int, arrays: Arrays) -> None:
        with replacing(self._file(chunk)) as temporary, temporary.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    def discard(self) -> None:
        """Remove everything; the run is finished or another one begins."""
        try:
            if self._folder.exists():
                shutil.rmtree(self._folder)
        except OSError as error:
            raise HaustraError(f"cannot remove {self._folder}: {error.strerror or error}") from error

    def _file(self, chunk: int) -> Path:
        return self._folder / f"chunk-{chunk:06d}.npz"

    def _found_identity(self) -> str | None:
        try:
            return str(json.loads((self._folder / "identity.json").read_text(encoding="utf-8"))["identity"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
