"""Recordings on this machine: one process each, none can take another down, memory goes back to the system."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import Any

from haustra.cohort.job import ATTEMPTS, Job, run_job, set_aside
from haustra.cohort.monitor import Beat
from haustra.cohort.status import Status
from haustra.errors import HaustraError

BEAT_S = 1.0


@dataclass(frozen=True)
class _Running:
    job: Job
    process: Any
    answer: Connection


def run_local(jobs: Sequence[Job], workers: int) -> Iterator[Status | Beat]:
    """Run all jobs, `workers` at a time. A recording whose process dies is tried again, and set aside after three."""
    context, deaths = _context(), Counter[str]()
    waiting, running = list(reversed(jobs)), dict[Any, _Running]()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                started = _start(context, waiting.pop())
                running[started.answer] = started
            yield Beat(len(running))
            for answer in wait(list(running), BEAT_S):
                ended = running.pop(answer)
                status = _status(ended)
                if status is None:
                    deaths[ended.job.entry.id] += 1
                if status is not None:
                    yield status
                elif deaths[ended.job.entry.id] >= ATTEMPTS:
                    yield set_aside(ended.job)
                else:
                    waiting.append(ended.job)
    finally:
        for left in running.values():
            left.process.terminate()
        for left in running.values():
            left.process.join()


def cores() -> int:
    """Those that this process may use: a batch system gives fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _context() -> ForkServerContext | SpawnContext:
    """Where there is a fork server it has imported everything once; each recording is a fork of it, a moment's work."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["haustra.pipeline", "haustra.cohort.local", "haustra.cohort.truth"])
    return context


def _start(context: ForkServerContext | SpawnContext, job: Job) -> _Running:
    answer, question = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(job, question, dict(os.environ)), name=f"haustra {job.entry.id}")
    process.start()
    question.close()
    return _Running(job, process, answer)


def _child(job: Job, answer: Connection, environment: Mapping[str, str]) -> None:
    """The terminal's Ctrl-C is for the parent, which ends its children; libraries take their share of the cores.

    A fork server's children have the environment of its start, which may be another than the parent's by now.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.update(environment)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
        os.environ[variable] = str(job.threads)
    try:
        answer.send(run_job(job))
    except HaustraError as error:  # before the recording was begun: all others would meet it, too
        answer.send(error)


def _status(ended: _Running) -> Status | None:
    """None where the process died without a word."""
    try:
        said = ended.answer.recv()
    except EOFError:
        said = None
    ended.answer.close()
    ended.process.join()
    if isinstance(said, HaustraError):
        raise said
    return said if isinstance(said, Status) else None
