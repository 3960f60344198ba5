"""`haustra cohort --scheduler` on a real Dask scheduler with two worker processes on loopback, against a local run.

Twelve recordings and a corrupt one. First a worker is killed midway; then, in another folder, the scheduler, and the
same command is repeated with a new one. Every table must equal that of the local run, byte for byte.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.cohort_clips import clips

RECORDINGS, SECONDS = 12, 2.0
KILL_AFTER = 3
TO_PUT_RIGHT, SOME_FAILED = 2, 3  # exit codes of `haustra cohort`
LIMITS = {
    "worker_killed_files_that_differ": 0,
    "scheduler_killed_files_that_differ": 0,
    "not_finished": 0,
    "wrong_exit_codes": 0,
}


def run() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        return _run(Path(name))


def _run(folder: Path) -> dict[str, float]:
    clips(folder / "in", RECORDINGS, SECONDS)
    (folder / "in" / "corrupt.mp4").write_bytes(b"not a video " * 1000)
    local, wrong = folder / "local", 0
    began = time.monotonic()
    wrong += _cohort(folder, local, "--workers", "2").wait() != SOME_FAILED
    local_s = time.monotonic() - began
    with _cluster(folder / "first") as (address, _, workers):
        began = time.monotonic()
        wrong += _interrupted(_cohort(folder, folder / "worker", "--scheduler", address), workers[0]) != SOME_FAILED
        dask_s = time.monotonic() - began
    with _cluster(folder / "second") as (address, scheduler, _):
        wrong += _interrupted(_cohort(folder, folder / "gone", "--scheduler", address), scheduler) != TO_PUT_RIGHT
    with _cluster(folder / "third") as (address, _, _):
        wrong += _cohort(folder, folder / "gone", "--scheduler", address).wait() != SOME_FAILED
    return {
        "local_wall_s": local_s,
        "dask_with_a_worker_killed_wall_s": dask_s,
        "worker_killed_files_that_differ": _differing(local, folder / "worker"),
        "scheduler_killed_files_that_differ": _differing(local, folder / "gone"),
        "not_finished": sum(RECORDINGS - _finished(folder / name) for name in ("local", "worker", "gone")),
        "wrong_exit_codes": wrong,
    }


def _cohort(folder: Path, out: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "haustra", "cohort", str(folder / "in"), "--out", str(out), "--json"]
    return subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)


def _interrupted(command: subprocess.Popen[str], victim: subprocess.Popen[bytes]) -> int:
    """Kill `victim` after some recordings are finished; returns the exit code of the command."""
    assert command.stdout is not None
    finished = 0
    for line in command.stdout:
        finished += json.loads(line)["event"] == "finished"
        if finished == KILL_AFTER and victim.poll() is None:
            victim.send_signal(signal.SIGKILL)
            victim.wait()
    return command.wait()


@contextmanager
def _cluster(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]]:
    folder.mkdir()
    file = folder / "scheduler.json"
    scheduler = _dask(folder, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", file=file)
    while not file.exists():
        time.sleep(0.2)
    words = ("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--resources", "CPU=1")
    workers = [_dask(folder, *words, file=file) for _ in range(2)]
    try:
        yield json.loads(file.read_text())["address"], scheduler, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _dask(folder: Path, *words: str, file: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "dask", *words, "--scheduler-file", str(file)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    with (folder / "log.txt").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment)


def _differing(one: Path, other: Path) -> int:
    """Result files that are missing in one of the two folders or differ."""
    names = {path.relative_to(root) for root in (one, other) for path in root.rglob("*") if path.is_file()}
    told = [name for name in names if name.parts[0] != "status" and name.name != "haustra.log"]
    return sum(_bytes(one / name) != _bytes(other / name) for name in told)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _finished(out: Path) -> int:
    return (out / "recordings.csv").read_text().count(",finished,")
