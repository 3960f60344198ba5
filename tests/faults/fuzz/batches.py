"""Runs the fuzzer's children and collects how every mutant ended; a child that dies is started again behind it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzz import all_readers
from fuzz.child import GOOD, Outcome

# A child may sleep or wait for a lock, which costs no CPU.
WAIT_S = 300.0


@dataclass(frozen=True)
class Ending:
    """How one mutant of a reader ended; `seed` and `number` make it again."""

    reader: str
    number: int
    outcome: Outcome
    damage: str
    line: str

    @property
    def is_good(self) -> bool:
        return self.outcome in GOOD


def shares(names: list[str], total: int) -> dict[str, int]:
    """How many mutants each reader gets."""
    readers = all_readers()
    unit = total / sum(readers[name].share for name in names)
    return {name: max(1, round(unit * readers[name].share)) for name in names}


def run(names: list[str], total: int, seed: str) -> Iterator[Ending]:
    """About `total` mutants, spread over the readers."""
    for name, count in shares(names, total).items():
        with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch:
            corpus = Path(scratch) / "corpus"
            corpus.mkdir()
            all_readers()[name].make(corpus)
            yield from _reader(name, seed, count, corpus, Path(scratch))


def _reader(name: str, seed: str, count: int, corpus: Path, scratch: Path) -> Iterator[Ending]:
    number = 0
    while number < count:
        for ending in _child(name, seed, number, count - number, corpus, scratch):
            number = ending.number + 1
            yield ending


def _child(name: str, seed: str, first: int, count: int, corpus: Path, scratch: Path) -> Iterator[Ending]:
    """Endings until all are read or the child dies, which is an ending, too."""
    words = [name, seed, str(first), str(count), str(corpus), str(scratch)]
    with (scratch / "said").open("w+") as said:
        child = subprocess.Popen(
            [sys.executable, "-m", "fuzz.child", *words],
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            cwd=Path(__file__).parents[1],
            env={**os.environ, "OPENCV_LOG_LEVEL": "SILENT"},
        )
        assert child.stdout is not None
        deadline = _Deadline(child)
        current: dict[str, object] = {}
        for text in child.stdout:
            deadline.renew()
            entry = json.loads(text)
            if "case" in entry:
                current = entry
            else:
                yield Ending(
                    name, int(str(current.pop("case"))), Outcome(entry["outcome"]), entry["damage"], entry["line"]
                )
        code = child.wait()
        deadline.end()
        if "case" in current:
            slow = code in (-signal.SIGPROF, -signal.SIGKILL)
            said.seek(0)
            line = f"ended with {code}: {said.read()[-1500:]}"
            outcome = Outcome.HANG if slow else Outcome.CRASH
            yield Ending(name, int(str(current["case"])), outcome, str(current["damage"]), line)
        elif code:
            said.seek(0)
            raise RuntimeError(f"the fuzzer itself failed on {name}: {said.read()[-3000:]}")


class _Deadline:
    """Kills a child that says nothing for long."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        import threading

        self._child, self._last, self._ended = child, time.monotonic(), threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def renew(self) -> None:
        self._last = time.monotonic()

    def end(self) -> None:
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(1.0):
            if time.monotonic() - self._last > WAIT_S:
                self._child.kill()
                return
