"""A cohort from its inputs to its tables: find the recordings, run those that are not done, merge."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from haustra import __version__
from haustra.cohort.beside import Score
from haustra.cohort.cluster import TlsFiles, run_on_dask
from haustra.cohort.entries import find_entries
from haustra.cohort.inputs import stamp_of
from haustra.cohort.job import Job, request_of
from haustra.cohort.local import cores, run_local
from haustra.cohort.monitor import Beat, Monitor, Tally, silent
from haustra.cohort.shards import Shard, find_shard
from haustra.cohort.status import State, Status, read_statuses, write_cohort
from haustra.cohort.store import COHORT, Store, store_at
from haustra.cohort.tables import Merged, merge
from haustra.core.errors import HaustraError
from haustra.core.sharing import sharing


@dataclass(frozen=True)
class CohortResult:
    """What one command did. `merged` is None for a shard: the tables are made when all shards are done."""

    out: str
    shard: Shard | None
    tally: Tally
    failed: tuple[Status, ...]
    merged: Merged | None


def run_cohort(
    inputs: Sequence[str],
    out: str,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    shard: str | None = None,
    retry_failed: bool = False,
    options: Mapping[str, Any] | None = None,
    allow_schemes: Sequence[str] = (),
    parts: bool = False,
    share: bool = False,
    tls: TlsFiles | None = None,
    score: Score | None = None,
    monitor: Monitor = silent,
) -> CohortResult:
    """Locate every recording of `inputs` and write the cohort's folder `out`.

    Inputs are videos, folders, patterns or tables; inputs and `out` may be fsspec addresses. With `parts`, videos in
    the same folder are the parts of one recording. `options` are those of `locate` for every recording; a column of a
    table overrides them, and a haustra.toml beside a recording gives what neither says. Tables and haustra.toml name
    files in object stores; `allow_schemes` are others that they may name (https). With `share` others may read what is
    written, as far as the umask allows. `tls` are the files by which a scheduler at tls://... knows us. `score`
    compares results with annotated times (`haustra.lab.evaluate.cohort_score`); without it the tables have no such
    figures. Finished recordings are not done again.
    """
    if tls is not None and scheduler is None:
        raise HaustraError("--tls-ca-file, --tls-cert and --tls-key are for a Dask scheduler: give --scheduler, too")
    if scheduler is not None and (workers is not None or shard is not None):
        raise HaustraError("--scheduler runs everything on its own workers: leave out --workers and --shard")
    part = None if scheduler is not None else find_shard(shard, os.environ)
    store = store_at(out)
    entries = find_entries(inputs, store.address, options, allow_schemes, parts=parts)
    _check_ours(store)
    store.tidy()
    with sharing(share):
        write_cohort(store, __version__, (entry.id for entry in entries))
    mine = entries if part is None else part.of(entries)
    processes = min(workers or cores(), max(len(mine), 1))
    threads = 1 if scheduler is not None else max(cores() // processes, 1)
    session = uuid.uuid4().hex
    jobs = [Job(entry, store.address, threads, session, score) for entry in mine]
    tally, failed = Tally(len(jobs)), list[Status]()
    for event in _events(jobs, store, processes, scheduler, tls, retry_failed):
        tally.take(event)
        monitor(tally, event)
        if isinstance(event, Status) and event.state is State.FAILED:
            failed.append(event)
    merged = merge(store.address, score) if part is None or part.count == 1 else None
    return CohortResult(store.address, part, tally, tuple(failed), merged)


def _events(
    jobs: Sequence[Job],
    store: Store,
    processes: int,
    scheduler: str | None,
    tls: TlsFiles | None,
    retry_failed: bool,
) -> Iterator[Status | Beat]:
    """First the recordings that need no work, then the events of the workers."""
    known = read_statuses(store, (job.entry.id for job in jobs))
    settled = {}
    for job in jobs:
        status = known.get(job.entry.id)
        if status is not None and _is_settled(job, status, retry_failed):
            settled[job.entry.id] = status
            yield replace(status, reused=True)
    left = [job for job in jobs if job.entry.id not in settled]
    if left and scheduler is not None:
        yield from run_on_dask(left, scheduler, tls)
    elif left:
        yield from run_local(left, processes)


def _is_settled(job: Job, status: Status, retry_failed: bool) -> bool:
    """Whether the same was asked of the same video before, so that nothing needs to be opened.

    Size and date of a local file do not prove its contents: a result is reused only after `locate` has hashed the file.
    A failure is not tried again as long as they are the same.
    """
    if status.state is State.RUNNING or (status.state is State.FAILED and retry_failed):
        return False
    stamp = stamp_of(job.entry)
    same = status.request == request_of(job) and status.stamp == stamp.mark
    return same and (status.state is State.FAILED or stamp.proves)


def _check_ours(store: Store) -> None:
    """Never write among files that are not ours."""
    if store.read(COHORT) is None and store.names(""):
        raise HaustraError(f"{store.address} is neither empty nor a cohort's folder: choose another with --out")
