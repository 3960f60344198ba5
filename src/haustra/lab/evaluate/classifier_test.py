"""Test sets of the frame classifiers and their scores (paper, tab:image_classification)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Images
from haustra.lab.evaluate.classification_scores import (
    MeanStd,
    best_threshold,
    binary_scores,
    mean_std,
    scores_by_recording,
)
from haustra.quality.decide import Thresholds
from haustra.quality.labelled import Sample
from haustra.quality.network_input import prepare
from haustra.quality.quality_model import FrameProbabilities

Classify = Callable[[Images], FrameProbabilities]

# Least specificity of a threshold. A good frame lost costs little, a false biopsy removes two seconds.
KEEP_GOOD, KEEP_WITHOUT_FORCEPS = 0.97, 0.995


@dataclass(frozen=True)
class ClassifierTest:
    """Pictures, their labels (N, 2: non-informative, forceps; NaN: not labelled) and the recording each comes from."""

    pictures: Images
    labels: NDArray[np.float32]
    recordings: list[str]

    def predictions(self, task: int, probabilities: FrameProbabilities) -> Predictions:
        """Of one of the two tasks, on the pictures labelled for it."""
        known = ~np.isnan(self.labels[:, task])
        probability = probabilities.forceps if task else probabilities.noninformative
        names = [name for name, keep in zip(self.recordings, known, strict=True) if keep]
        return Predictions(self.labels[known, task] > 0.5, probability[known], names)


@dataclass(frozen=True)
class Predictions:
    """Label, predicted probability and recording of every picture labelled for a task."""

    truth: NDArray[np.bool_]
    probability: NDArray[np.float32]
    recordings: list[str]

    @property
    def has_both_classes(self) -> bool:
        """AUC and thresholds need both."""
        return bool(self.truth.any() and not self.truth.all())


def labelled_test(samples: Sequence[Sample], pictures: Images, size: int) -> ClassifierTest:
    """The test that labelled frames and their pictures make."""
    labels = np.array([sample.answers for sample in samples], np.float32).reshape(-1, 2)
    return ClassifierTest(sized(pictures, size), labels, [f"{sample.source} {sample.recording}" for sample in samples])


def sized(pictures: Images | Sequence[Images], size: int) -> Images:
    """Pictures of any size as the network's input (n, size, size, 3)."""
    if not len(pictures):
        return np.zeros((0, size, size, 3), np.uint8)
    return np.stack([prepare(picture, size) for picture in pictures])


def choose_thresholds(tests: Sequence[ClassifierTest], classify: Classify) -> Thresholds:
    """One pair of thresholds that reaches the least specificity in every test."""
    found: list[list[float]] = [[], []]
    for test in tests:
        probabilities = classify(test.pictures)
        for task, keep in enumerate((KEEP_GOOD, KEEP_WITHOUT_FORCEPS)):
            predicted = test.predictions(task, probabilities)
            if predicted.has_both_classes:
                found[task].append(best_threshold(predicted.truth, predicted.probability, keep))
    return Thresholds(*(round(max(values, default=0.5), 4) for values in found))


def classification_table(
    test: ClassifierTest, probabilities: FrameProbabilities, thresholds: Thresholds
) -> dict[str, dict[str, MeanStd]]:
    """Both rows of the paper's tab:image_classification: mean (std) over the recordings of the test."""
    rows = {}
    for task, (name, threshold) in enumerate(asdict(thresholds).items()):
        predicted = test.predictions(task, probabilities)
        rows[name] = mean_std(
            scores_by_recording(predicted.truth, predicted.probability, threshold, predicted.recordings)
        )
    return rows


def mean_aucpr(test: ClassifierTest, probabilities: FrameProbabilities) -> float:
    """Mean AUCPR of the tasks, by which the paper chooses hyper-parameters."""
    predicted = [test.predictions(task, probabilities) for task in (0, 1)]
    found = [binary_scores(one.truth, one.probability, 0.5)["aucpr"] for one in predicted if one.has_both_classes]
    return float(np.mean(found)) if found else float("nan")


def pooled_scores(test: ClassifierTest, probabilities: FrameProbabilities, thresholds: Thresholds) -> dict[str, float]:
    """Scores over all pictures at once: with stills, no recording has both classes."""
    scores: dict[str, float] = {}
    for task, (name, threshold) in enumerate(asdict(thresholds).items()):
        predicted = test.predictions(task, probabilities)
        if predicted.has_both_classes:
            values = binary_scores(predicted.truth, predicted.probability, threshold)
            scores |= {f"{name} {key}": values[key] for key in ("auc", "sensitivity", "specificity")}
    return scores


def kept_share(probabilities: FrameProbabilities, labels: NDArray[np.float32], thresholds: Thresholds) -> float:
    """Share of the good frames (informative, no instrument) below both thresholds."""
    good = (labels == 0).all(axis=1)
    passed = (probabilities.noninformative < thresholds.noninformative) & (probabilities.forceps < thresholds.forceps)
    return float(passed[good].mean())
