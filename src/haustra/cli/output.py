"""What commands print: one JSON object on standard output with `--json`, readable lines otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else there.")
]


def print_json(value: Mapping[str, Any]) -> None:
    """The one JSON object of a command, in letters that every encoding of a pipe has."""
    print(json.dumps(value, allow_nan=False))
