"""One recording of a cohort, from its address to its status: what a process or a worker does."""

from __future__ import annotations

import hashlib
import json
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from haustra import __version__
from haustra.cohort.entries import Entry
from haustra.cohort.inputs import Staged, contents_of, staged, stamp_of
from haustra.cohort.parts import write_part
from haustra.cohort.status import COHORT, State, Status, read_status, write_status
from haustra.cohort.store import Store, one_line, scratch_folder, store_at
from haustra.errors import HaustraError
from haustra.result import MANIFEST
from haustra.run import REVISION, library_versions

RECORDINGS = "recordings"
# A recording that took its worker down this often is set aside: the others need workers, too.
ATTEMPTS = 3


@dataclass(frozen=True)
class Job:
    """What a worker needs to know; small, and the same for every scheduler."""

    entry: Entry
    out: str
    threads: int
    overlay: bool
    session: str
    haustra: str = __version__


def request_of(job: Job) -> str:
    """Names what is asked for and what will do it: options, contents of the small files, versions."""
    given = {**job.entry.options, **job.entry.beside}
    made_by = {"haustra": job.haustra, "revision": REVISION, "libraries": library_versions()}
    asked = {"given": {name: [value, contents_of(value)] for name, value in given.items()}, "overlay": job.overlay}
    return hashlib.sha256(json.dumps(made_by | asked, sort_keys=True).encode()).hexdigest()


def run_job(job: Job) -> Status:
    """Locate a recording; whatever goes wrong with it is a status with one line and stops nothing else."""
    store = store_at(job.out)
    _check_worker(job, store)
    status = _begun(job, store)
    if status.attempts > ATTEMPTS:
        return _ended(store, _set_aside(status))
    began = time.monotonic()
    with scratch_folder() as scratch:
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
    """For a scheduler that gives up on a recording before its own count does."""
    store = store_at(job.out)
    return _ended(store, _set_aside(_begun(job, store)))


def _set_aside(status: Status) -> Status:
    line = "its worker died whenever it was tried: set aside (--retry-failed tries it again)"
    return replace(status, state=State.FAILED, line=line)


def _begun(job: Job, store: Store) -> Status:
    """Count the start before anything is opened: what follows may take the process down."""
    before = read_status(store, job.entry.id)
    died = before is not None and before.state is State.RUNNING and before.session == job.session
    attempts = before.attempts + 1 if before is not None and died else 1
    stamp = stamp_of(job.entry.video).mark
    status = Status(job.entry.id, State.RUNNING, request_of(job), stamp, job.session, attempts)
    write_status(store, status)
    return status


def _ended(store: Store, status: Status) -> Status:
    write_status(store, status)
    return status


def _located(job: Job, store: Store, scratch: Path, status: Status) -> Status:
    """The result folder, the recording's part of the cohort's table, and what the other tables say about it."""
    from haustra.cohort.figures import curve_of, row_of
    from haustra.cohort.truth import figures_beside
    from haustra.pipeline import locate

    inputs = staged(job.entry, scratch)
    with store.working(f"{RECORDINGS}/{job.entry.id}", scratch) as folder:
        before = _written(folder)
        result = locate(inputs.video, out=folder, overlay=job.overlay, threads=job.threads, **_options(inputs))
        reused = before is not None and before == _written(folder)
        beside = figures_beside(result, inputs)
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


def _options(inputs: Staged) -> dict[str, Any]:
    fps = inputs.options.get("fps")
    try:
        return {**inputs.options, **({} if fps is None else {"fps": float(fps)})}
    except ValueError as error:
        raise HaustraError(f"'{fps}' is not a number of pictures a second: write one, such as 15") from error


def masked(text: str, entry: Entry, scratch: Path) -> str:
    """File names may tell who a patient is: the id stands for them."""
    name = PurePosixPath(entry.video.replace("\\", "/")).name
    for secret in (f"{scratch}/", entry.video, name):
        text = text.replace(secret, "" if secret.startswith(str(scratch)) else entry.id)
    return text


def _check_worker(job: Job, store: Store) -> None:
    """The worker, not the recording, is at fault: nothing can go on."""
    if job.haustra != __version__:
        raise HaustraError(f"a worker runs haustra {__version__}, the command {job.haustra}: install the same on both")
    if store.read(COHORT) is None:
        raise HaustraError(f"a worker does not see {job.out}: use a folder that all machines share, or s3://...")
