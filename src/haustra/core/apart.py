"""Files in foreign binary or recursive formats are read by a process of their own, with limits of time and memory.

A hostile one can end the process that reads it, or never end it. The child prints one JSON object: what was read, or
one line. On Windows only the time is limited.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from haustra.core.errors import HaustraError
from haustra.core.files import regular_file

LONGEST_S = 20.0
MOST_MEMORY = 4 << 30  # bytes of address space; the libraries alone reserve one


def read_apart(module: str, source: Path, most_bytes: int, words: Sequence[str] = ()) -> dict[str, Any]:
    """What `python -m module SOURCE WORDS`, which ends in `answer`, says of a file."""
    regular_file(source, most_bytes)
    try:
        child = subprocess.run(
            # -P: no module is taken from the working folder, which may be a stranger's.
            [sys.executable, "-P", "-m", module, str(source.absolute()), *words],
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
        said = json.loads(child.stdout)
    except subprocess.TimeoutExpired as error:
        raise HaustraError(f"{source} takes longer than {LONGEST_S:.0f} s to read") from error
    except (ValueError, RecursionError) as error:  # it crashed, or was stopped by the memory limit
        raise HaustraError(f"{source} cannot be parsed: it is damaged, or not what it is called") from error
    if "error" in said:
        raise HaustraError(said["error"])
    return dict(said)


def answer(read: Callable[[], Mapping[str, Any]]) -> None:
    """The child: read within the limits, and print what was found."""
    _limit_memory()
    try:
        found = dict(read())
    except HaustraError as error:
        found = {"error": str(error)}
    print(json.dumps(found, allow_nan=False))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit; the one of time holds
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
