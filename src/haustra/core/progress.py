"""Progress of long work: a bar with rate and time left on a terminal and in a notebook, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, Protocol

from haustra.core.times import format_time

LINE_EVERY_S = 10.0
CELL_EVERY_S = 0.5


class Progress(Protocol):
    """Shows the progress of one piece of work."""

    def __call__(self, done: float, note: str = "") -> None:
        """Say that `done` of the total is done; `note` is a short text such as loss terms."""


def silent(done: float, note: str = "") -> None:
    """No progress is shown."""


@contextmanager
def progress_bar(title: str, total: float | None, *, unit: str = "frames", quiet: bool = False) -> Iterator[Progress]:
    """Yield a function that takes how much of `total` is done (None: the total is unknown)."""
    if quiet:
        yield silent
    elif sys.stderr.isatty():
        with _rich_bar(title, total, unit) as report:
            yield report
    elif in_notebook():
        cell = _Cell(title, total, unit)
        yield cell
        cell.show_last()
    else:
        yield _Lines(title, total, unit)


def in_notebook() -> bool:
    """Whether the kernel of a notebook runs this: IPython with one, not IPython on a terminal."""
    ipython = sys.modules.get("IPython")
    return hasattr(ipython.get_ipython(), "kernel") if ipython is not None else False


@contextmanager
def _rich_bar(title: str, total: float | None, unit: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{{task.fields[rate]}} {unit}/s"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with RichProgress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total, rate="-", note="")
        rate = _Rate()

        def report(done: float, note: str = "") -> None:
            bar.update(task, completed=done, rate=f"{rate(done):.1f}", note=note)

        yield report


class _Rate:
    """What is done per second since the first report: resumed work does not start from zero."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._first: float | None = None

    def __call__(self, done: float) -> float:
        if self._first is None:
            self._first = done if done > 1 else 0.0
        return (done - self._first) / max(time.monotonic() - self._began, 1e-9)


class _Told:
    """Says in one line how far it is, every so many seconds and at the end."""

    every_s = LINE_EVERY_S

    def __init__(self, title: str, total: float | None, unit: str) -> None:
        self._title, self._total, self._unit = title, total, unit
        self._last = time.monotonic()
        self._rate = _Rate()

    def __call__(self, done: float, note: str = "") -> None:
        now = time.monotonic()
        rate = self._rate(done)
        finished = self._total is not None and done >= self._total
        if now - self._last >= self.every_s or finished:
            self._last = now
            self._say(done, rate, note)

    def _say(self, done: float, rate: float, note: str) -> None:
        left = "" if not self._total or not rate else f", {format_time((self._total - done) / rate)} left"
        of = "" if self._total is None else f"/{self._total:g}"
        line = f"{self._title}: {done:g}{of} {self._unit}, {rate:.1f}/s{left} {note}".rstrip()
        self.show(line, done / self._total if self._total else None)

    def show(self, line: str, share: float | None) -> None:
        raise NotImplementedError


class _Lines(_Told):
    """Plain lines, one below the other."""

    def show(self, line: str, _: float | None) -> None:
        print(line, file=sys.stderr, flush=True)


class _Cell(_Told):
    """One bar below the cell of a notebook, drawn anew."""

    every_s = CELL_EVERY_S

    def __init__(self, title: str, total: float | None, unit: str) -> None:
        super().__init__(title, total, unit)
        display: Any = import_module("IPython.display").display  # whoever runs a notebook has it
        self._shown = display({"text/plain": title}, raw=True, display_id=True)
        self._reported: tuple[float, float, str] | None = None

    def __call__(self, done: float, note: str = "") -> None:
        super().__call__(done, note)
        self._reported = done, self._rate(done), note

    def show_last(self) -> None:
        """The bar stays below the cell: it must not stop at the last look but one."""
        if self._reported is not None:
            self._say(*self._reported)

    def show(self, line: str, share: float | None) -> None:
        value = "" if share is None else f' value="{share:.3f}"'
        html = f"<progress{value}></progress> <span>{escape(line)}</span>"
        self._shown.update({"text/plain": line, "text/html": html}, raw=True)
