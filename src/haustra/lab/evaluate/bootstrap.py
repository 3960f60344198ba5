"""Confidence intervals over recordings: the bias-corrected and accelerated bootstrap (BCa; Efron 1987).

Frames of one recording err together, so recordings are drawn, never frames. With fewer than about ten recordings such
an interval is too narrow, as any is that knows no more than they do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from haustra.core.arrays import FloatArray

DRAWS = 2000
LEVEL = 0.95

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class ConfidenceInterval:
    """A figure and its interval; NaN limits where a single recording has none."""

    value: float
    low: float
    high: float

    def text(self, digits: int = 3, *, signed: bool = False) -> str:
        """`0.021 [0.016, 0.030]`."""
        sign = "+" if signed else ""
        value = f"{self.value:{sign}.{digits}f}"
        return value if np.isnan(self.low) else f"{value} [{self.low:{sign}.{digits}f}, {self.high:{sign}.{digits}f}]"

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def interval_of(count: int, statistic: Callable[[Rows], float], level: float = LEVEL) -> ConfidenceInterval:
    """The interval of a statistic of `count` recordings, given by their numbers; the same on every call."""
    everything = np.arange(count)
    value = statistic(everything)
    if count < 2:
        return ConfidenceInterval(value, np.nan, np.nan)
    rng = np.random.default_rng(0)
    draws = np.array([statistic(rng.integers(0, count, count)) for _ in range(DRAWS)])
    left_out = np.array([statistic(np.delete(everything, k)) for k in range(count)])
    below = np.mean(draws < value) + 0.5 * np.mean(draws == value)
    bias = ndtri(np.clip(below, 1 / DRAWS, 1 - 1 / DRAWS))
    apart = left_out.mean() - left_out
    spread = float(np.square(apart).sum())
    skew = float((apart**3).sum()) / (6 * spread**1.5) if spread > 1e-24 else 0.0
    normal = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.quantile(draws, ndtr(bias + normal / (1 - skew * normal)))
    return ConfidenceInterval(value, float(low), float(high))


def mean_interval(values: ArrayLike) -> ConfidenceInterval:
    """Of the mean over recordings; of paired differences, when these are given."""
    known = np.asarray(values, np.float64)
    return interval_of(len(known), lambda rows: float(known[rows].mean()))


def pooled_interval(groups: Sequence[NDArray[np.bool_] | FloatArray]) -> ConfidenceInterval:
    """Of the mean over all frames of the recordings drawn, each an array of its frames."""
    sums, counts = np.array([(float(group.sum()), len(group)) for group in groups]).T
    return interval_of(len(groups), lambda rows: float(sums[rows].sum() / counts[rows].sum()))
