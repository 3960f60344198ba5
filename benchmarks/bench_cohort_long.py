"""Speed-up by a second local worker: the same eight recordings with one worker and with two, in the same run.

A single worker uses every core for its threads, so there are two ratios: over one worker with as many threads as each
of the two, and over one worker with all cores.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.cohort_clips import clips
from haustra import __version__
from haustra.cohort.entries import find_entries
from haustra.cohort.job import Job
from haustra.cohort.local import run_local
from haustra.cohort.status import State, Status, write_cohort
from haustra.cohort.store import LocalStore

RECORDINGS, SECONDS, SIDE = 8, 10.0, 256
LIMITS = {"two_workers_over_one": 0.6}


def run() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clips(folder / "in", RECORDINGS, SECONDS, SIDE)
        _wall_s(folder, "warm", workers=1, threads=1, count=1)  # imports of the fork server
        # Alternating order, because the load of the machine varies.
        runs = [(1, 1), (1, 2), (2, 1), (2, 1), (1, 2), (1, 1)]
        taken: dict[tuple[int, int], float] = {}
        for number, (workers, threads) in enumerate(runs):
            wall_s = _wall_s(folder, f"out{number}", workers=workers, threads=threads, count=RECORDINGS)
            taken[workers, threads] = taken.get((workers, threads), 0.0) + wall_s / 2
    return {
        "one_worker_wall_s": taken[1, 1],
        "one_worker_with_two_threads_wall_s": taken[1, 2],
        "two_workers_wall_s": taken[2, 1],
        "two_workers_over_one": taken[2, 1] / taken[1, 1],
        "two_workers_over_one_with_two_threads": taken[2, 1] / taken[1, 2],
    }


def _wall_s(folder: Path, out: str, *, workers: int, threads: int, count: int) -> float:
    store = LocalStore(folder / out)
    entries = find_entries([str(folder / "in")], store.address, {"withdrawal_start": "0"})[:count]
    write_cohort(store, __version__, [entry.id for entry in entries])
    jobs = [Job(entry, store.address, threads, "benchmark") for entry in entries]
    began = time.monotonic()
    states = [event.state for event in run_local(jobs, workers) if isinstance(event, Status)]
    assert states == [State.FINISHED] * count
    return time.monotonic() - began
