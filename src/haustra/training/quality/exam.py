"""Questions with known answers that a trained model is put to: labelled frames, and good pictures spoilt on purpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.evaluate.quality import MeanStd, best_threshold, binary_scores, mean_std, scores_by_recording
from haustra.quality.decide import Thresholds
from haustra.quality.frames import prepare
from haustra.quality.labelled import INFORMATIVE, Sample
from haustra.quality.model import Chances
from haustra.training.quality.degrade import DEGRADATIONS, degrade
from haustra.training.quality.instruments import draw_instrument

Images = NDArray[np.uint8]
Classify = Callable[[Images], Chances]

# How many of the good frames a threshold must keep. A lost good frame costs little, a false biopsy two seconds.
KEEP_GOOD, KEEP_WITHOUT_FORCEPS = 0.97, 0.995
MADE_SEED = 2021


@dataclass(frozen=True)
class Exam:
    """Pictures with the true answers (N, 2) and the recording each comes from."""

    pictures: Images
    answers: NDArray[np.bool_]
    recordings: list[str]


def labelled_exam(samples: Sequence[Sample], pictures: Images, size: int) -> Exam:
    answers = np.array([sample.answers for sample in samples], np.bool_).reshape(-1, 2)
    return Exam(_sized(pictures, size), answers, [sample.recording for sample in samples])


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
    answers = np.zeros((2 * len(positions), 2), np.bool_)
    answers[len(positions) :, question] = True
    recordings = [samples[position].recording for position in positions]
    pictures = _sized([*good, *made], size)
    return Exam(pictures, answers, recordings * 2)


def _sized(pictures: Images | Sequence[Images], size: int) -> Images:
    if not len(pictures):
        return np.zeros((0, size, size, 3), np.uint8)
    return np.stack([prepare(picture, size) for picture in pictures])


def choose_thresholds(exams: Sequence[Exam], classify: Classify) -> Thresholds:
    """One pair of thresholds that keeps enough good frames in each of the exams."""
    first, second = [], []
    for exam in exams:
        chances = classify(exam.pictures)
        poor, forceps = exam.answers[:, 0], exam.answers[:, 1]
        if poor.any() and not poor.all():
            first.append(best_threshold(poor, chances.noninformative, KEEP_GOOD))
        if forceps.any() and not forceps.all():
            second.append(best_threshold(forceps, chances.forceps, KEEP_WITHOUT_FORCEPS))
    return Thresholds(round(max(first, default=0.5), 4), round(max(second, default=0.5), 4))


def table_1(exam: Exam, chances: Chances, thresholds: Thresholds) -> dict[str, dict[str, MeanStd]]:
    """Both rows of the paper's Table 1: mean (std) over the recordings of the exam."""
    return {
        "noninformative": mean_std(
            scores_by_recording(exam.answers[:, 0], chances.noninformative, thresholds.noninformative, exam.recordings)
        ),
        "forceps": mean_std(
            scores_by_recording(exam.answers[:, 1], chances.forceps, thresholds.forceps, exam.recordings)
        ),
    }


def mean_aucpr(exam: Exam, chances: Chances) -> float:
    """The figure that the paper chooses settings by, over the questions that the exam asks."""
    found = []
    for truth, chance in zip(exam.answers.T, (chances.noninformative, chances.forceps), strict=True):
        if truth.any() and not truth.all():
            found.append(binary_scores(truth, chance, 0.5)["aucpr"])
    return float(np.mean(found))
