"""Compares the readers of a cohort: how far they agree on a recording with each other and with Haustra."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations
from typing import Any

import polars as pl

from haustra.anatomy.reader_agreement import Reading, agreement, reading_of
from haustra.app.review import Reviews
from haustra.core.errors import HaustraError
from haustra.localization import open_result
from haustra.results.annotations import FORMAT, Annotations
from haustra.results.folder import version_written
from haustra.results.versions import SOMEBODY, Version, history, original

HAUSTRA = "Haustra"


class ReaderComparison:
    """What was read is kept: a version never changes."""

    def __init__(self, reviews: Reviews) -> None:
        self.reviews = reviews
        self._known: dict[tuple[str, int, int], Reading] = {}

    def agreement(self) -> dict[str, Any]:
        """Every pair of readers who have recordings in common, and every reader beside Haustra."""
        found: dict[str, dict[str, Reading]] = {}
        skipped = []
        for recording in self.reviews.workspace.ids():
            try:
                if not self.reviews.workspace.has_result(recording):
                    continue
                for reader, reading in self._readings(recording).items():
                    found.setdefault(reader, {})[recording] = reading
            except HaustraError as error:
                skipped.append(f"{recording} is left out: {error}")
        readers = sorted(set(found) - {HAUSTRA})
        pairs = [*combinations(readers, 2), *((reader, HAUSTRA) for reader in readers)]
        said = [self._pair(a, b, found) for a, b in pairs]
        return {"pairs": [one for one in said if one], "skipped": skipped}

    def _pair(self, a: str, b: str, found: Mapping[str, Mapping[str, Reading]]) -> dict[str, Any]:
        shared = [recording for recording in found[a] if recording in found[b]]
        if not shared:
            return {}
        figures = agreement([(found[a][recording], found[b][recording]) for recording in shared])
        return {"a": a, "b": b, "recordings": shared, **asdict(figures)}

    def _readings(self, recording: str) -> dict[str, Reading]:
        """The newest reviewed version of each reader, and Haustra's own result; nothing where nobody has reviewed."""
        versions = history(self.reviews.workspace.folder(recording))
        newest: dict[str, Version] = {}
        for version in versions:
            if version.annotations.reviewed:
                newest[version.by.strip() or SOMEBODY] = version
        if not newest:
            return {}
        found = {reader: self._reading(recording, one.number, one.annotations) for reader, one in newest.items()}
        return found | {HAUSTRA: self._reading(recording, 0, Annotations(FORMAT))}

    def _reading(self, recording: str, number: int, annotations: Annotations) -> Reading:
        folder = self.reviews.workspace.folder(recording)
        key = (recording, original(folder).stat().st_mtime_ns, number)
        if key not in self._known:
            with self.reviews.lock_of(recording):
                self._known[key] = reading_of(*self._decoded(recording, number, annotations))
        return self._known[key]

    def _decoded(self, recording: str, number: int, annotations: Annotations) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Haustra's own result and the newest version lie in files; others are decoded again."""
        folder = self.reviews.workspace.folder(recording)
        if number in (0, version_written(folder)):
            found = open_result(folder if number else original(folder))
            return found.frames, found.summary
        corrected = self.reviews.correctable(recording).corrected(annotations)
        return corrected.located.table, corrected.summary
