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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True)
class Share:
    """The mutants of one reader that are left: `count` in all, those before `first` are done."""

    reader: str
    corpus: Path
    first: int
    count: int

    def words(self) -> tuple[str, str, int, int]:
        return self.reader, str(self.corpus), self.first, self.count


def run(names: list[str], total: int, seed: str) -> Iterator[Ending]:
    """About `total` mutants, spread over the readers; one child reads them all, or another goes on behind it."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        scratch = Path(name)
        left = {one: Share(one, scratch / one / "corpus", 0, count) for one, count in shares(names, total).items()}
        for one in left.values():
            one.corpus.mkdir(parents=True)
            all_readers()[one.reader].make(one.corpus)
        while left:
            for ending in _child([*left.values()], seed, scratch):
                one = replace(left[ending.reader], first=ending.number + 1)
                left |= {one.reader: one}
                if one.first == one.count:
                    del left[one.reader]
                yield ending


def _child(left: list[Share], seed: str, scratch: Path) -> Iterator[Ending]:
    """Endings until all are read or the child dies, which is an ending, too."""
    words = [seed, str(scratch), json.dumps([one.words() for one in left])]
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
        current: dict[str, Any] = {}
        for text in child.stdout:
            deadline.renew()
            entry = json.loads(text)
            if "case" in entry:
                current = entry
            else:
                yield _ending(current, Outcome(entry["outcome"]), entry["line"])
                current = {}
        code = child.wait()
        deadline.end()
        said.seek(0)
        if current:
            slow = code in (-signal.SIGPROF, -signal.SIGKILL)
            line = f"ended with {code}: {said.read()[-1500:]}"
            yield _ending(current, Outcome.HANG if slow else Outcome.CRASH, line)
        elif code:
            raise RuntimeError(f"the fuzzer itself failed: {said.read()[-3000:]}")


def _ending(current: dict[str, Any], outcome: Outcome, line: str) -> Ending:
    return Ending(current["reader"], current["case"], outcome, current["damage"], line)


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
