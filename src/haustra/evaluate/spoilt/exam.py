"""Exams made of good pictures and their spoilt versions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from haustra.evaluate.quality_exam import Exam, sized
from haustra.evaluate.spoilt.degrade import DEGRADATIONS, degrade
from haustra.evaluate.spoilt.instruments import draw_instrument
from haustra.quality.labelled import INFORMATIVE, Sample

Images = NDArray[np.uint8]
MADE_SEED = 2021


def spoilt_exam(samples: Sequence[Sample], pictures: Images, size: int) -> Exam:
    """Every good picture once as it is and once degraded, the kinds in turn; the same on every call."""
    good = [position for position, sample in enumerate(samples) if sample.label == INFORMATIVE]
    kinds = list(DEGRADATIONS)
    made = [
        degrade(pictures[position], np.random.default_rng((MADE_SEED, number)), kinds[number % len(kinds)])
        for number, position in enumerate(good)
    ]
    return _pairs(samples, pictures[good], made, good, size, question=0)


def drawn_exam(samples: Sequence[Sample], pictures: Images, size: int) -> Exam:
    """Every good picture once as it is and once with an instrument drawn in."""
    good = [position for position, sample in enumerate(samples) if sample.label == INFORMATIVE]
    made = [
        draw_instrument(pictures[position], np.random.default_rng((MADE_SEED, 1, number)))
        for number, position in enumerate(good)
    ]
    return _pairs(samples, pictures[good], made, good, size, question=1)


def _pairs(
    samples: Sequence[Sample], good: Images, made: Sequence[Images], positions: Sequence[int], size: int, question: int
) -> Exam:
    answers = np.zeros((2 * len(positions), 2), np.float32)
    answers[len(positions) :, question] = 1.0
    recordings = [f"{samples[position].source} {samples[position].recording}" for position in positions]
    pictures = sized([*good, *made], size)
    return Exam(pictures, answers, recordings * 2)
