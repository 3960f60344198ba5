"""Test sets of good pictures and their degraded versions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haustra.core.arrays import Images
from haustra.lab.evaluate.classifier_test import ClassifierTest, sized
from haustra.lab.evaluate.degraded.degrade import DEGRADATIONS, degrade
from haustra.lab.evaluate.degraded.instruments import draw_instrument
from haustra.quality.labelled import INFORMATIVE, Sample

MADE_SEED = 2021


def degraded_test(samples: Sequence[Sample], pictures: Images, size: int) -> ClassifierTest:
    """Every good picture once as it is and once degraded, the kinds in turn; the same on every call."""
    good = [position for position, sample in enumerate(samples) if sample.label == INFORMATIVE]
    kinds = list(DEGRADATIONS)
    made = [
        degrade(pictures[position], np.random.default_rng((MADE_SEED, number)), kinds[number % len(kinds)])
        for number, position in enumerate(good)
    ]
    return _pairs(samples, pictures[good], made, good, size, task=0)


def instrument_test(samples: Sequence[Sample], pictures: Images, size: int) -> ClassifierTest:
    """Every good picture once as it is and once with an instrument drawn in."""
    good = [position for position, sample in enumerate(samples) if sample.label == INFORMATIVE]
    made = [
        draw_instrument(pictures[position], np.random.default_rng((MADE_SEED, 1, number)))
        for number, position in enumerate(good)
    ]
    return _pairs(samples, pictures[good], made, good, size, task=1)


def _pairs(
    samples: Sequence[Sample], good: Images, made: Sequence[Images], positions: Sequence[int], size: int, task: int
) -> ClassifierTest:
    labels = np.zeros((2 * len(positions), 2), np.float32)
    labels[len(positions) :, task] = 1.0
    recordings = [f"{samples[position].source} {samples[position].recording}" for position in positions]
    pictures = sized([*good, *made], size)
    return ClassifierTest(pictures, labels, recordings * 2)
