"""Sampled frames on their way through stages 2 to 5, in chunks of ten seconds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from haustra.core.arrays import Image
from haustra.core.vocabulary import Reason
from haustra.quality.prefilter import prefilter, thinned
from haustra.video import Frame

CHUNK_S = 10.0


@dataclass(frozen=True)
class SampledFrame:
    """A frame that was sampled; `reason` is why the network need not classify it, if so."""

    time_s: float
    reason: Reason
    picture: Image


def sampled(frames: Iterable[Frame], *, filtered: bool) -> Iterator[SampledFrame]:
    """The frames with the prefilter's reason, or as they are; cheap, for the thread that decodes."""
    previous: Image | None = None
    for frame in frames:
        thin = thinned(frame.image)
        yield SampledFrame(frame.time_s, prefilter(thin, previous) if filtered else Reason.KEPT, frame.image)
        previous = thin


def in_chunks(samples: Iterable[SampledFrame]) -> Iterator[list[SampledFrame]]:
    """The samples cut at full tens of seconds, wherever they begin: a run that resumes has the same chunks."""
    for _, chunk in groupby(samples, key=lambda sample: int(sample.time_s // CHUNK_S)):
        yield list(chunk)
