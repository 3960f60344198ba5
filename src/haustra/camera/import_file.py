"""import_camera(): other people's calibrations; binary and recursive formats are read apart (`core.apart`).

`cv2.FileStorage` recurses without a limit and MAT-files allocate what they say.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from haustra.camera.conversion import Imported
from haustra.camera.importers import Size, read_calibration
from haustra.camera.jsonfile import camera_from_dict, camera_to_dict
from haustra.core.apart import answer, read_apart

_READ_APART = {".mat", ".xml", ".yml", ".yaml"}
MOST_BYTES = 16 << 20


def import_camera(path: Path, size: Size | None = None) -> Imported:
    """Read a calibration file; `size` is the size of its pictures, for the formats that do not keep it."""
    if path.suffix.lower() not in _READ_APART:
        return read_calibration(path, size)
    found = read_apart(__name__, path, MOST_BYTES, [] if size is None else [str(n) for n in size])
    return Imported(camera_from_dict(found["camera"]), found["source"], found["residual_px"])


def _as_dict(found: Imported) -> dict[str, Any]:
    return {"camera": camera_to_dict(found.camera), "source": found.source, "residual_px": float(found.residual_px)}


def main(arguments: list[str]) -> None:
    """The child process: a file and, if known, the size of its pictures."""
    path, *size = arguments
    known = (int(size[0]), int(size[1])) if size else None
    answer(lambda: _as_dict(read_calibration(Path(path), known)))


if __name__ == "__main__":
    main(sys.argv[1:])
