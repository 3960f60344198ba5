"""Training batches: classes in fixed shares, sources in equal shares, missing classes synthesised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Images
from haustra.core.errors import HaustraError
from haustra.lab.evaluate.degraded.degrade import degrade
from haustra.lab.evaluate.degraded.instruments import draw_instrument
from haustra.lab.training.quality.augment import augment
from haustra.quality.labelled import FORCEPS, INFORMATIVE, NONINFORMATIVE, Sample

CLASSES = (INFORMATIVE, NONINFORMATIVE, FORCEPS)
SHARES = (0.40, 0.36, 0.24)
# Share of a class that is synthesised even where labelled frames exist: synthetic ones are more varied. Sources with
# fewer labelled frames than ENOUGH are drawn less often, to avoid overfitting to them.
MADE = 0.5
ENOUGH = 40


@dataclass(frozen=True)
class LabelledBatch:
    """uint8 pictures (N, S, S, 3) and labels of both tasks (N, 2); NaN where unknown."""

    pictures: Images
    answers: NDArray[np.float32]


class Pool:
    """Training pictures by class and source; batches depend only on the given random generator."""

    def __init__(self, samples: Sequence[Sample], pictures: Images, size: int) -> None:
        self._samples = samples
        self._pictures = pictures
        self._size = size
        self._where: dict[str, dict[str, list[int]]] = {name: defaultdict(list) for name in CLASSES}
        for position, sample in enumerate(samples):
            self._where[class_of(sample)][sample.source].append(position)
        if not self._where[INFORMATIVE]:
            raise HaustraError(
                "the training split has no informative frame: the other classes are synthesised from them"
            )

    def draw(self, count: int, rng: np.random.Generator) -> LabelledBatch:
        drawn = [self._one(CLASSES[kind], rng) for kind in rng.choice(len(CLASSES), count, p=SHARES)]
        pictures = np.stack([augment(picture, self._size, rng) for picture, _ in drawn])
        return LabelledBatch(pictures, np.array([answers for _, answers in drawn], np.float32))

    def _one(self, name: str, rng: np.random.Generator) -> tuple[Images, tuple[float, float]]:
        """A picture of the class with its labels: a labelled one, or one synthesised from an informative picture."""
        labelled = self._where[name]
        if name != INFORMATIVE and rng.random() >= (1 - MADE) * min(1.0, sum(_weights(labelled))):
            base = self._pictures[self._any(self._where[INFORMATIVE], rng)]
            if name == NONINFORMATIVE:
                return degrade(base, rng), (1.0, 0.0)
            return draw_instrument(base, rng), (0.0, 1.0)
        position = self._any(labelled, rng)
        return self._pictures[position], self._samples[position].answers

    def _any(self, by_source: dict[str, list[int]], rng: np.random.Generator) -> int:
        """The position of a picture, from any source."""
        weights = np.array(_weights(by_source))
        positions = list(by_source.values())[int(rng.choice(len(weights), p=weights / weights.sum()))]
        return positions[int(rng.integers(len(positions)))]


def _weights(by_source: dict[str, list[int]]) -> list[float]:
    return [min(len(positions), ENOUGH) / ENOUGH for positions in by_source.values()]


def class_of(sample: Sample) -> str:
    """The class that a label belongs to."""
    return sample.label if sample.label in (INFORMATIVE, FORCEPS) else NONINFORMATIVE
