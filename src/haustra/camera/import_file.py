"""import_camera(): other people's calibrations; binary and recursive formats are read by a child process with limits.

`cv2.FileStorage` recurses without a limit and MAT-files allocate what they say: a hostile file can end the process
that reads it. So that is a process of its own, which prints one JSON object: the camera, or one line.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from haustra.camera.conversion import Imported
from haustra.camera.importers import Size, read_calibration
from haustra.camera.jsonfile import camera_from_dict, camera_to_dict
from haustra.core.errors import HaustraError
from haustra.core.files import regular_file

_READ_APART = {".mat", ".xml", ".yml", ".yaml"}
LONGEST_S = 20.0
MOST_MEMORY = 4 << 30  # bytes of address space; the libraries alone reserve one
MOST_BYTES = 16 << 20


def import_camera(path: Path, size: Size | None = None) -> Imported:
    """Read a calibration file; `size` is the size of its pictures, for the formats that do not keep it."""
    apart = path.suffix.lower() in _READ_APART
    return _read_apart(path, size) if apart else read_calibration(path, size)


def _read_apart(path: Path, size: Size | None) -> Imported:
    regular_file(path, MOST_BYTES)
    words = [] if size is None else [str(n) for n in size]
    try:
        child = subprocess.run(
            [sys.executable, "-m", __name__, str(path.absolute()), *words],
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
        answer = json.loads(child.stdout)
    except subprocess.TimeoutExpired as error:
        raise HaustraError(f"{path} takes longer than {LONGEST_S:.0f} s to read: it is no calibration") from error
    except ValueError as error:  # it crashed, or was stopped by the memory limit
        raise HaustraError(f"{path} cannot be parsed: it is no calibration in a known form") from error
    if "error" in answer:
        raise HaustraError(answer["error"])
    return Imported(camera_from_dict(answer["camera"]), answer["source"], answer["residual_px"])


def answer_for(read: Callable[[], Imported]) -> dict[str, Any]:
    """What the child says: the camera, or why there is none."""
    try:
        found = read()
    except HaustraError as error:
        return {"error": str(error)}
    return {"camera": camera_to_dict(found.camera), "source": found.source, "residual_px": float(found.residual_px)}


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit; the one of time holds
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(arguments: list[str]) -> None:
    _limit_memory()
    path, *size = arguments
    known = (int(size[0]), int(size[1])) if size else None
    print(json.dumps(answer_for(lambda: read_calibration(Path(path), known)), allow_nan=False))


if __name__ == "__main__":
    main(sys.argv[1:])
