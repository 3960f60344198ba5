"""Recordings on a Dask cluster: one task each, retried when its worker dies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haustra.cohort.job import Job, run_job, set_aside
from haustra.cohort.monitor import Beat
from haustra.cohort.status import Status
from haustra.cohort.store import EXTRA, one_line
from haustra.core.errors import HaustraError, require

BEAT_S = 1.0
CONNECT_S = 30
# What a recording needs, for workers started with `--resources "CPU=4 MEMORY=8e9"`; see docs/how-to/cluster.md.
MEMORY_BYTES = 1.0e9
# Tasks queued at the scheduler per worker thread: enough that no thread idles, few enough that the queue stays short.
WAITING_PER_THREAD = 2
FEWEST_WAITING = 16
_ROLES = ("client", "scheduler", "worker")


@dataclass(frozen=True)
class TlsFiles:
    """PEM files by which scheduler, workers and client know each other: the authority, our certificate and its key."""

    ca: Path
    cert: Path
    key: Path

    def security(self) -> Any:
        """For a client, and for `distributed.LocalCluster` or dask-jobqueue: the same certificate for every role."""
        missing = next((file for file in (self.ca, self.cert, self.key) if not file.is_file()), None)
        if missing is not None:
            raise HaustraError(f"no such file: {missing}")
        roles = {f"tls_{role}_{part}": str(getattr(self, part)) for role in _ROLES for part in ("cert", "key")}
        return require("distributed", EXTRA).Security(tls_ca_file=str(self.ca), require_encryption=True, **roles)


def run_on_dask(jobs: Sequence[Job], address: str, tls: TlsFiles | None = None) -> Iterator[Status | Beat]:
    """Run all jobs on the workers of a scheduler. The driver holds a bounded number of tasks, however many jobs."""
    client = _client(address, tls)
    waiting, tasks = list(reversed(jobs)), dict[Any, Job]()
    try:
        while waiting or tasks:
            room = _room(client) - len(tasks)
            needs = _needs(client, jobs[0].threads)
            for job in [waiting.pop() for _ in range(min(room, len(waiting)))]:
                tasks[client.submit(run_job, job, pure=False, resources=needs, retries=0)] = job
            yield Beat(_running(client))
            for task in _first_ended(client, address, tasks):
                yield _status(task, tasks.pop(task), address)
    except (OSError, asyncio.CancelledError) as error:
        raise _gone(address) from error
    finally:
        client.close()


def _client(address: str, tls: TlsFiles | None) -> Any:
    distributed = require("distributed", EXTRA)
    security = None if tls is None else tls.security()
    try:
        return distributed.Client(address, timeout=CONNECT_S, security=security)
    except (OSError, ValueError, ImportError, RuntimeError, TypeError) as error:  # the last two where TLS is amiss
        raise HaustraError(f"no Dask scheduler answers at {address}: {one_line(error)}") from error


def _first_ended(client: Any, address: str, tasks: dict[Any, Job]) -> list[Any]:
    """The tasks that ended within a beat; there may be none."""
    distributed = require("distributed", EXTRA)
    try:
        return list(distributed.wait(list(tasks), timeout=BEAT_S, return_when="FIRST_COMPLETED").done)
    except TimeoutError:
        if client.status != "running":
            raise _gone(address) from None
        return []


def _status(task: Any, job: Job, address: str) -> Status:
    distributed = require("distributed", EXTRA)
    try:
        found: Status = task.result()
    except distributed.KilledWorker:
        return set_aside(job)  # the scheduler allows fewer deaths than we do
    except HaustraError:  # raised before the recording was opened: all others would meet it, too
        raise
    except (asyncio.CancelledError, OSError) as error:
        raise _gone(address) from error
    except Exception as error:
        raise HaustraError(f"a worker cannot run haustra: {type(error).__name__}: {one_line(error)}") from error
    return found


def _needs(client: Any, threads: int) -> dict[str, float]:
    """The resources of a recording that every worker declares: a task that no worker can take would wait for ever."""
    needs = {"CPU": float(threads), "MEMORY": MEMORY_BYTES}
    workers = list(client.scheduler_info(n_workers=-1)["workers"].values())
    return {name: need for name, need in needs.items() if workers and all(name in w["resources"] for w in workers)}


def _room(client: Any) -> int:
    return max(WAITING_PER_THREAD * sum(client.nthreads().values()), FEWEST_WAITING)


def _running(client: Any) -> int:
    """A worker runs as many recordings as it has threads; the rest of its tasks wait."""
    threads = client.nthreads()
    return sum(min(len(keys), threads.get(worker, 1)) for worker, keys in client.processing().items())


def _gone(address: str) -> HaustraError:
    return HaustraError(f"the scheduler at {address} is gone: run the same command again to resume")
