"""Where `locate` goes on when it was interrupted: the same chunks follow as if it had not been."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from haustra.core.vocabulary import BLANK
from haustra.motion.stream import PreviousFrame
from haustra.quality.samples import SampledFrame
from haustra.results.observations import Observations


def read_from(done: list[Observations], start_s: float, longest_pair_s: float) -> float:
    """Where a run that was interrupted reads on.

    The last samples are read again: the next one may be the same picture, frozen, and makes a pair with the last that
    shows anything. After damage a decoder goes on with what it has, which is not what it would have after a seek: such
    a recording is read from its start.
    """
    return start_s if not done or done[-1].problems else max(float(done[-1].time_s[-1]) - longest_pair_s, start_s)


def resumed(
    samples: Iterator[SampledFrame], before: Observations
) -> tuple[PreviousFrame | None, Iterator[SampledFrame]]:
    """The last known sample that shows anything, and the samples after the known ones."""
    reasons = dict(zip(before.time_s.tolist(), before.reason, strict=True))
    previous = None
    for sample in samples:
        if sample.time_s > before.time_s[-1]:
            return previous, chain([sample], samples)
        reason = reasons.get(sample.time_s)
        if reason is not None and reason not in BLANK:
            previous = PreviousFrame(sample.time_s, sample.picture, kept=not reason)
    return previous, samples
