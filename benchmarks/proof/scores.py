"""The figures of one located recording, and the rows of tables: means over recordings with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.coverage import Covered, covered
from benchmarks.named_worlds import NamedFrames, named
from benchmarks.observed import Observed
from benchmarks.proof.located import HURRIED, INSERTION, kind_of
from haustra.anatomy.segment_labels import Labelling
from haustra.lab.evaluate.bootstrap import mean_interval, pooled_interval
from haustra.path.indices import time_index
from haustra.path.withdrawal import follow_withdrawal

# Widths between which recordings are compared: seconds of the withdrawal, share of the samples that were dropped.
DURATIONS_S = (0.0, 120.0, 300.0, 420.0, np.inf)
DROPPED = (0.0, 0.3, 0.4, 0.5, 1.0)


@dataclass(frozen=True)
class Scored:
    """Mean location errors of three indices; segments are None where they are not known."""

    name: str
    seconds: float
    dropped: float
    covered: Covered
    clock_error: float
    paper_error: float
    has_places: bool  # with the start alone given
    named: NamedFrames | None

    @property
    def error(self) -> float:
        return self.covered.mean_error

    @property
    def group(self) -> str:
        kind = kind_of(self.name)
        if kind in (HURRIED, INSERTION):
            return {HURRIED: "hurried", INSERTION: "after an insertion"}[kind]
        return "25 to 60 frames a second" if "fast" in kind else "15 frames a second"


def scored(recording: Observed, labelling: Labelling) -> Scored:
    seen = recording.seen
    kept_s = seen.time_s[seen.kept]
    clock = np.abs(time_index(kept_s).index - recording.location_at(kept_s)).mean()
    extent = follow_withdrawal(seen, float(seen.time_s[0])).extent
    return Scored(
        name=recording.name,
        seconds=float(recording.time_s[-1] - recording.time_s[0]),
        dropped=float(1 - seen.kept.mean()),
        covered=covered(recording),
        clock_error=float(clock),
        paper_error=recording.paper_error(),
        has_places=extent.has_places,
        named=None if recording.segment is None else named(recording, labelling),
    )


def groups_of(cases: Sequence[Scored]) -> dict[str, list[Scored]]:
    """By kind of recording, and all of them."""
    found: dict[str, list[Scored]] = {}
    for case in cases:
        found.setdefault(case.group, []).append(case)
    return {**dict(sorted(found.items())), "all": list(cases)}


def between(
    cases: Sequence[Scored], value: Callable[[Scored], float], edges: Sequence[float]
) -> dict[tuple[float, float], list[Scored]]:
    """The cases in each width that holds any."""
    parts = {pair: [c for c in cases if pair[0] <= value(c) < pair[1]] for pair in pairwise(edges)}
    return {pair: part for pair, part in parts.items() if part}


def location_row(name: str, cases: Sequence[Scored]) -> list[str]:
    """Errors, and paired differences: what the clock and the paper's index are worse by."""
    own, clock, paper = (np.array([getattr(c, f) for c in cases]) for f in ("error", "clock_error", "paper_error"))
    return [
        name, str(len(cases)), mean_interval(own).text(), f"{own.max():.3f}",
        f"{clock.mean():.3f}", mean_interval(clock - own).text(signed=True),
        f"{paper.mean():.3f}", mean_interval(paper - own).text(signed=True),
    ]  # fmt: skip


def coverage_row(name: str, cases: Sequence[Scored]) -> list[str]:
    """Shares of all frames within one and two deviations, recordings drawn; the least and the error of a recording."""
    shares = [pooled_interval([case.covered.covers(k) for case in cases]).text() for k in (1.0, 2.0)]
    least = min(case.covered.within for case in cases)
    ratio = np.sqrt(np.mean([case.covered.squares() for case in cases]))
    return [name, str(len(cases)), *shares, f"{least:.3f}", f"{ratio:.2f}", f"{np.mean([c.error for c in cases]):.3f}"]
