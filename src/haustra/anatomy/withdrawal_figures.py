"""Quality of a withdrawal: how long it took, how fast each segment was passed, how much of it could be seen."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS


@dataclass(frozen=True)
class SegmentFigures:
    """Speed is in percent of the colon per minute: a monocular camera knows no centimetres."""

    time_s: float
    share_of_time: float
    speed_percent_per_min: float | None
    noninformative_share: float | None
    dropped_share: float | None


@dataclass(frozen=True)
class WithdrawalFigures:
    duration_s: float
    noninformative_share: float
    dropped_share: float
    segments: dict[str, SegmentFigures]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def withdrawal_figures(
    time_s: FloatArray,
    index: FloatArray,
    segment: NDArray[np.int64],
    *,
    dropped: NDArray[np.bool_],
    noninformative: NDArray[np.bool_],
) -> WithdrawalFigures:
    """Figures over the frames that have a place.

    `dropped` marks the frames that were not used, `noninformative` those among them that show nothing: one that shows
    an instrument does. Each frame stands for the time until the next one, so uneven frame rates do not matter. The
    speed of a segment is the colon that was passed in it divided by the time spent: looking twice at the same place
    makes it slower.
    """
    placed = np.isfinite(index)
    index, segment, dropped, noninformative = index[placed], segment[placed], dropped[placed], noninformative[placed]
    lasts = _durations(time_s[placed])
    total = float(lasts.sum())
    figures = {}
    for k, name in enumerate(SEGMENTS, 1):
        here = segment == k
        figures[name] = _one(total, lasts[here], index[here], dropped[here], noninformative[here])
    nothing, lost = (float(lasts[rows].sum()) / total if total > 0 else 0.0 for rows in (noninformative, dropped))
    return WithdrawalFigures(total, nothing, lost, figures)


def _durations(time_s: FloatArray) -> FloatArray:
    """Time until the next frame; the last one lasts as long as is usual."""
    if len(time_s) < 2:
        return np.zeros(len(time_s))
    steps = np.diff(time_s)
    return np.append(steps, float(np.median(steps)))


def _one(
    total: float,
    lasts: FloatArray,
    index: FloatArray,
    dropped: NDArray[np.bool_],
    noninformative: NDArray[np.bool_],
) -> SegmentFigures:
    spent = float(lasts.sum())
    if not spent > 0:
        return SegmentFigures(0.0, 0.0, None, None, None)
    return SegmentFigures(
        time_s=spent,
        share_of_time=spent / total,
        speed_percent_per_min=100 * float(np.ptp(index)) / (spent / 60),
        noninformative_share=float(lasts[noninformative].sum()) / spent,
        dropped_share=float(lasts[dropped].sum()) / spent,
    )
