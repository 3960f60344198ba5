"""Many recordings on all cores: each in its own process, the same results with any number of them."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

from haustra.core.progress import Progress, silent

T = TypeVar("T")


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_missing(
    work: Callable[..., None],
    out: Path,
    wanted: Sequence[T],
    is_there: Callable[[T], bool],
    *,
    workers: int | None = None,
    progress: Progress = silent,
) -> int:
    """Call `work(out, one)` for every one that is not there yet, on all cores; how many were made."""
    missing = [one for one in wanted if not is_there(one)]
    there = len(wanted) - len(missing)
    progress(there)
    for done in run_all(work, [(out, one) for one in missing], workers):
        progress(there + done)
    return len(missing)


def run_all(work: Callable[..., T], jobs: Sequence[tuple[Any, ...]], workers: int | None = None) -> Iterator[int]:
    """Call `work(*job)` for every job and yield how many are done; an error in one stops the rest."""
    workers = min(workers or usable_cores(), max(len(jobs), 1))
    if workers <= 1:
        for done, job in enumerate(jobs, start=1):
            work(*job)
            yield done
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_one_thread) as pool:
        waiting = {pool.submit(work, *job) for job in jobs}
        done = 0
        try:
            while waiting:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    future.result()
                    done += 1
                    yield done
        finally:
            pool.shutdown(cancel_futures=True)


def _one_thread() -> None:
    """A process per core: OpenCV's own threads would only fight over them."""
    import cv2

    cv2.setNumThreads(1)
