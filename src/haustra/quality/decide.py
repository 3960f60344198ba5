"""Thresholds on the two probabilities: which frames are dropped and why; biopsies are dilated by a second."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray, Mask
from haustra.core.errors import HaustraError
from haustra.core.times import nearest
from haustra.core.vocabulary import Reason
from haustra.results.observations import Observations

# "The choice of 1 second was made empirically by watching the colonoscopy videos" (paper, "Image classification").
WIDEN_S = 1.0
# Instruments stay for a while: a frame shows forceps only if others near it do, with at least half the probability.
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


def apply_thresholds(scores: Observations, thresholds: Thresholds, widen_s: float = WIDEN_S) -> Observations:
    """The frames with the reason why each is dropped, if it is; reasons of the prefilter stay.

    Frames that the network did not classify have NaN for probabilities, which pass no threshold.
    """
    time_s = scores.time_s
    forceps = (scores.p_forceps >= thresholds.forceps) & _supported(scores, thresholds.forceps)
    unclear = scores.p_noninformative >= thresholds.noninformative
    near = within(time_s, time_s[forceps], widen_s)
    reasons = list(scores.reason)
    for i in np.flatnonzero(near | unclear).tolist():
        found = Reason.FORCEPS if forceps[i] else Reason.NON_INFORMATIVE if unclear[i] else Reason.BIOPSY
        reasons[i] = reasons[i] or found
    return replace(scores, reason=tuple(reasons))


def _supported(scores: Observations, threshold: float) -> Mask:
    """Whether three frames within 0.2 s show forceps, or all of them where samples lie further apart."""
    first = np.searchsorted(scores.time_s, scores.time_s - EVIDENCE_S - 1e-6)
    last = np.searchsorted(scores.time_s, scores.time_s + EVIDENCE_S + 1e-6, side="right")

    def count(marks: Mask) -> NDArray[np.intp]:
        total = np.concatenate([[0], np.cumsum(marks)])
        return np.asarray(total[last] - total[first], np.intp)

    known, showing = count(np.isfinite(scores.p_forceps)), count(scores.p_forceps >= 0.5 * threshold)
    return np.asarray(showing >= np.minimum(EVIDENCE_FRAMES, known), np.bool_)


def within(times_s: FloatArray, marks_s: FloatArray, reach_s: float) -> Mask:
    """Which times lie at most `reach_s` from a mark."""
    if not len(marks_s):
        return np.zeros(len(times_s), np.bool_)
    marks = np.sort(marks_s)
    away_s = np.abs(marks[nearest(marks, times_s)] - times_s)
    # Time stamps are sums of fractions: a frame one second away must not fall out by rounding.
    return np.asarray(away_s <= reach_s + 1e-6, np.bool_)
