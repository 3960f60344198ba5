"""Progress of a cohort: done, running, failed, frames a second, time left; a bar, plain lines, or JSON events."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from haustra.cohort.status import State, Status
from haustra.core.progress import LINE_EVERY_S
from haustra.core.times import format_time


@dataclass(frozen=True)
class Beat:
    """A scheduler is alive and runs this many recordings."""

    running: int


@dataclass
class Tally:
    """Counts of one command. Rate and time left follow from the recordings that it located itself."""

    total: int
    done: int = 0
    failed: int = 0
    running: int = 0
    frames: int = 0
    worked: int = 0
    began: float = field(default_factory=time.monotonic)

    def take(self, event: Status | Beat) -> None:
        if isinstance(event, Beat):
            self.running = event.running
            return
        self.running = max(self.running - 1, 0)
        self.done += event.state is State.FINISHED
        self.failed += event.state is State.FAILED
        if not event.reused:
            self.frames += event.frames
            self.worked += 1

    @property
    def elapsed_s(self) -> float:
        return max(time.monotonic() - self.began, 1e-9)

    @property
    def frames_per_s(self) -> float:
        return self.frames / self.elapsed_s

    @property
    def left_s(self) -> float | None:
        left = self.total - self.done - self.failed
        return self.elapsed_s / self.worked * left if self.worked else None

    def as_dict(self) -> dict[str, Any]:
        counts = {"total": self.total, "done": self.done, "running": self.running, "failed": self.failed}
        left = None if self.left_s is None else round(self.left_s, 1)
        return {**counts, "frames_per_s": round(self.frames_per_s, 1), "left_s": left}

    def __str__(self) -> str:
        left = "" if self.left_s is None else f", {format_time(self.left_s)} left"
        return (
            f"{self.done}/{self.total} done, {self.running} running, {self.failed} failed, "
            f"{self.frames_per_s:.0f} frames/s{left}"
        )


class Monitor(Protocol):
    """Shows the progress of a cohort."""

    def __call__(self, tally: Tally, event: Status | Beat) -> None:
        """Called for every event; the tally includes it."""


def silent(tally: Tally, event: Status | Beat) -> None:
    """Shows nothing."""


class Lines:
    """A plain line for each failure, and one every ten seconds and at the end."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, tally: Tally, event: Status | Beat) -> None:
        if isinstance(event, Status) and event.state is State.FAILED:
            self._say(failure(event))
        if time.monotonic() - self._last >= LINE_EVERY_S or tally.done + tally.failed == tally.total:
            self._last = time.monotonic()
            self._say(f"cohort: {tally}")

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class JsonEvents:
    """One JSON object a line on standard output: each recording that ends, and the tally every ten seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, tally: Tally, event: Status | Beat) -> None:
        if isinstance(event, Status):
            figures = {"seconds": event.seconds, "frames": event.frames, "reused": event.reused}
            failed = {"error": event.line} if event.state is State.FAILED else {}
            self._say({"event": event.state.value, "recording": event.recording, **figures, **failed})
        if time.monotonic() - self._last >= LINE_EVERY_S or isinstance(event, Status):
            self._last = time.monotonic()
            self._say({"event": "progress", **tally.as_dict()})

    def _say(self, value: dict[str, Any]) -> None:
        print(json.dumps(value, ensure_ascii=False, allow_nan=False), flush=True)


@contextmanager
def shown(*, as_json: bool, quiet: bool) -> Iterator[Monitor]:
    """The monitor that suits the output: JSON events, nothing, a bar on a terminal, else plain lines."""
    if as_json:
        yield JsonEvents()
    elif quiet:
        yield silent
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield bar
    else:
        yield Lines()


@contextmanager
def _bar() -> Iterator[Monitor]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    with Progress(
        TextColumn("cohort"), BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True)
    ) as bar:
        task = bar.add_task("starting", total=None)

        def show(tally: Tally, event: Status | Beat) -> None:
            if isinstance(event, Status) and event.state is State.FAILED:
                bar.console.print(failure(event), markup=False, highlight=False)
            bar.update(task, total=tally.total, completed=tally.done + tally.failed, description=str(tally))

        yield show


def failure(status: Status) -> str:
    """One line for a recording that failed."""
    return f"failed: {status.recording}: {status.line}"
