"""Recordings of the proof located with each lens, once: what was observed is kept, and so is every failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.check_truth import scaled_lens
from benchmarks.observed import Observed, observe_recording
from benchmarks.withdrawal_start import Answer, ask
from haustra.camera import write_camera
from haustra.core.errors import HaustraError
from haustra.core.files import write_text
from haustra.core.vocabulary import AUTO, GENERIC
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording
from haustra.lab.simulate.pool import run_all
from haustra.results.folder import OBSERVATIONS

TRUE = "true"
# Factors on the angles of the true lens; every second recording gets the reciprocal, so that both ways are there.
WRONG = {"10 % wrong": 1.1, "20 % wrong": 1.2}
LENSES = (TRUE, AUTO, GENERIC, *WRONG)
PARTIAL, INSERTION, HURRIED = "partial", "insertion", "hurried"
FAILED, FROM_ITS_BEGINNING = "failed.txt", "from-its-beginning"


def kind_of(name: str) -> str:
    """`laid-fast` of `laid-fast-02`; other names stand for themselves."""
    kind, _, number = name.rpartition("-")
    return kind if kind and number.isdecimal() else name


@cache
def recordings_in(data: Path) -> dict[str, DatasetRecording]:
    return {one.name: one for one in open_dataset(data, None)[1]}


@dataclass(frozen=True)
class Proof:
    """The recordings that are there, and the folder in which what was observed is kept."""

    data: Path
    work: Path
    names: tuple[str, ...]

    def folder(self, lens: str) -> Path:
        return self.work / "located" / lens.replace(" % ", "-percent-")

    def observed(self, lens: str = TRUE, *, partial: bool = False) -> list[Observed]:
        """What was located of the recordings of whole withdrawals, or of parts of one, with this lens."""
        wanted = [name for name in self.names if (kind_of(name) == PARTIAL) is partial]
        found = [self._observe(name, lens) for name in wanted if self.is_located(name, lens)]
        return [one for one in found if one is not None]

    def is_located(self, name: str, lens: str = TRUE) -> bool:
        return (self.folder(lens) / name / OBSERVATIONS).is_file()

    def failures(self) -> list[str]:
        """Each with its reason: they are part of the result."""
        return [
            f"{name}, lens {lens}: {note.read_text(encoding='utf-8').strip()}"
            for lens in LENSES
            for name in self.names
            if (note := self._failure(name, lens)).is_file()
        ]

    def locate(self, lenses: Sequence[str], workers: int | None = None) -> None:
        """What is missing, the lenses one after the other."""
        for lens in lenses:
            missing = [n for n in self.names if not self.is_located(n, lens) and not self._failure(n, lens).is_file()]
            for done in run_all(_locate, [(self, name, lens) for name in missing], workers):
                print(f"lens {lens}: {done} of {len(missing)}", flush=True)

    def start(self, name: str) -> Answer:
        """What `locate` says about the start; a recording that begins with it was observed from there already."""
        began = kind_of(name) != INSERTION
        return ask(self.data / name, self.folder(TRUE if began else FROM_ITS_BEGINNING) / name)

    def _observe(self, name: str, lens: str) -> Observed | None:
        recording, folder = recordings_in(self.data)[name], self.folder(lens)
        options: dict[str, Any] = {} if lens == TRUE else {"camera": lens}
        if lens in WRONG:
            if recording.camera is None:
                return None
            factor = WRONG[lens] if self.names.index(name) % 2 == 0 else 1 / WRONG[lens]
            options["camera"] = folder / f"{name}.json"
            write_camera(options["camera"], scaled_lens(recording.camera, factor))
        return observe_recording(recording, folder, **options)

    def _failure(self, name: str, lens: str) -> Path:
        return self.folder(lens) / name / FAILED


def _locate(proof: Proof, name: str, lens: str) -> None:
    try:
        proof._observe(name, lens)
        if lens == TRUE and kind_of(name) == INSERTION:
            proof.start(name)
    except HaustraError as error:
        write_text(proof._failure(name, lens), f"{error}\n")
