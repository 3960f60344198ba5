"""Test sets of the frame classifiers: which pictures belong to a task, and scores by plain counting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from haustra.lab.evaluate.classification_scores import best_threshold, binary_scores
from haustra.lab.evaluate.classifier_test import (
    KEEP_GOOD,
    KEEP_WITHOUT_FORCEPS,
    ClassifierTest,
    choose_thresholds,
    classification_table,
    kept_share,
    labelled_test,
    mean_aucpr,
    pooled_scores,
    sized,
)
from haustra.quality.decide import Thresholds
from haustra.quality.labelled import Sample
from haustra.quality.quality_model import FrameProbabilities

UNKNOWN = np.nan


def made_exam(seed: int, count: int = 120) -> tuple[ClassifierTest, FrameProbabilities]:
    """Labels of both tasks, a fifth of them unknown, and a classifier that is mostly right."""
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, 2, (count, 2)).astype(np.float32)
    probability = np.clip(rng.normal(0.3 + 0.4 * answers, 0.2), 0, 1).astype(np.float32)
    answers[rng.random((count, 2)) < 0.2] = UNKNOWN
    names = [f"r{k % 3}" for k in range(count)]
    return ClassifierTest(np.zeros((count, 4, 4, 3), np.uint8), answers, names), FrameProbabilities(
        probability[:, 0], probability[:, 1]
    )


@pytest.mark.parametrize("number", [0, 1])
def test_predictions_are_of_the_pictures_labelled_for_the_task(number: int) -> None:
    test, probabilities = made_exam(0)
    predicted = test.predictions(number, probabilities)
    known = [k for k in range(120) if not np.isnan(test.labels[k, number])]
    said = (probabilities.noninformative, probabilities.forceps)[number]
    assert predicted.truth.tolist() == [test.labels[k, number] == 1 for k in known]
    assert predicted.probability.tolist() == [said[k] for k in known]
    assert predicted.recordings == [test.recordings[k] for k in known]


@pytest.mark.parametrize(("answers", "both"), [([0, 1], True), ([0, 0], False), ([1, 1], False), ([], False)])
def test_both_classes_are_needed(answers: list[int], both: bool) -> None:
    labels = np.array([[answer, UNKNOWN] for answer in answers], np.float32).reshape(-1, 2)
    test = ClassifierTest(np.zeros((len(answers), 4, 4, 3), np.uint8), labels, ["a"] * len(answers))
    nothing = np.zeros(len(answers), np.float32)
    assert test.predictions(0, FrameProbabilities(nothing, nothing)).has_both_classes == both


def test_labelled_pictures_are_made_square_and_named_by_their_recording() -> None:
    samples = [Sample(Path("x.png"), "informative", f"r{k}", "test", source="film") for k in range(2)]
    pictures = np.full((2, 8, 16, 3), 200, np.uint8)
    test = labelled_test(samples, pictures, 8)
    assert test.pictures.shape == (2, 8, 8, 3)
    assert test.pictures[0, :, 0, 0].tolist() == [0, 0, 200, 200, 200, 200, 0, 0]
    assert test.labels.tolist() == [list(sample.answers) for sample in samples]
    assert test.recordings == ["film r0", "film r1"]
    assert labelled_test([], pictures[:0], 8).labels.shape == (0, 2)
    assert sized([], 8).shape == (0, 8, 8, 3)


def test_thresholds_keep_enough_good_frames_in_every_exam() -> None:
    """For each task the strictest threshold over the tests; a half where no test has both classes."""
    predicted = {
        len(test.pictures): (test, probabilities) for test, probabilities in (made_exam(1, 120), made_exam(2, 150))
    }
    tests = [test for test, _ in predicted.values()]
    found = choose_thresholds(tests, lambda pictures: predicted[len(pictures)][1])
    for number, (keep, threshold) in enumerate(
        [(KEEP_GOOD, found.noninformative), (KEEP_WITHOUT_FORCEPS, found.forceps)]
    ):
        wanted = []
        for test, probabilities in predicted.values():
            task = test.predictions(number, probabilities)
            wanted.append(best_threshold(task.truth, task.probability, keep))
        assert wanted[0] != wanted[1]
        assert threshold == round(max(wanted), 4)
    test, probabilities = made_exam(3)
    unfair = ClassifierTest(test.pictures, np.zeros_like(test.labels), test.recordings)
    assert choose_thresholds([unfair], lambda _: probabilities) == Thresholds(0.5, 0.5)


def test_scores_of_a_test_are_those_of_its_tasks() -> None:
    test, probabilities = made_exam(4)
    thresholds = Thresholds(0.4, 0.6)
    first, second = (test.predictions(number, probabilities) for number in (0, 1))
    scores = [binary_scores(first.truth, first.probability, 0.4), binary_scores(second.truth, second.probability, 0.6)]
    pooled = pooled_scores(test, probabilities, thresholds)
    assert pooled == {
        f"{name} {key}": one[key]
        for name, one in zip(("noninformative", "forceps"), scores, strict=True)
        for key in ("auc", "sensitivity", "specificity")
    }
    assert mean_aucpr(test, probabilities) == pytest.approx((scores[0]["aucpr"] + scores[1]["aucpr"]) / 2)
    rows = classification_table(test, probabilities, thresholds)
    for name, predicted, threshold in (("noninformative", first, 0.4), ("forceps", second, 0.6)):
        of = np.array(predicted.recordings)
        each = [
            binary_scores(predicted.truth[of == r], predicted.probability[of == r], threshold)["f1"]
            for r in ("r0", "r1", "r2")
        ]
        assert (rows[name]["f1"].mean, rows[name]["f1"].std) == pytest.approx((np.mean(each), np.std(each)))
    one_sided = ClassifierTest(
        test.pictures, np.where([True, False], test.labels, 0).astype(np.float32), test.recordings
    )
    assert mean_aucpr(one_sided, probabilities) == pytest.approx(scores[0]["aucpr"])
    assert not any(key.startswith("forceps") for key in pooled_scores(one_sided, probabilities, thresholds))
    nothing = ClassifierTest(test.pictures, np.zeros_like(test.labels), test.recordings)
    assert np.isnan(mean_aucpr(nothing, probabilities))


def test_good_frames_are_kept_below_both_thresholds() -> None:
    """The last three are not good: nothing is known of one, the others show something."""
    answers = np.array([[0, 0], [0, 0], [0, 0], [0, 0], [0, UNKNOWN], [1, 0], [0, 1]], np.float32)
    noninformative = np.array([0.1, 0.5, 0.1, 0.4, 0.1, 0.1, 0.1], np.float32)
    forceps = np.array([0.1, 0.1, 0.8, 0.7, 0.1, 0.1, 0.1], np.float32)
    assert kept_share(FrameProbabilities(noninformative, forceps), answers, Thresholds(0.5, 0.8)) == pytest.approx(
        2 / 4
    )
