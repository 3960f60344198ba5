"""Two values of every option of `locate`, as users would write them: by kind, so that a new option needs none here."""

from __future__ import annotations

from typing import Any

from haustra.core.errors import HaustraError
from haustra.core.option import Option

_BY_KIND: dict[str, tuple[Any, ...]] = {
    "TIME": ("12:40", 3.5),
    "PLACE": ("rectum", "0.25"),
    "NUMBER": ("15", 30, "0.25", 0.5),
    "COUNT": ("2", 3),
    "SWITCH": ("no", True),
    "NAME|FILE": ("one", "nets/other.onnx"),
    "FILE": ("a.csv", "b.csv"),
    "FOLDER": ("a", "b"),
    "ID": ("P-007", "P-008"),
    "SEGMENT,...": ("sigmoid,rectum", "cecum"),
    "NAME=TIME|FILE": (["hepatic=3:05", "splenic=4:10"], "hepatic=3:05"),
}


def two_values(option: Option[Any, Any]) -> tuple[Any, Any]:
    """The first two of its kind that are in its range; a choice gives its own."""
    first, second, *_ = [value for value in _BY_KIND.get(option.kind, option.kind.split("|")) if _fits(option, value)]
    return first, second


def _fits(option: Option[Any, Any], value: Any) -> bool:
    try:
        option.parse(value)
    except HaustraError:
        return False
    return True


def as_toml(value: Any) -> str:
    """A value as haustra.toml has it."""
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return str(value).lower() if isinstance(value, bool | int | float) else f'"{value}"'
