"""Kept or dropped, and why: thresholds on the two probabilities, biopsies widened by one second on either side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.chunks import Chunk, Judged, Observations
from haustra.errors import HaustraError
from haustra.terms import Reason
from haustra.times import nearest

# "The choice of 1 second was made empirically by watching the colonoscopy videos" (paper, "Image classification").
WIDEN_S = 1.0
# Instruments stay for a while: a frame shows forceps when others near it do too, at least half as surely.
EVIDENCE_S = 0.2
EVIDENCE_FRAMES = 3


@dataclass(frozen=True)
class Thresholds:
    """A frame is dropped where its probability is at or above these."""

    noninformative: float
    forceps: float

    def __post_init__(self) -> None:
        for name in ("noninformative", "forceps"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise HaustraError(f"the {name} threshold is {value}: it must be between 0 and 1")

    def moved(self, noninformative: float | None, forceps: float | None) -> Thresholds:
        """These, with the ones a user has set."""
        return Thresholds(
            self.noninformative if noninformative is None else noninformative,
            self.forceps if forceps is None else forceps,
        )


def decide(
    judged: Judged, thresholds: Thresholds, widen_s: float = WIDEN_S
) -> tuple[NDArray[np.bool_], tuple[Reason, ...]]:
    """For every sample: is it kept, and if not, why.

    What the `PreFilter` took out has NaN for probabilities, which count as unknown.
    """
    times_s = judged.time_s
    forceps = (judged.p_forceps >= thresholds.forceps) & _supported(judged, thresholds.forceps)
    poor = judged.p_noninformative >= thresholds.noninformative
    near = within(times_s, times_s[forceps], widen_s)
    reasons = list(judged.kind)
    for i in np.flatnonzero(near | poor).tolist():
        seen = Reason.FORCEPS if forceps[i] else Reason.NON_INFORMATIVE if poor[i] else Reason.BIOPSY
        reasons[i] = reasons[i] or seen
    return np.array([not reason for reason in reasons], np.bool_), tuple(reasons)


def _supported(judged: Judged, threshold: float) -> NDArray[np.bool_]:
    """Whether three frames within 0.2 s show forceps, or all there are where samples lie further apart."""
    first = np.searchsorted(judged.time_s, judged.time_s - EVIDENCE_S - 1e-6)
    last = np.searchsorted(judged.time_s, judged.time_s + EVIDENCE_S + 1e-6, side="right")

    def count(marks: NDArray[np.bool_]) -> NDArray[np.intp]:
        total = np.concatenate([[0], np.cumsum(marks)])
        return np.asarray(total[last] - total[first], np.intp)

    known, showing = count(np.isfinite(judged.p_forceps)), count(judged.p_forceps >= 0.5 * threshold)
    return np.asarray(showing >= np.minimum(EVIDENCE_FRAMES, known), np.bool_)


def decided(chunk: Chunk, thresholds: Thresholds) -> Observations:
    """A recording that was seen whole, with the decision on every sample."""
    kept, reason = decide(chunk, thresholds)
    return Observations(
        chunk.time_s,
        chunk.p_noninformative,
        chunk.p_forceps,
        kept,
        reason,
        chunk.motion,
        chunk.motion_std,
        chunk.lumen,
    )


def within(times_s: NDArray[np.float64], marks_s: NDArray[np.float64], reach_s: float) -> NDArray[np.bool_]:
    """Which times lie at most `reach_s` from a mark."""
    if not len(marks_s):
        return np.zeros(len(times_s), np.bool_)
    marks = np.sort(marks_s)
    away_s = np.abs(marks[nearest(marks, times_s)] - times_s)
    # Time stamps are sums of fractions: a frame one second away must not fall out by rounding.
    return np.asarray(away_s <= reach_s + 1e-6, np.bool_)
