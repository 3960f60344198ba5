"""Segment classification of real withdrawals by time alone (CAS-Colon): no video, only when each region was seen.

The label of a second is the region annotated for it. A withdrawal lasts from the first second in the cecum to the last
annotated one; flexures count with the segment before them, the anal canal with the rectum; seconds back in the ileum
have no label. Withdrawals that do not pass the segments in order are included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.anatomy.decoder import decode_segments
from haustra.anatomy.decoder_priors import DurationPrior, duration_prior_of
from haustra.anatomy.landmarks import BOUNDARY_OF, Landmark
from haustra.anatomy.parameters import DecoderParameters
from haustra.anatomy.template import Template, build_template
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS, segment_number
from haustra.lab.datasets.cas_colon import NotedWithdrawal
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows
from haustra.path.indices import time_index

# Standard deviation of given landmarks: exact flexures lose no accuracy by it, and errors of 10 s cost little.
GIVEN_STD_S = 2.0


@dataclass(frozen=True)
class TimedSegments:
    """Labels of one withdrawal: the middle of each second from its start, and its segment 1..6 (0: none)."""

    name: str
    time_s: FloatArray
    segment: NDArray[np.int64]

    @property
    def seconds(self) -> FloatArray:
        return np.array([(self.segment == segment_number(name)).sum() for name in SEGMENTS], dtype=np.float64)

    @property
    def entered_s(self) -> FloatArray:
        """Times of the inner boundaries: cumulative time in the segments before each."""
        return np.cumsum(self.seconds)[:-1]


def timed_segments(withdrawal: NotedWithdrawal) -> TimedSegments:
    """Labels per second (see above)."""
    end_s = max(interval.end_s for interval in withdrawal.intervals)
    time_s = np.arange(0.5, end_s, 1.0)
    segment = withdrawal.segments_at(time_s)
    for interval in withdrawal.intervals:
        if interval.region == "Anal_Canal":
            segment[(time_s >= interval.start_s) & (time_s < interval.end_s) & (segment == 0)] = segment_number(
                "rectum"
            )
    cecum = np.flatnonzero(segment == segment_number("cecum"))
    if not len(cecum):
        raise HaustraError(f"withdrawal {withdrawal.name} has no time in the cecum: its start is unknown")
    return TimedSegments(withdrawal.name, time_s[cecum[0] :] - time_s[cecum[0]] + 0.5, segment[cecum[0] :])


def time_template(name: str, truths: Sequence[TimedSegments], source: str, note: str = "") -> Template:
    """Template of the share of time in each segment, as the paper's time templates."""
    seconds = np.stack([truth.seconds for truth in truths])
    return build_template(name, seconds / seconds.sum(axis=1, keepdims=True), [source], note)


def by_template(truth: TimedSegments, template: Template) -> float:
    """Accuracy of the time index with a time template (the paper's baseline)."""
    return _accuracy(segments_of(time_index(truth.time_s).index, template), truth)


def by_decoder(
    truth: TimedSegments, template: Template, durations: DurationPrior, landmarks: Sequence[Landmark] = ()
) -> float:
    """Accuracy of the decoder from time and the given landmarks alone."""
    clock = time_index(truth.time_s).index
    decoded = decode_segments(
        truth.time_s, clock, None, template, DecoderParameters(), durations=durations, landmarks=landmarks
    )
    return _accuracy(decoded.segments, truth)


def given_landmarks(
    truth: TimedSegments, boundaries: Sequence[int], error_s: float, rng: np.random.Generator
) -> tuple[Landmark, ...]:
    """Boundaries as a user might give them, with independent normal errors."""
    true_s = truth.entered_s
    return tuple(Landmark(k, float(true_s[k - 1] + error_s * rng.standard_normal()), GIVEN_STD_S) for k in boundaries)


def leave_one_out(
    truths: Sequence[TimedSegments], boundaries: Sequence[int] = (), error_s: float = 0.0, seed: int = 0
) -> FloatArray:
    """The decoder's accuracy on each withdrawal, with the durations of all others."""
    accuracy = []
    for k, truth in enumerate(truths):
        others = [other for other in truths if other is not truth]
        durations = duration_prior_of(np.stack([other.seconds for other in others]))
        given = given_landmarks(truth, boundaries, error_s, np.random.default_rng([seed, k]))
        accuracy.append(by_decoder(truth, time_template("others", others, ""), durations, given))
    return np.array(accuracy)


def _boundaries(*names: str) -> tuple[int, ...]:
    return tuple(BOUNDARY_OF[name] for name in names)


def template_leave_one_out(truths: Sequence[TimedSegments]) -> FloatArray:
    """The time index' accuracy on each withdrawal, with the time template of all others."""
    return np.array([by_template(t, time_template("others", [o for o in truths if o is not t], "")) for t in truths])


# The landmarks given, by the boundaries they mark.
GIVEN = {
    "nothing": (),
    "both flexures": _boundaries("hepatic", "splenic"),
    "and the cecum's exit": _boundaries("ascending", "hepatic", "splenic"),
    "and the sigmoid's start": _boundaries("ascending", "hepatic", "splenic", "sigmoid"),
}
ERROR_S = 10.0
SEEDS = 5


def times_table(truths: Sequence[TimedSegments]) -> ResultTable:
    """Accuracy by the given landmarks, exact and with an error of 10 s (mean over seeds)."""
    rows: dict[str, list[Value | None]] = {"time template": [Value.of(template_leave_one_out(truths)), None]}
    for name, boundaries in GIVEN.items():
        seeds = range(SEEDS if boundaries else 0)
        wrong = [float(leave_one_out(truths, boundaries, ERROR_S, seed).mean()) for seed in seeds]
        exact = Value.of(leave_one_out(truths, boundaries))
        rows[f"decoder, given {name}"] = [exact, Value(float(np.mean(wrong))) if wrong else None]
    title = f"Segments of {len(truths)} real withdrawals by time, leave-one-out"
    return of_rows("withdrawal-times", title, ("Accuracy", f"given with {ERROR_S:g} s of error"), rows)


def _accuracy(segment: NDArray[np.int64], truth: TimedSegments) -> float:
    noted = truth.segment > 0
    return float((segment[noted] == truth.segment[noted]).mean())
