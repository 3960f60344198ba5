"""Numbers on the command line: every option has a range, and a message names the option and its range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer


def whole(low: int, high: int) -> dict[str, Any]:
    """What `typer.Option` is told of a whole number from `low` to `high`."""
    return {"parser": _parser(int, low, high, "a whole number"), "metavar": "COUNT"}


def real(low: float, high: float) -> dict[str, Any]:
    """The same for any number."""
    return {"parser": _parser(float, low, high, "a number"), "metavar": "NUMBER"}


def _parser(kind: type[int] | type[float], low: float, high: float, what: str) -> Callable[[Any], float]:
    def parse(given: Any) -> float:
        try:
            value = kind(given)
        except (ValueError, OverflowError):
            value = kind(low) - 1
        if not low <= value <= high:  # NaN is not either
            raise typer.BadParameter(f"'{given}' is not {what} from {low:g} to {high:g}")
        return value

    return parse


SHARE = real(0, 1)
SECONDS = real(1, 86_400)  # of a simulated recording
RATE = real(0.1, 1000)  # frames a second
SIDE = whole(16, 8192)  # pixels
SEED = whole(0, 2**31 - 1)
THREADS = whole(1, 1024)
STEPS = whole(1, 10_000_000)
BATCH = whole(1, 4096)
WIDTH = real(0.01, 4)  # share of the published widths of a network's layers
