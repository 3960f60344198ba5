"""The page of the frame classifier: curves where their numbers are, mistakes counted."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_curve

from haustra.lab.evaluate.classification_scores import METRICS, MeanStd
from haustra.lab.evaluate.classifier_test import Predictions
from haustra.lab.evaluate.quality_page import WORST, ScoredFrames, quality_page, worst_mistakes
from haustra.lab.evaluate.quality_tables import paper_scores

SCORES = {metric: MeanStd(0.5 + k / 100, 0.01, 3) for k, metric in enumerate(METRICS)}


def scored(count: int) -> ScoredFrames:
    """The first half is right; the others are wrong, each a little more."""
    truth = np.arange(count) % 2 == 0
    sure = np.where(np.arange(count) < count // 2, 0.4, -np.linspace(0.1, 0.4, count))
    probability = (0.5 + np.where(truth, sure, -sure)).astype(np.float32)
    predictions = Predictions(truth, probability, ["r"] * count)
    names = [f"frame {k}" for k in range(count)]
    return ScoredFrames(predictions, 0.5, names, ["x"] * count, np.zeros((count, 8, 8, 3), np.uint8), SCORES)


def test_the_curves_are_those_of_all_frames() -> None:
    """Of 40 positives and 40 negatives: the corners of ROC, and of precision over recall."""
    one = scored(80)
    page = quality_page("Made", {"noninformative": one})
    roc, recall = re.findall(r'<polyline points="(.*?)"', page)
    for drawn, axes in ((roc, roc_curve), (recall, precision_recall_curve)):
        x, y, _ = axes(one.predictions.truth, one.predictions.probability)
        x, y = (x, y) if axes is roc_curve else (y, x)
        points = np.array([point.split(",") for point in drawn.split()], float)
        for pixels, values in ((points[:, 0], x), (-points[:, 1], y)):
            share = (pixels - pixels.min()) / np.ptp(pixels)
            np.testing.assert_allclose(share, (values - values.min()) / np.ptp(values), atol=0.002)
    assert [title in page for title in ("1 - specificity", "sensitivity", "recall (sensitivity)", "precision")] == [
        True
    ] * 4


def test_the_page_counts_mistakes_and_shows_the_worst() -> None:
    one = scored(80)
    page = quality_page("Made", {"noninformative": one})
    assert f"Worst mistakes ({WORST} of 40, 80 frames)" in page
    shown = re.findall(r"<figcaption>(frame \d+): labelled x, probability ([\d.]+)<", page)
    assert [name for name, _ in shown] == [f"frame {k}" for k in range(79, 79 - WORST, -1)]
    assert [float(probability) for _, probability in shown] == pytest.approx(
        one.predictions.probability[79 : 79 - WORST : -1], abs=6e-4
    )
    cells = re.findall(r"<td>(.*?)</td>", page)
    assert cells[1 : 1 + len(METRICS)] == [str(SCORES[metric]) for metric in METRICS]
    assert cells[1 + len(METRICS)] == "3"
    printed = paper_scores("noninformative")
    start = 3 + len(METRICS)  # the paper's row
    assert cells[start : start + len(METRICS)] == [str(printed[name]) if name in printed else "-" for name in METRICS]
    assert page.count('width="360" height="340"') == 2, "both curves"
    right = ScoredFrames(
        Predictions(one.predictions.truth[:4], one.predictions.probability[:4], ["r"] * 4),
        0.5,
        [],
        [],
        one.pictures,
        SCORES,
    )
    assert "No frame was misclassified." in quality_page("Made", {"forceps": right})


def test_a_frame_at_the_threshold_counts_as_found() -> None:
    predictions = Predictions(np.array([True, False]), np.array([0.5, 0.5], np.float32), ["r", "r"])
    assert worst_mistakes(predictions, 0.5) == [1]
