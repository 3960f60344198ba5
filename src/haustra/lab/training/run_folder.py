"""A training folder belongs to one set of settings: only the same run may resume in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from haustra.core.errors import HaustraError
from haustra.core.files import read_json, write_json

RUN_NAME = "run.json"


def claim_folder(out: Path, settings: Mapping[str, Any]) -> None:
    """Write `settings` into `out`; raise if the run there has others, naming the first that differs."""
    wanted = json.loads(json.dumps(settings))
    if (out / RUN_NAME).is_file():
        found = read_json(out / RUN_NAME)
        if differs := _first_difference(found, wanted):
            raise HaustraError(f"{out} holds a run with other settings ({differs}): choose another folder for --out")
    write_json(out / RUN_NAME, wanted)


def _first_difference(found: Any, wanted: Any, name: str = "") -> str | None:
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted({*found, *wanted}):
            if differs := _first_difference(found.get(key), wanted.get(key), key):
                return differs
        return None
    return None if found == wanted else f"{name} {found}, not {wanted}"
