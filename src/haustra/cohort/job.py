"""The worker's task: one recording of a cohort, from its address to its status."""

from __future__ import annotations

import hashlib
import json
import re
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from haustra import __version__
from haustra.cohort.entries import Entry
from haustra.cohort.inputs import contents_of, staged, stamp_of
from haustra.cohort.parts import write_part
from haustra.cohort.status import State, Status, read_status, write_status
from haustra.cohort.store import COHORT, Store, one_line, store_at
from haustra.core.addresses import names_of
from haustra.core.errors import HaustraError
from haustra.core.sharing import sharing
from haustra.options import RECORDING_OPTIONS
from haustra.results.folder import MANIFEST

if TYPE_CHECKING:
    from haustra.cohort.beside import Score

RECORDINGS = "recordings"
# A recording that has killed its worker this often is set aside.
ATTEMPTS = 3


@dataclass(frozen=True)
class Job:
    """What a worker needs to know. It is small, and the same for every engine."""

    entry: Entry
    out: str
    threads: int
    session: str
    score: Score | None = None
    haustra: str = __version__


def request_of(job: Job) -> str:
    """Digest of what is asked for and what will do it: options, contents of the small files, versions."""
    from haustra.identity import made_by  # brings all stages

    entry = job.entry
    asked = {name: RECORDING_OPTIONS[name].with_files(value, contents_of) for name, value in entry.options.items()}
    beside = {name: contents_of(address) for name, address in entry.beside.items()}
    score = None if job.score is None else type(job.score).__qualname__
    named = {**made_by(), "haustra": job.haustra, "options": asked, "beside": beside, "score": score}
    return hashlib.sha256(json.dumps(named, sort_keys=True, default=str).encode()).hexdigest()


def run_job(job: Job) -> Status:
    """Locate a recording. Whatever goes wrong with it becomes a status with one line; no other recording stops."""
    store = store_at(job.out)
    with sharing(store.shared):
        return _run(job, store)


def _run(job: Job, store: Store) -> Status:
    _check_worker(job, store)
    status = _begun(job, store)
    if status.attempts > ATTEMPTS:
        return _ended(store, _set_aside(status))
    began = time.monotonic()
    with store.scratch() as scratch:
        try:
            status = _located(job, store, scratch, status)
        except Exception as error:
            line = one_line(error) if isinstance(error, HaustraError) else f"{type(error).__name__}: {one_line(error)}"
            trace = "" if isinstance(error, HaustraError) else traceback.format_exc()
            status = replace(
                status,
                state=State.FAILED,
                line=masked(line, job.entry, scratch),
                traceback=masked(trace, job.entry, scratch),
            )
    return _ended(store, replace(status, seconds=round(time.monotonic() - began, 3)))


def set_aside(job: Job) -> Status:
    """The status of a recording that an engine gives up on."""
    store = store_at(job.out)
    with sharing(store.shared):
        return _ended(store, _set_aside(_begun(job, store)))


def _set_aside(status: Status) -> Status:
    line = "its worker died at every attempt: set aside (--retry-failed tries again)"
    return replace(status, state=State.FAILED, line=line)


def _begun(job: Job, store: Store) -> Status:
    """Count the attempt before anything is opened: what follows may kill the process."""
    before = read_status(store, job.entry.id)
    died = before is not None and before.state is State.RUNNING and before.session == job.session
    attempts = before.attempts + 1 if before is not None and died else 1
    stamp = stamp_of(job.entry).mark
    status = Status(job.entry.id, State.RUNNING, request_of(job), stamp, job.session, attempts)
    write_status(store, status)
    return status


def _ended(store: Store, status: Status) -> Status:
    write_status(store, status)
    return status


def _located(job: Job, store: Store, scratch: Path, status: Status) -> Status:
    """The result folder, the recording's part of the cohort's table, and what the other tables say about it."""
    from haustra.cohort.beside import figures_beside
    from haustra.cohort.recording_row import curve_of, row_of
    from haustra.pipeline import locate

    inputs = staged(job.entry, scratch)
    with store.working(f"{RECORDINGS}/{job.entry.id}", scratch) as folder:
        before = _written(folder)
        result = locate(
            inputs.videos, out=folder, threads=job.threads, share=store.shared, quiet=True, **inputs.options
        )
        reused = before is not None and before == _written(folder)
        beside = figures_beside(result, inputs, job.score)
    write_part(store, job.entry.id, result.frames)
    return replace(
        status,
        state=State.FINISHED,
        reused=reused,
        frames=result.frames.height,
        row=row_of(result.summary, result.frames) | beside.row,
        curve=curve_of(result.frames),
        annotated_s=beside.annotated_s,
    )


def _written(folder: Path) -> int | None:
    manifest = folder / MANIFEST
    return manifest.stat().st_mtime_ns if manifest.exists() else None


def masked(text: str, entry: Entry, scratch: Path) -> str:
    """File names may tell who a patient is: the id stands for the video, the name of its column for another file."""
    named = list(zip(names_of(entry.videos, entry.id), entry.videos, strict=True))
    named += entry.beside.items()
    named += [(name, file) for name, value in entry.options.items() for file in RECORDING_OPTIONS[name].files_in(value)]
    text = text.replace(f"{scratch}/", "")
    for shown, address in named:
        text = text.replace(address, shown)
    for shown, address in zip(names_of(entry.videos, entry.id), entry.videos, strict=True):
        name = PurePosixPath(address.replace("\\", "/")).name
        text = re.sub(rf"(?<![\w.-]){re.escape(name)}", shown, text)
    return text


def _check_worker(job: Job, store: Store) -> None:
    """Faults of the worker rather than the recording: they stop the command."""
    if job.haustra != __version__:
        raise HaustraError(f"a worker runs haustra {__version__}, the command {job.haustra}: install the same on both")
    if store.read(COHORT) is None:
        raise HaustraError(f"a worker does not see {job.out}: use a folder that all machines share, or s3://...")
