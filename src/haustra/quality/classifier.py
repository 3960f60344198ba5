"""The frame classifier of stage 2: both probabilities of sampled frames, and which frames are dropped.

`locate` runs the network on some frames (`quality.sparse`), `haustra quality` on every one; all else is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Float32Array, Image
from haustra.core.onnx import batches
from haustra.quality.decide import Thresholds, apply_thresholds
from haustra.quality.quality_model import QualityModel
from haustra.quality.samples import SampledFrame, in_chunks, sampled
from haustra.quality.sparse import classify_sparsely
from haustra.results.observations import Observations
from haustra.video import Frame

# `map`, or that of a pool: batches may run side by side.
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

T = TypeVar("T")

_NOTHING = np.empty((2, 0), np.float32)
_KEEP_ALL = Thresholds(1.0, 1.0)


class FrameClassifier:
    """Without a `model` nothing is dropped (the paper's row "with all frames"). `mask` is applied to every picture."""

    def __init__(
        self,
        model: QualityModel | None,
        *,
        sparse: bool,
        thresholds: Thresholds | None = None,
        mask: Callable[[Image], Image] | None = None,
    ) -> None:
        self.model, self._sparse, self._mask = model, sparse, mask or _unchanged
        self.thresholds = thresholds or (_KEEP_ALL if model is None else model.thresholds)

    def samples(self, frames: Iterable[Frame]) -> Iterator[SampledFrame]:
        """Mark the frames that need no network."""
        return sampled(frames, filtered=self.model is not None)

    def observe(
        self, samples: Iterable[SampledFrame], before: Observations | None = None, run: Map = map
    ) -> Iterator[tuple[list[SampledFrame], Observations]]:
        """Chunks of samples with their probabilities and reasons, each when the one after it has been classified.

        A biopsy takes out a second on either side, so what is kept depends on the chunk `before` and the one after.
        """
        scored = ((chunk, self.score(chunk, run)) for chunk in in_chunks(samples))
        for (chunk, scores), following in _with_next(scored):
            parts = [*([] if before is None else [before]), scores, *([] if following is None else [following[1]])]
            first = 0 if before is None else len(before)
            decided = apply_thresholds(Observations.concatenated(parts), self.thresholds)
            before = decided.rows(slice(first, first + len(scores)))
            yield chunk, before

    def score(self, chunk: Sequence[SampledFrame], run: Map = map) -> Observations:
        """Both probabilities of every sample of a chunk; batches never cross it."""
        time_s = np.array([sample.time_s for sample in chunk], dtype=np.float64)
        scores = np.full((2, len(chunk)), np.nan, np.float32)
        if self.model is not None:
            live = np.array([i for i, sample in enumerate(chunk) if not sample.reason], np.intp)
            classify = _classify(self.model, self._mask, [chunk[i].picture for i in live], run)
            everything = np.arange(len(live), dtype=np.intp)
            scores[:, live] = (
                classify_sparsely(time_s[live], classify, self.thresholds) if self._sparse else classify(everything)
            )
        reasons = tuple(sample.reason for sample in chunk)
        return Observations(time_s=time_s, p_noninformative=scores[0], p_forceps=scores[1], reason=reasons)


def _unchanged(picture: Image) -> Image:
    return picture


def _classify(
    model: QualityModel, mask: Callable[[Image], Image], pictures: Sequence[Image], run: Map
) -> Callable[[NDArray[np.intp]], Float32Array]:
    """A function that runs the network, in batches, on the pictures at some positions."""

    def batch(positions: Sequence[int]) -> Float32Array:
        found = model.classify([mask(pictures[i]) for i in positions])
        return np.stack([found.noninformative, found.forceps])

    return lambda positions: np.concatenate([_NOTHING, *run(batch, batches(positions.tolist()))], axis=1)


def _with_next(items: Iterable[T]) -> Iterator[tuple[T, T | None]]:
    """Each item with the one after it."""
    held: T | None = None
    for item in items:
        if held is not None:
            yield held, item
        held = item
    if held is not None:
        yield held, None
