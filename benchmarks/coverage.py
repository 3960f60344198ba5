"""Coverage of the predicted location uncertainty: `python -m benchmarks.coverage DATA ... --work DIR`.

Both ends are given. Errors of neighbouring frames are strongly correlated, and a colon of unusual calibre is off nearly
throughout, so a recording tends to be covered as a whole or not at all. Beside the share of frames within two standard
deviations there is the root mean square of error / standard deviation (1 if calibrated), also by location; and for each
recording the error of the paper's location index from the same motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks.observed import Observed, sets_of_command
from haustra.core.arrays import FloatArray
from haustra.lab.evaluate.text_table import mean_std, text_table
from haustra.path.indices import time_index

PLACES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
HEADER = ("recording", "location error", "stated deviation", "error over deviation", "within 2 std", "paper's index")


@dataclass(frozen=True)
class Covered:
    """Kept frames of one recording: true location, error and predicted standard deviation."""

    name: str
    location: FloatArray
    error: FloatArray
    std: FloatArray
    clock: FloatArray  # error of progress through the recording

    def squares(self, first: float = 0.0, last: float = 1.0) -> float:
        """Mean square of error / standard deviation between two locations; NaN without frames."""
        here = (first <= self.location) & (self.location <= last)
        return float(np.mean(np.square(self.error[here] / self.std[here]))) if here.any() else np.nan

    def covers(self, deviations: float = 2.0) -> NDArray[np.bool_]:
        """The frames whose error is at most so many deviations."""
        return np.asarray(np.abs(self.error) <= deviations * self.std)

    @property
    def mean_error(self) -> float:
        return float(np.abs(self.error).mean())

    @property
    def within(self) -> float:
        return float(self.covers().mean())

    def row(self) -> list[str]:
        return [
            self.name,
            f"{self.mean_error:.4f}",
            f"{self.std.mean():.4f}",
            f"{np.sqrt(self.squares()):.2f}",
            f"{self.within:.3f}",
        ]


def covered(recording: Observed) -> Covered:
    found = recording.located()
    kept, time_s = found.seen.kept, found.seen.time_s
    location = recording.location_at(time_s)[kept]
    clock = time_index(time_s).index[kept] - location
    return Covered(recording.name, location, recording.error_of(found), found.std[kept], clock)


def summary(name: str, cases: Sequence[Covered]) -> list[str]:
    """Means over recordings."""
    squares = [case.squares() for case in cases]
    within = [case.within for case in cases]
    places = (np.sqrt(np.nanmean([case.squares(a, b) for case in cases])) for a, b in pairwise(PLACES))
    errors = [case.mean_error for case in cases]
    clock = [float(np.abs(case.clock).mean()) for case in cases]
    return [
        name, str(len(cases)), mean_std(errors), f"{max(errors):.3f}", mean_std(clock), f"{np.mean(within):.3f}",
        f"{min(within):.3f}", str(sum(w == 1 for w in within)), f"{np.sqrt(np.mean(squares)):.2f}",
        *(f"{value:.2f}" for value in places),
    ]  # fmt: skip


def report(observed: Mapping[str, Sequence[Observed]]) -> str:
    sets = {name: [covered(one) for one in recordings] for name, recordings in observed.items()}
    papers = {name: [f"{one.paper_error():.4f}" for one in recordings] for name, recordings in observed.items()}
    by_place = [f"{a:.1f} to {b:.1f}" for a, b in pairwise(PLACES)]
    header = ["set", "n", "location error", "worst error", "clock error", "within 2 std", "least", "all frames within",
              "error over deviation", *by_place]  # fmt: skip
    every = [
        [name, *case.row(), paper]
        for name, cases in sets.items()
        for case, paper in zip(cases, papers[name], strict=True)
    ]
    means = [summary(name, cases) for name, cases in sets.items()]
    return f"{text_table(header, means)}\n\n{text_table(['set', *HEADER], every)}"


if __name__ == "__main__":
    print(report(sets_of_command(__doc__)))
