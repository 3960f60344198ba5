"""Questions with known answers for a model, and the paper's tab:image_classification from its replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.evaluate.quality import MeanStd, best_threshold, binary_scores, mean_std, scores_by_recording
from haustra.quality.decide import Thresholds
from haustra.quality.frames import prepare
from haustra.quality.labelled import Sample
from haustra.quality.model import Chances

Images = NDArray[np.uint8]
Classify = Callable[[Images], Chances]

# How many of the good frames a threshold must keep. A lost good frame costs little, a false biopsy two seconds.
KEEP_GOOD, KEEP_WITHOUT_FORCEPS = 0.97, 0.995


@dataclass(frozen=True)
class Exam:
    """Pictures with the true answers (N, 2; NaN: not known) and the recording each comes from."""

    pictures: Images
    answers: NDArray[np.float32]
    recordings: list[str]

    def question(self, number: int, chances: Chances) -> Question:
        """One of the two questions, on the pictures whose answer is known."""
        known = ~np.isnan(self.answers[:, number])
        chance = chances.forceps if number else chances.noninformative
        names = [name for name, keep in zip(self.recordings, known, strict=True) if keep]
        return Question(self.answers[known, number] > 0.5, chance[known], names)


@dataclass(frozen=True)
class Question:
    """Truth, answer and recording of every picture that one question can be asked about."""

    truth: NDArray[np.bool_]
    chance: NDArray[np.float32]
    recordings: list[str]

    @property
    def fair(self) -> bool:
        """Both answers occur."""
        return bool(self.truth.any() and not self.truth.all())


def labelled_exam(samples: Sequence[Sample], pictures: Images, size: int) -> Exam:
    answers = np.array([sample.answers for sample in samples], np.float32).reshape(-1, 2)
    return Exam(sized(pictures, size), answers, [f"{sample.source} {sample.recording}" for sample in samples])


def sized(pictures: Images | Sequence[Images], size: int) -> Images:
    if not len(pictures):
        return np.zeros((0, size, size, 3), np.uint8)
    return np.stack([prepare(picture, size) for picture in pictures])


def choose_thresholds(exams: Sequence[Exam], classify: Classify) -> Thresholds:
    """One pair of thresholds that keeps enough good frames in each of the exams."""
    found: list[list[float]] = [[], []]
    for exam in exams:
        chances = classify(exam.pictures)
        for number, keep in enumerate((KEEP_GOOD, KEEP_WITHOUT_FORCEPS)):
            asked = exam.question(number, chances)
            if asked.fair:
                found[number].append(best_threshold(asked.truth, asked.chance, keep))
    return Thresholds(*(round(max(values, default=0.5), 4) for values in found))


def classification_table(exam: Exam, chances: Chances, thresholds: Thresholds) -> dict[str, dict[str, MeanStd]]:
    """Both rows of the paper's tab:image_classification: mean (std) over the recordings of the exam."""
    rows = {}
    for number, (name, threshold) in enumerate(asdict(thresholds).items()):
        asked = exam.question(number, chances)
        rows[name] = mean_std(scores_by_recording(asked.truth, asked.chance, threshold, asked.recordings))
    return rows


def mean_aucpr(exam: Exam, chances: Chances) -> float:
    """The figure that the paper chooses settings by, over the questions that the exam asks."""
    asked = [exam.question(number, chances) for number in (0, 1)]
    found = [binary_scores(one.truth, one.chance, 0.5)["aucpr"] for one in asked if one.fair]
    return float(np.mean(found)) if found else float("nan")


def pooled_scores(exam: Exam, chances: Chances, thresholds: Thresholds) -> dict[str, float]:
    """Scores over all pictures at once: stills have no recording that holds both answers."""
    scores: dict[str, float] = {}
    for number, (question, threshold) in enumerate(asdict(thresholds).items()):
        asked = exam.question(number, chances)
        if asked.fair:
            values = binary_scores(asked.truth, asked.chance, threshold)
            scores |= {f"{question} {key}": values[key] for key in ("auc", "sensitivity", "specificity")}
    return scores


def kept_share(chances: Chances, answers: NDArray[np.float32], thresholds: Thresholds) -> float:
    """Share of the good frames (informative, no instrument) that both thresholds let pass."""
    good = (answers == 0).all(axis=1)
    passed = (chances.noninformative < thresholds.noninformative) & (chances.forceps < thresholds.forceps)
    return float(passed[good].mean())
