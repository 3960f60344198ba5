"""Recordings on this machine, one process each: a crash ends no other, and memory goes back to the system."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import Any

from haustra.cohort.job import ATTEMPTS, Job, run_job, set_aside
from haustra.cohort.monitor import Beat
from haustra.cohort.status import Status
from haustra.core.errors import HaustraError

BEAT_S = 1.0
# A worker that is told to end removes its temporary files first.
ENDS_WITHIN_S = 10.0
# Bytes. A socket's path has at most 103 (macOS) or 107, of which multiprocessing's names take 32.
LONGEST_SOCKET_FOLDER = 70


@dataclass(frozen=True)
class _Running:
    job: Job
    process: Any
    answer: Connection


def run_local(jobs: Sequence[Job], workers: int) -> Iterator[Status | Beat]:
    """Run all jobs, `workers` at a time. A recording whose process dies is tried again, and set aside in the end."""
    context, deaths = _context(jobs), Counter[str]()
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
            left.process.join(ENDS_WITHIN_S)
            left.process.kill()
            left.process.join()


def cores() -> int:
    """Cores that this process may use: a batch system may grant fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _context(jobs: Sequence[Job]) -> ForkServerContext | SpawnContext:
    """A fork server imports everything once and forks for each recording; elsewhere each process starts anew."""
    modules = ["haustra.pipeline", "haustra.cohort.local", "haustra.cohort.beside"]
    modules += {type(job.score).__module__ for job in jobs if job.score is not None}
    # Its socket lies in the temporary folder, and the path of a socket is short.
    fits = len(os.fsencode(tempfile.gettempdir())) <= LONGEST_SOCKET_FOLDER
    if not fits or "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(modules)
    return context


def _start(context: ForkServerContext | SpawnContext, job: Job) -> _Running:
    answer, question = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(job, question, dict(os.environ)), name=f"haustra {job.entry.id}")
    process.start()
    question.close()
    return _Running(job, process, answer)


def _child(job: Job, answer: Connection, environment: Mapping[str, str]) -> None:
    """Run a job and send its status to the parent, which alone reacts to Ctrl-C and ends its children.

    Children of a fork server have the environment that it was started with, so the parent's is passed on. Libraries
    are limited to this recording's share of the cores.
    """
    _end_with_the_command()
    os.environ.update(environment)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
        os.environ[variable] = str(job.threads)
    try:
        answer.send(run_job(job))
    except HaustraError as error:  # raised before the recording was opened: all others would meet it, too
        answer.send(error)


def _end_with_the_command() -> None:
    """The parent's signal, or its death, ends a worker as an exception does, so that temporary files go."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    command = multiprocessing.parent_process()
    if command is not None:
        threading.Thread(target=_when_gone, args=(command,), daemon=True).start()


def _when_gone(command: Any) -> None:
    command.join()
    os.kill(os.getpid(), signal.SIGTERM)


def _status(ended: _Running) -> Status | None:
    """None where the process died before it answered."""
    try:
        said = ended.answer.recv()
    except EOFError:
        said = None
    ended.answer.close()
    ended.process.join()
    if isinstance(said, HaustraError):
        raise said
    return said if isinstance(said, Status) else None
