"""One exception root: what a user can get wrong is one line."""

from __future__ import annotations

import importlib
from types import ModuleType


class HaustraError(Exception):
    """Something the user can put right, in one line: what was found, what is allowed, what to do.

    Words of a file may be in it: line breaks and control characters, which a terminal would obey, become spaces.
    """

    def __init__(self, line: str = "") -> None:
        super().__init__(printable(line))


def printable(text: str) -> str:
    """Words of a file as a terminal may show them, in one line: what it would obey becomes spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def first_line(error: BaseException) -> str:
    """The beginning of what a library says."""
    return next(iter(str(error).splitlines()), "")[:200] or type(error).__name__


def require(module: str, extra: str) -> ModuleType:
    """Import an optional dependency, or say which `pip install` brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise HaustraError(f"the package '{name}' is not installed: pip install 'haustra[{extra}]'") from error


class NothingToLocateError(HaustraError):
    """The recording itself is refused: it shows too little, whatever the options."""
