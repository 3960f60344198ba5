"""JSON of others as typed records: msgspec Structs with bounds beside their fields, and one form of message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from haustra.core.errors import HaustraError
from haustra.core.files import MOST_TEXT, read_bytes

T = TypeVar("T")

_PLACE = re.compile(r" - at `\$(?P<path>.*)`$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_SHOWN = 60


def read_record(source: Path, kind: type[T]) -> T:
    """The record in a JSON file."""
    return decode_record(read_bytes(source), kind, source)


def decode_record(data: bytes | str, kind: type[T], source: object) -> T:
    """The record in the bytes of a JSON file, which is `source` in messages."""
    if len(data) > MOST_TEXT:  # an object of 64 bytes is made of every three
        raise HaustraError(f"{source} has {len(data)} bytes: at most {MOST_TEXT} are read")
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HaustraError(f"{source} is not a readable JSON file: {error}") from error
    return as_record(value, kind, source)


def as_record(value: Any, kind: type[T], source: object) -> T:
    """The record that a value of JSON is; the message says which field, what was found, and what is allowed."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        raise HaustraError(f"{source}: {_said(str(error), value)}") from error


def _said(message: str, value: Any) -> str:
    """msgspec's message with the place in words and what stands there."""
    place = _PLACE.search(message)
    what = _PLACE.sub("", message).replace("`", "'")
    if place is None:
        return what
    path = place["path"].lstrip(".").replace("`", "'")
    found = _found(value, place["path"])
    return f"'{path}'{found}: {what[:1].lower()}{what[1:]}" if path else what


def _found(value: Any, path: str) -> str:
    """What stands at a place such as `.findings[0].size_mm`, if the place can be followed."""
    if _STEP.sub("", path):
        return ""
    for name, number in _STEP.findall(path):
        key = name or int(number)
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return ""
    if isinstance(value, Mapping | list):
        return ""
    return f" is {repr(value)[:_SHOWN]}"
