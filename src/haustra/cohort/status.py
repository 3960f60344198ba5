"""The status of each recording of a cohort, in a small file of its own: any number of workers can write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from haustra.cohort.store import READERS, Store
from haustra.core.errors import HaustraError

FOLDER = "status"
COHORT = "cohort.json"


class State(StrEnum):
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True)
class Status:
    """State of a recording, and its part of the cohort's tables.

    `request` is the digest of what was asked for, `stamp` identifies the video, `line` says why it failed. `attempts`
    counts the starts within one `session`, which is one call of the command. `reused`: the result was there already.
    """

    recording: str
    state: State
    request: str
    stamp: str
    session: str = ""
    attempts: int = 1
    line: str = ""
    traceback: str = ""
    seconds: float = 0.0
    frames: int = 0
    reused: bool = False
    row: Mapping[str, Any] = field(default_factory=dict)
    curve: tuple[float, ...] = ()
    annotated_s: tuple[float, ...] = ()


def write_status(store: Store, status: Status) -> None:
    text = json.dumps(asdict(status), ensure_ascii=False, allow_nan=False)
    store.write(f"{FOLDER}/{status.recording}.json", text.encode())


def read_status(store: Store, recording: str) -> Status | None:
    """None where there is none, or the file is not a status of ours."""
    data = store.read(f"{FOLDER}/{recording}.json")
    if data is None:
        return None
    try:
        value = json.loads(data)
        lists = {name: tuple(value[name]) for name in ("curve", "annotated_s")}
        status = Status(**{**value, **lists, "state": State(value["state"])})
    except (ValueError, TypeError, KeyError):
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
    data = store.read(COHORT)
    try:
        return [str(name) for name in json.loads(data or b"")["recordings"]]
    except (ValueError, TypeError, KeyError) as error:
        raise HaustraError(f"{store.address} is not the folder of a cohort: it has no {COHORT}") from error
