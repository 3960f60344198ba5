"""The status of each recording of a cohort, in a small file of its own: any number of workers can write."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Annotated

import polars as pl
from msgspec import Meta

from haustra.cohort.recording_row import ROW
from haustra.cohort.store import COHORT, READERS, Store
from haustra.core.checked_tables import MOST_ROWS
from haustra.core.errors import HaustraError, printable
from haustra.core.option import ID
from haustra.core.records import decode_record
from haustra.core.times import MOST_S

FOLDER = "status"
LARGEST = 1e9  # of any figure of a recording
Id = Annotated[str, Meta(pattern=rf"^{ID.pattern}\Z")]
Cell = float | int | bool | str | None

log = logging.getLogger("haustra")


class State(StrEnum):
    """How far a recording has come."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True)
class Status:
    """State of a recording, and its part of the cohort's tables.

    `request` is the digest of what was asked for, `stamp` identifies the video, `line` says why it failed. `attempts`
    counts the starts within one `session`, which is one call of the command. `reused`: the result was there already.
    """

    recording: Id
    state: State
    request: str
    stamp: str
    session: str = ""
    attempts: Annotated[int, Meta(ge=0, le=1_000_000)] = 1
    line: str = ""
    traceback: str = ""
    seconds: Annotated[float, Meta(ge=0, le=1e9)] = 0.0
    frames: Annotated[int, Meta(ge=0, le=MOST_ROWS)] = 0
    reused: bool = False
    row: Mapping[str, Cell] = field(default_factory=dict)
    curve: Annotated[tuple[Annotated[float, Meta(ge=0, le=1)], ...], Meta(max_length=1000)] = ()
    annotated_s: Annotated[tuple[Annotated[float, Meta(ge=0, le=MOST_S)], ...], Meta(max_length=7)] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "line", printable(self.line))  # it is shown on a terminal
        for name, cell in self.row.items():
            if cell is not None and name in ROW and not _fits(cell, ROW[name]):
                raise ValueError(
                    f"{name} is {str(cell)[:40]!r}: it must be {ROW[name].__name__}, or within {LARGEST:g}"
                )
        if len(self.annotated_s) not in (0, 7) or list(self.annotated_s) != sorted(self.annotated_s):
            raise ValueError("the annotated times are not seven that increase")


def _fits(cell: Cell, kind: type[pl.DataType]) -> bool:
    """Whether it can stand in a column of the cohort's table."""
    if kind is pl.String or kind is pl.Boolean:
        return isinstance(cell, str if kind is pl.String else bool)
    number = isinstance(cell, int if kind is pl.Int64 else int | float) and not isinstance(cell, bool)
    return number and abs(cell) <= LARGEST  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Cohort:
    """cohort.json."""

    haustra: str
    recordings: Annotated[tuple[Id, ...], Meta(max_length=1_000_000)]


def write_status(store: Store, status: Status) -> None:
    """Write a recording's status, complete or not at all."""
    text = json.dumps(asdict(status), ensure_ascii=False, allow_nan=False)
    store.write(f"{FOLDER}/{status.recording}.json", text.encode())


def read_status(store: Store, recording: str) -> Status | None:
    """None where there is none, or the file is not a status of ours."""
    data = store.read(f"{FOLDER}/{recording}.json")
    if data is None:
        return None
    try:
        status = decode_record(data, Status, f"{store.address}/{FOLDER}/{recording}.json")
    except HaustraError as error:
        log.warning("%s: this recording counts as not done", error)
        return None
    return status if status.recording == recording else None


def read_statuses(store: Store, recordings: Iterable[str]) -> dict[str, Status]:
    """Those that are known, in the order asked for."""
    with ThreadPoolExecutor(READERS) as pool:
        found = pool.map(lambda recording: read_status(store, recording), recordings)
        return {status.recording: status for status in found if status is not None}


def write_cohort(store: Store, version: str, recordings: Iterable[str]) -> None:
    """Which recordings belong to the cohort, in their order; all shards write the same."""
    store.write(COHORT, (json.dumps({"haustra": version, "recordings": list(recordings)}, indent=1) + "\n").encode())


def read_cohort(store: Store) -> list[str]:
    """The recordings of a cohort, in their order."""
    data = store.read(COHORT)
    if data is None:
        raise HaustraError(f"{store.address} is not the folder of a cohort: it has no {COHORT}")
    return list(decode_record(data, _Cohort, f"{store.address}/{COHORT}").recordings)
