"""An option, declared once: kind, default, help text, flag, and what it decides.

`Option` is the descriptor behind the fields of an options dataclass (Python's "descriptor-typed fields"): a field takes
what users write and gives the typed value. Type checkers read both types from the field's annotation, so a function
whose keywords are made from the dataclass is typed, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS

Given = TypeVar("Given")
Value = TypeVar("Value")
Choice = TypeVar("Choice", bound=StrEnum)
Name = TypeVar("Name", str, str | None)

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
SWITCHES = {"true": True, "false": False, "yes": True, "no": False}


class Decides(StrEnum):
    """What an option has a say in. Only the first two can change a number."""

    OBSERVATIONS = "observations"  # what is measured in the pictures: stages 1 to 5
    PLACES = "places"  # what is made of the measurements: stages 6 and 7
    OUTPUT = "output"  # which files are written
    CALL = "call"  # how this one call runs: never in a table of recordings or in haustra.toml


class Option(Generic[Given, Value]):
    """A field of an options dataclass. `parse` turns what was given into the value; None is the default.

    `kind` is what the help says may be given (TIME). `is_file` tells which texts are addresses of files rather than
    names. `flags` are the spellings on the command line where the name will not do.
    """

    name: str

    def __init__(
        self,
        decides: Decides,
        help: str,
        default: Value,
        parse: Callable[[Any], Value],
        *,
        kind: str,
        flags: Sequence[str] = (),
        is_file: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.decides, self.help, self.default, self.kind = decides, help, default, kind
        self._parse, self._flags, self._is_file = parse, flags, is_file

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type | None = None) -> Value:
        value: Value = self.default if instance is None else instance.__dict__[self.name]
        return value

    def __set__(self, instance: object, given: Given) -> None:
        instance.__dict__[self.name] = self.parse(given)

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(self._flags) or (f"--{self.name.replace('_', '-')}",)

    def parse(self, given: Any) -> Value:
        """The typed value; what is wrong with it is one line that names the option."""
        try:
            return self.default if given is None else self._parse(given)
        except HaustraError as error:
            raise HaustraError(f"{self.flags[0]}: {error}") from error

    def files_in(self, given: Any) -> list[str]:
        """The addresses of files in what was given."""
        return [part for part in self._parts(given) if self._is_file(part)]

    def with_files(self, given: Any, change: Callable[[str], str]) -> Any:
        """`given` with every address of a file in it changed: made absolute, fetched, or replaced by its digest."""
        parts = [change(part) if self._is_file(part) else part for part in self._parts(given)]
        if isinstance(self.default, tuple):
            return parts
        return parts[0] if self.files_in(given) else given

    def _parts(self, given: Any) -> Sequence[str]:
        if given is None:
            return ()
        return _texts(given) if isinstance(self.default, tuple) else (str(given),)


Time: TypeAlias = Option[float | str | None, float | None]
Place: TypeAlias = Option[float | str | None, float | str | None]
Number: TypeAlias = Option[float | str | None, float | None]
Count: TypeAlias = Option[int | str | None, int | None]
Switch: TypeAlias = Option[bool | str | None, bool]
File: TypeAlias = Option[str | Path | None, Path | None]
NameOrFile: TypeAlias = Option[str | Path | None, str]
OptionalNameOrFile: TypeAlias = Option[str | Path | None, str | None]
Id: TypeAlias = Option[str | None, str | None]
Texts: TypeAlias = Option[Sequence[str] | str | None, tuple[str, ...]]


def time(decides: Decides, help: str) -> Time:
    """Seconds, from a number or from text such as 12:40."""
    return Option(decides, help, None, _seconds, kind="TIME")


def place(decides: Decides, help: str, *flags: str) -> Place:
    """A place in the colon: a segment by name, or a location index."""
    return Option(decides, help, None, _place, kind="PLACE", flags=flags)


def number(decides: Decides, help: str, *, above: float, below: float) -> Number:
    """A number strictly between two others."""
    return Option(decides, help, None, lambda given: _number(given, above, below), kind="NUMBER")


def count(decides: Decides, help: str, *, most: int) -> Count:
    """A whole number from 1."""
    return Option(decides, help, None, lambda given: _count(given, most), kind="COUNT")


def switch(decides: Decides, help: str, default: bool) -> Switch:
    """On or off."""
    return Option(decides, help, default, _switch, kind="SWITCH")


def choice(decides: Decides, help: str, default: Choice) -> Option[str | None, Choice]:
    """A member of the default's enumeration, by its value."""
    return Option(decides, help, default, lambda given: _choice(given, type(default)), kind="|".join(type(default)))


def file(decides: Decides, help: str, *flags: str, kind: str = "FILE") -> File:
    """The path of a file or folder."""
    return Option(decides, help, None, _path, kind=kind, flags=flags, is_file=lambda _: True)


def identifier(decides: Decides, help: str) -> Id:
    """What stands for the recording."""
    return Option(decides, help, None, parse_id, kind="ID")


def name_or_file(decides: Decides, help: str, default: Name) -> Option[str | Path | None, Name]:
    """Something shipped, by its name, or a file of the user's own: what has a dot or a slash in it is a file."""
    return Option(
        decides, help, default, _text, kind="NAME|FILE", is_file=lambda text: re.search(r"[./\\]", text) is not None
    )


def texts(decides: Decides, help: str, *flags: str, kind: str, file_suffix: str) -> Texts:
    """Several words: a list, or text with commas or semicolons between them. Those with `file_suffix` are files."""
    return Option(
        decides, help, (), _texts, kind=kind, flags=flags, is_file=lambda text: text.lower().endswith(file_suffix)
    )


def is_id(text: str) -> bool:
    """Whether a text may stand for a recording: it becomes the name of a folder."""
    return ID.fullmatch(text) is not None


def parse_id(given: str) -> str:
    """The text itself, or a HaustraError."""
    if not (isinstance(given, str) and is_id(given)):
        raise HaustraError(f"the id '{given}' is not possible: letters, digits, '.', '_' and '-', at most 100")
    return given


def segments(decides: Decides, help: str) -> Texts:
    """Some of the colon's segments, in any order: `sigmoid,rectum`, or a list."""
    return Option(decides, help, (), _segments, kind="SEGMENT,...")


def _segments(given: Any) -> tuple[str, ...]:
    names = {name for text in _texts(given) for name in _texts(text)}
    unknown = sorted(names - set(SEGMENTS))
    if unknown:
        raise HaustraError(f"'{unknown[0]}' is not a segment: choose from {', '.join(SEGMENTS)}")
    if len(names) > len(SEGMENTS) - 2:
        raise HaustraError("at least two segments must be left")
    return tuple(name for name in SEGMENTS if name in names)


def _seconds(given: Any) -> float:
    from haustra.core.times import seconds_of  # brings NumPy

    return seconds_of(given)


def _place(given: Any) -> float | str:
    if given in SEGMENTS:
        return str(given)
    try:
        index = float(given) if isinstance(given, str) or _is_number(given) else math.nan
    except (ValueError, OverflowError):
        index = math.nan
    if not 0 <= index <= 1:
        raise HaustraError(
            f"'{given}' is not a place: write one of {', '.join(SEGMENTS)}, or a location index from 0 to 1"
        )
    return index


def _number(given: Any, above: float, below: float) -> float:
    try:
        value = float(given) if isinstance(given, str) or _is_number(given) else math.nan
    except (ValueError, OverflowError):
        value = math.nan
    if not above < value < below:
        raise HaustraError(f"'{given}' is not a number above {above:g} and below {below:g}")
    return value


def _count(given: Any, most: int) -> int:
    text = str(given).strip()
    if not (re.fullmatch(r"[0-9]{1,9}", text) and 1 <= int(text) <= most):
        raise HaustraError(f"'{given}' is not a whole number from 1 to {most}")
    return int(text)


def _switch(given: Any) -> bool:
    found = SWITCHES.get(str(given).strip().lower())
    if found is None:
        raise HaustraError(f"'{given}' is not one of {', '.join(SWITCHES)}")
    return found


def _choice(given: Any, choices: type[Choice]) -> Choice:
    try:
        return choices(str(given))
    except ValueError as error:
        raise HaustraError(f"'{given}' is not one of {', '.join(choices)}") from error


def _texts(given: Any) -> tuple[str, ...]:
    parts = re.split(r"[;,]", given) if isinstance(given, str) else given
    if not isinstance(parts, list | tuple):
        raise HaustraError(f"'{given}' is not a list of texts")
    texts = (_text(part).strip() for part in parts)
    return tuple(text for text in texts if text)


def _path(given: Any) -> Path:
    return Path(_text(given))


def _text(given: Any) -> str:
    if not isinstance(given, str | Path):
        raise HaustraError(f"'{given}' is not text")
    return str(given)


def _is_number(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)
