"""The judge of stage 2: both probabilities of frames in the order of time, for every frame or only for some.

`locate` runs the network on some (`quality.sparse`), `haustra quality` on every frame; all else is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.chunks import Image, Judged, SampledFrame, batches
from haustra.quality.decide import Thresholds
from haustra.quality.model import QualityModel
from haustra.quality.prefilter import PreFilter
from haustra.quality.sparse import ask_sparsely
from haustra.terms import Reason
from haustra.video import Frame

# `map`, or that of a pool: batches may run side by side.
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

_NOTHING = np.empty((2, 0), np.float32)
_KEEP_ALL = Thresholds(1.0, 1.0)


class Judge:
    """Without a `model` nothing is removed (the paper's row "with all frames"). `cover` is put over every picture."""

    def __init__(
        self,
        model: QualityModel | None,
        *,
        sparse: bool,
        thresholds: Thresholds | None = None,
        cover: Callable[[Image], Image] | None = None,
    ) -> None:
        self.model, self._sparse, self._cover = model, sparse, cover or _as_it_is
        self.thresholds = thresholds or (_KEEP_ALL if model is None else model.thresholds)

    def samples(self, frames: Iterable[Frame]) -> Iterator[SampledFrame]:
        """Takes out frames that need no network; cheap, for the thread that reads."""
        prefilter = PreFilter()
        for frame in frames:
            kind = Reason.KEPT if self.model is None else prefilter(frame.image)
            yield SampledFrame(frame.time_s, kind, frame.image)

    def __call__(self, chunk: Sequence[SampledFrame], run: Map = map) -> Judged:
        """Both probabilities of every sample of a chunk; batches never cross it."""
        time_s = np.array([sample.time_s for sample in chunk], dtype=np.float64)
        chances = np.full((2, len(chunk)), np.nan, np.float32)
        if self.model is not None:
            live = np.array([i for i, sample in enumerate(chunk) if not sample.kind], np.intp)
            ask = _asking(self.model, self._cover, chunk, live, run)
            everything = np.arange(len(live), dtype=np.intp)
            chances[:, live] = ask_sparsely(time_s[live], ask, self.thresholds) if self._sparse else ask(everything)
        return Judged(time_s, chances[0], chances[1], tuple(sample.kind for sample in chunk))


def _as_it_is(picture: Image) -> Image:
    return picture


def _asking(
    model: QualityModel,
    cover: Callable[[Image], Image],
    chunk: Sequence[SampledFrame],
    live: NDArray[np.intp],
    run: Map,
) -> Callable[[NDArray[np.intp]], NDArray[np.float32]]:
    """Runs the network on some of the `live` frames, in batches."""

    def classify(positions: Sequence[int]) -> NDArray[np.float32]:
        answer = model.classify([cover(chunk[i].picture) for i in positions])
        return np.stack([answer.noninformative, answer.forceps])

    def ask(positions: NDArray[np.intp]) -> NDArray[np.float32]:
        return np.concatenate([_NOTHING, *run(classify, batches(live[positions].tolist()))], axis=1)

    return ask
