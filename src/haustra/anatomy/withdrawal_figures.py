"""Quality indicators of a withdrawal: time, speed and share of usable frames, in total and for each segment."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS

# Frames that show nothing for a shorter time than this are blinks, during which one still looks; a longer stretch
# (washing, the lens on the wall) is no time of inspection.
BLINK_S = 1.0
# How long a stretch has to be for its speed to count; looking to and fro takes a few seconds.
STRETCH_S = 10.0
# Shortest withdrawal that guidelines recommend, in minutes: until 2024, and since (ASGE/ACG 2024).
RECOMMENDED_MIN = (6, 8)
PACES = ("calm", "brisk", "fast")


@dataclass(frozen=True)
class SegmentFigures:
    """Speed is in percent of the colon per minute: a monocular camera knows no centimetres.

    `net_s` is without biopsies and without stretches that show nothing. All are None where no segment at all is named:
    that is not zero seconds.
    """

    time_s: float | None
    net_s: float | None
    share_of_time: float | None
    speed_percent_per_min: float | None
    noninformative_share: float | None
    dropped_share: float | None


_UNKNOWN = SegmentFigures(None, None, None, None, None, None)
_NONE_SPENT = SegmentFigures(0.0, 0.0, 0.0, None, None, None)


@dataclass(frozen=True)
class WithdrawalFigures:
    """Figures of a whole withdrawal; `net_s` as in `SegmentFigures`."""

    duration_s: float
    net_s: float
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
    looked = _looked(time_s, dropped, noninformative)[placed]
    index, segment, dropped, noninformative = index[placed], segment[placed], dropped[placed], noninformative[placed]
    lasts = _durations(time_s[placed])
    total = float(lasts.sum())
    figures = dict.fromkeys(SEGMENTS, _UNKNOWN)
    for k, name in enumerate(SEGMENTS if segment.any() else (), 1):
        here = segment == k
        figures[name] = _one(total, lasts[here], index[here], dropped[here], noninformative[here], looked[here])
    nothing, lost = (float(lasts[rows].sum()) / total if total > 0 else 0.0 for rows in (noninformative, dropped))
    return WithdrawalFigures(total, float(lasts[looked].sum()), nothing, lost, figures)


def _looked(time_s: FloatArray, dropped: NDArray[np.bool_], noninformative: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Frames in which the mucosa could be looked at: no instrument, and not in a stretch that shows nothing."""
    looked = ~dropped | noninformative
    ends_s = np.append(time_s, time_s[-1:])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], dropped, [False]]).astype(np.int8)))
    for first, behind in edges.reshape(-1, 2).tolist():
        if ends_s[behind] - time_s[first] >= BLINK_S:
            looked[first:behind] = False
    return looked


def fastest_stretches(time_s: FloatArray, index: FloatArray, most: int = 3) -> list[tuple[float, float, float]]:
    """Start, end and speed (percent of the colon per minute) of the fastest stretches, the fastest first.

    Only those at which the whole colon would take less time than any guideline recommends. They do not overlap.
    """
    known = np.isfinite(index)
    if known.sum() < 2 or time_s[known][-1] - time_s[known][0] < STRETCH_S:
        return []
    starts = np.arange(time_s[known][0], time_s[known][-1] - STRETCH_S + 1e-9, 0.5)
    passed = np.interp(starts + STRETCH_S, time_s[known], index[known]) - np.interp(starts, time_s[known], index[known])
    speed = 100 * passed / (STRETCH_S / 60)
    found: list[tuple[float, float, float]] = []
    for k in np.argsort(-speed, kind="stable"):
        start_s = float(starts[k])
        if len(found) == most or speed[k] <= 100 / RECOMMENDED_MIN[0]:
            break
        if all(abs(start_s - other) >= STRETCH_S for other, _, _ in found):
            found.append((start_s, start_s + STRETCH_S, float(speed[k])))
    return found


def pace(speed_percent_per_min: float | None) -> str:
    """A speed in a word: whether the whole colon would take as long as recommended, as was before, or less."""
    if speed_percent_per_min is None:
        return ""
    before, since = RECOMMENDED_MIN
    return PACES[(speed_percent_per_min > 100 / since) + (speed_percent_per_min > 100 / before)]


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
    looked: NDArray[np.bool_],
) -> SegmentFigures:
    spent = float(lasts.sum())
    if not spent > 0:
        return _NONE_SPENT
    return SegmentFigures(
        time_s=spent,
        net_s=float(lasts[looked].sum()),
        share_of_time=spent / total,
        speed_percent_per_min=100 * float(np.ptp(index)) / (spent / 60),
        noninformative_share=float(lasts[noninformative].sum()) / spent,
        dropped_share=float(lasts[dropped].sum()) / spent,
    )
