"""The log of a training run: one CSV row every few steps, and running means for the progress line."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from haustra.core.files import write_text


class CsvLog:
    """Appends rows to `path`; rows after `resume_step` are dropped, so that a resumed run has one continuous log."""

    def __init__(self, path: Path, columns: Sequence[str], *, resume_step: int = 0) -> None:
        self._path = path
        self._columns = ["step", *columns]
        kept = [row for row in _rows(path) if int(row["step"]) <= resume_step]
        text = io.StringIO()
        writer = csv.DictWriter(text, self._columns, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
        write_text(path, text.getvalue())

    def write(self, step: int, values: Mapping[str, float]) -> None:
        row = [str(step), *(f"{values[name]:.6g}" if name in values else "" for name in self._columns[1:])]
        with self._path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(row)


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if (row.get("step") or "").isdigit()]


class RunningTerms:
    """Means of loss terms since the last reset, for a log row and for the progress bar.

    A term that is not in every step is averaged over the steps that have it.
    """

    def __init__(self) -> None:
        self._values: dict[str, tuple[float, int]] = {}

    def add(self, terms: Mapping[str, float]) -> None:
        for name, value in terms.items():
            total, count = self._values.get(name, (0.0, 0))
            self._values[name] = (total + value, count + 1)

    def means(self) -> dict[str, float]:
        return {name: total / count for name, (total, count) in self._values.items()}

    def note(self) -> str:
        return " ".join(f"{name} {value:.3g}" for name, value in self.means().items())

    def reset(self) -> None:
        self._values = {}
