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
    """The one JSON object of a command."""
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))


def counted(number: int, thing: str) -> str:
    """`1 finding`, `2 findings`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
