"""Shared by all readers: tables by column name, and the error for a folder with another layout."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from haustra.core.errors import HaustraError
from haustra.core.files import regular_file

_SHOWN = 4


class WrongFolderError(HaustraError):
    """A folder does not have the layout of the dataset."""

    def __init__(self, message: str, folder: Path) -> None:
        super().__init__(message)
        self.folder = folder


def wrong_folder(dataset: str, expected: str, folder: Path) -> WrongFolderError:
    """One line: expected, found."""
    return WrongFolderError(f"{folder} is not {dataset}: expected {expected}, found {_found(folder)}", folder)


def _found(folder: Path) -> str:
    if not folder.exists():
        return "no such file or folder"
    if not folder.is_dir():
        return f"the file {folder.name}"
    names = sorted(path.name + "/" * path.is_dir() for path in folder.iterdir())
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}" if names else "an empty folder"


def read_table(source: Path, columns: Sequence[str], *, separator: str = ",") -> list[dict[str, str]]:
    """Rows of a table whose header has these columns; cells are stripped, other columns stay."""
    regular_file(source)
    try:
        with source.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=separator, restval="", restkey="_more"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise HaustraError(f"{source} is not a readable table: {error}") from error
    header = [] if not rows else [str(name).strip() for name in rows[0] if name != "_more"]
    missing = [name for name in columns if name not in header]
    if missing:
        found = ", ".join(header[:12]) or "no rows"
        raise HaustraError(f"{source} has no column {', '.join(missing)}: found {found}")
    return [{str(k).strip(): v.strip() for k, v in row.items() if isinstance(v, str)} for row in rows]


def only_file(folder: Path, pattern: str) -> Path | None:
    """The first file of the folder that matches the pattern, by name; None where there is none."""
    return next((path for path in sorted(folder.glob(pattern)) if path.is_file()), None)
