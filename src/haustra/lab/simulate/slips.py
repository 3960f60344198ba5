"""A made slip: inside a gap, where nothing is seen, the scope loses a part of the colon at once.

Scopes slip round flexures; a slip of 5 to 20 % of the colon inside a gap is the largest single error of a location.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.lab.simulate.episodes import Episode
from haustra.lab.simulate.timeline import Timeline, stream

# Episodes in which no frame shows the wall sharply, whatever the scope does meanwhile.
_HIDING = ("wall", "water", "underexposed", "overexposed")
_SHORTEST_S, _WANTED_S = 0.5, 1.0
_FIRST, _LAST = 0.1, 0.9  # share of the withdrawal: what was lost must show on both sides


@dataclass(frozen=True)
class Slip:
    """From `start_s` to `end_s` the tip loses `share` of the colon's length beside its ordinary progress."""

    start_s: float
    end_s: float
    share: float

    def apply(self, arc_mm: FloatArray, times_s: FloatArray, first_mm: float, last_mm: float) -> FloatArray:
        """Arc positions of the withdrawal with the slip; all else is slower, so that it still ends at its end."""
        done = np.clip((times_s - self.start_s) / (self.end_s - self.start_s), 0.0, 1.0)
        done = done * done * (3.0 - 2.0 * done)
        return first_mm + (1.0 - self.share) * (arc_mm - first_mm) + self.share * (last_mm - first_mm) * done


def plan_slip(seed: int, timeline: Timeline, episodes: Sequence[Episode], share: float) -> Slip:
    """Choose the gap of a slip among the episodes of the withdrawal, those of a second or more first."""
    if not 0.0 < share <= 0.5:
        raise HaustraError(f"a slip of {share:g} of the colon: give a share above 0 and up to 0.5, for example 0.1")
    span = timeline.stop_s - timeline.start_s
    low, high = timeline.start_s + _FIRST * span, timeline.start_s + _LAST * span
    gaps = [e for e in episodes if e.kind in _HIDING and e.start_s > low and e.end_s < high]
    for shortest in (_WANTED_S, _SHORTEST_S):
        found = [e for e in gaps if e.end_s - e.start_s >= shortest]
        if found:
            gap = found[int(stream(seed, "slip").integers(len(found)))]
            return Slip(gap.start_s, gap.end_s, share)
    raise HaustraError(f"no gap of {_SHORTEST_S:g} s for a slip in this recording: take another seed or more seconds")
