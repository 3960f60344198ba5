"""Kept or dropped, and why: thresholds on the two probabilities, biopsies widened by one second on either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError

# "The choice of 1 second was made empirically by watching the colonoscopy videos" (paper, "Image classification").
WIDEN_S = 1.0
NON_INFORMATIVE, FORCEPS, BIOPSY = "non-informative", "forceps", "biopsy"
# In this order; the first that holds is the reason given. "biopsy": within a second of a frame that shows forceps.
REASONS = ("black", "white", "frozen", FORCEPS, NON_INFORMATIVE, BIOPSY)


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
    times_s: NDArray[np.float64],
    p_noninformative: NDArray[np.float32],
    p_forceps: NDArray[np.float32],
    thresholds: Thresholds,
    kinds: Sequence[str] | None = None,
    widen_s: float = WIDEN_S,
) -> tuple[NDArray[np.bool_], list[str]]:
    """For every sample: is it kept, and if not, why ("" where it is kept).

    `kinds` are the answers of the `PreFilter`; the probabilities of frames it took out are NaN and count as unknown.
    """
    forceps = p_forceps >= thresholds.forceps
    reasons = [""] * len(times_s)
    near = within(times_s, times_s[forceps], widen_s)
    poor = p_noninformative >= thresholds.noninformative
    for position in np.flatnonzero(near | poor):
        if forceps[position]:
            reasons[position] = FORCEPS
        else:
            reasons[position] = NON_INFORMATIVE if poor[position] else BIOPSY
    if kinds is not None:
        reasons = [kind or reason for kind, reason in zip(kinds, reasons, strict=True)]
    return np.array([not reason for reason in reasons], np.bool_), reasons


def within(times_s: NDArray[np.float64], marks_s: NDArray[np.float64], reach_s: float) -> NDArray[np.bool_]:
    """Which times lie at most `reach_s` from a mark."""
    if not len(marks_s):
        return np.zeros(len(times_s), np.bool_)
    marks = np.sort(marks_s)
    right = np.searchsorted(marks, times_s).clip(0, len(marks) - 1)
    left = (right - 1).clip(0)
    nearest = np.minimum(np.abs(marks[right] - times_s), np.abs(marks[left] - times_s))
    # Time stamps are sums of fractions: a frame one second away must not fall out by rounding.
    return np.asarray(nearest <= reach_s + 1e-6, np.bool_)
