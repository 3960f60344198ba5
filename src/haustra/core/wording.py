"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    """`1 finding`, `2 findings`, `1,500 frames`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
