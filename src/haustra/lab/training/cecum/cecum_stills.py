"""Real stills with and without a cecum, from datasets with different recorders; cropped to the lit part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.pictures import read_picture
from haustra.lab.datasets.real_sequences import REPORTED, TRAINING
from haustra.quality.cecum_classifier import central_square

CECUM = "cecum"
OTHERS = {"lumen": "bbps-2-3", "soiled": "bbps-0-1", "stool": "impacted-stool"}
TALL = 436  # rows: stills of at least this height come from a different recorder
POLYPS = 260  # evenly sampled from Kvasir-SEG: polyps are anywhere in the colon
_DARK = 24


@dataclass(frozen=True)
class Stills:
    """Network input (n, 3, SIDE, SIDE), the kind of each still, and whether it has the tall layout."""

    pictures: NDArray[np.float32]
    kind: NDArray[np.str_]
    tall: NDArray[np.bool_]


def read_stills(data: Path) -> Stills:
    """HyperKvasir's four kinds, Kvasir-SEG (`polyp`), real sequences (`sequence`; `kept away` for testing)."""
    kinds = {CECUM: _files(data / "hyperkvasir" / "normal-cecum")}
    kinds |= {kind: _files(data / "hyperkvasir" / folder) for kind, folder in OTHERS.items()}
    polyps = _files(data / "kvasir-seg-train")
    kinds["polyp"] = polyps[:: max(len(polyps) // POLYPS, 1)]
    for kind, names in (("sequence", TRAINING), ("kept away", REPORTED)):
        kinds[kind] = [path for name in names for path in _files(data / "real-sequences" / name)[::3]]
    read = [(read_picture(path), kind) for kind, paths in kinds.items() for path in paths]
    return Stills(
        np.stack([central_square(_bright_part(picture)) for picture, _ in read]),
        np.array([kind for _, kind in read]),
        np.array([picture.shape[0] >= TALL for picture, _ in read]),
    )


def _files(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.rglob("*.jpg") if "mask" not in path.as_posix())
    if not found:
        raise HaustraError(
            f"{folder} has no pictures: the folders hyperkvasir, kvasir-seg-train, real-sequences are needed"
        )
    return found


def _bright_part(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Cropped to the rows and columns of which a third is lit."""
    lit = picture.max(axis=2) > _DARK
    rows, columns = np.flatnonzero(lit.mean(axis=1) > 0.3), np.flatnonzero(lit.mean(axis=0) > 0.3)
    if len(rows) < 32 or len(columns) < 32:
        return picture
    return picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
