"""Training batches: classes in fixed shares, sources in equal shares, missing classes made from good pictures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.quality.labelled import FORCEPS, INFORMATIVE, NONINFORMATIVE, Sample
from haustra.training.quality.augment import augment
from haustra.training.quality.degrade import degrade
from haustra.training.quality.instruments import draw_instrument

Images = NDArray[np.uint8]
CLASSES = (INFORMATIVE, NONINFORMATIVE, FORCEPS)
SHARES = (0.40, 0.36, 0.24)
# Where there are labelled frames of a class, this share of it is still made: made ones are more varied. Sources with
# fewer labelled frames than ENOUGH are drawn from less often, lest the network learn those few by heart.
MADE = 0.5
ENOUGH = 40


@dataclass(frozen=True)
class Batch:
    """uint8 pictures (N, S, S, 3) and what the two outputs should say (N, 2)."""

    pictures: Images
    answers: NDArray[np.float32]


class Pool:
    """The training pictures by class and source; draws batches that depend on the random numbers handed in alone."""

    def __init__(self, samples: Sequence[Sample], pictures: Images, size: int) -> None:
        self._pictures = pictures
        self._size = size
        self._where: dict[str, dict[int, list[int]]] = {name: defaultdict(list) for name in CLASSES}
        for position, sample in enumerate(samples):
            self._where[class_of(sample)][sample.source].append(position)
        if not self._where[INFORMATIVE]:
            raise HaustraError("the training part has no informative frame: the other classes are made from them")

    def draw(self, count: int, rng: np.random.Generator) -> Batch:
        kinds = rng.choice(len(CLASSES), count, p=SHARES)
        pictures = np.stack([augment(self._picture(CLASSES[kind], rng), self._size, rng) for kind in kinds])
        answers = np.array([[kind == 1, kind == 2] for kind in kinds], np.float32)
        return Batch(pictures, answers)

    def _picture(self, name: str, rng: np.random.Generator) -> Images:
        """A picture of the class: a labelled one, or one made from an informative picture."""
        labelled = self._where[name]
        if name != INFORMATIVE and rng.random() >= (1 - MADE) * min(1.0, sum(_weights(labelled))):
            base = self._any(self._where[INFORMATIVE], rng)
            return degrade(base, rng) if name == NONINFORMATIVE else draw_instrument(base, rng)
        return self._any(labelled, rng)

    def _any(self, by_source: dict[int, list[int]], rng: np.random.Generator) -> Images:
        weights = np.array(_weights(by_source))
        positions = list(by_source.values())[int(rng.choice(len(weights), p=weights / weights.sum()))]
        return self._pictures[positions[int(rng.integers(len(positions)))]]


def _weights(by_source: dict[int, list[int]]) -> list[float]:
    return [min(len(positions), ENOUGH) / ENOUGH for positions in by_source.values()]


def class_of(sample: Sample) -> str:
    return sample.label if sample.label in (INFORMATIVE, FORCEPS) else NONINFORMATIVE
