"""Whether the files of a result are all of one version: for who reads while somebody else writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from haustra.results.folder import MANIFEST, OBSERVATIONS


@dataclass(frozen=True)
class Written:
    """`whole`: the outputs are all of one version. `mark` is another after each time they were written."""

    whole: bool
    mark: tuple[int, int] | None


def written(folder: Path) -> Written:
    """As a result lies there now: a manifest comes last, and goes first where the outputs are written again.

    A folder without observations, such as that of `haustra place`, has none at all.
    """
    try:
        found = (folder / MANIFEST).stat()
    except OSError:
        return Written(whole=not (folder / OBSERVATIONS).exists(), mark=None)
    return Written(whole=True, mark=(found.st_ino, found.st_mtime_ns))
