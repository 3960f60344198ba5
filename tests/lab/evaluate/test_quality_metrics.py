from __future__ import annotations

import math

import numpy as np
import pytest

from haustra.lab.evaluate.classification_scores import (
    METRICS,
    best_threshold,
    binary_scores,
    classification_text,
    mean_std,
    scores_by_recording,
)
from haustra.lab.evaluate.classifier_test import Predictions
from haustra.lab.evaluate.quality_page import ScoredFrames, quality_page, worst_mistakes
from haustra.lab.evaluate.quality_tables import paper_scores, quality_table


def test_scores_by_hand():
    truth = np.array([1, 1, 1, 0, 0, 0, 0, 0], bool)
    probability = np.array([0.9, 0.8, 0.2, 0.7, 0.1, 0.1, 0.3, 0.4])
    scores = binary_scores(truth, probability, 0.5)
    assert scores["sensitivity"] == pytest.approx(2 / 3)
    assert scores["specificity"] == pytest.approx(4 / 5)
    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["f1"] == pytest.approx(2 / 3)
    assert scores["accuracy"] == pytest.approx(6 / 8)
    # 15 pairs; the positive at 0.2 loses to 0.7, 0.3 and 0.4
    assert scores["auc"] == pytest.approx(12 / 15)
    assert scores["aucpr"] == pytest.approx((1 + 1 + 3 / 6) / 3)


def test_a_recording_with_one_class_has_no_auc_but_counts_for_what_it_can():
    scores = binary_scores(np.zeros(4, bool), np.array([0.1, 0.2, 0.6, 0.3]), 0.5)
    assert math.isnan(scores["auc"])
    assert math.isnan(scores["sensitivity"])
    assert scores["specificity"] == 0.75


def test_mean_and_std_are_over_recordings_not_over_frames():
    truth = np.array([1, 0] + [1, 0] * 50, bool)
    probability = np.concatenate([[0.1, 0.9], np.tile([0.9, 0.1], 50)])
    names = ["few", "few"] + ["many"] * 100
    table = mean_std(scores_by_recording(truth, probability, 0.5, names))
    assert table["auc"].mean == pytest.approx(0.5)
    assert table["auc"].std == pytest.approx(0.5)
    assert table["auc"].recordings == 2
    assert "0.500 (0.500)" in classification_text({"model": table})


def test_the_papers_table_has_our_rows_beside_its_own():
    truth = np.array([1, 0] * 20, bool)
    scores = mean_std(scores_by_recording(truth, np.where(truth, 0.9, 0.2), 0.5, ["a"] * 20 + ["b"] * 20))
    table = quality_table({"noninformative": scores, "forceps": mean_std({})})
    assert [(row.name[:6], row.source) for row in table.rows] == [
        ("Non-in", "ours"), ("Non-in", "paper"), ("Biopsy", "ours"), ("Biopsy", "paper")
    ]  # fmt: skip
    assert [str(cell) for cell in table.rows[0].cells] == ["1.000 (0.000)"] * 6
    assert table.rows[2].cells == (None,) * 6
    assert str(paper_scores("forceps")["precision"]) == "0.801 (0.117)"


def test_best_threshold_keeps_the_share_asked_for():
    rng = np.random.default_rng(0)
    truth = np.arange(2000) % 2 == 1
    probability = np.clip(np.where(truth, rng.normal(0.6, 0.15, 2000), rng.normal(0.4, 0.15, 2000)), 0, 1)
    free, strict = best_threshold(truth, probability, 0.0), best_threshold(truth, probability, 0.97)
    assert free == pytest.approx(0.5, abs=0.05)
    assert (probability[~truth] < strict).mean() >= 0.97
    assert strict == pytest.approx(0.4 + 1.88 * 0.15, abs=0.03)


def test_worst_mistakes_come_first_and_right_answers_never():
    predictions = Predictions(np.array([1, 1, 0, 0], bool), np.array([0.45, 0.9, 0.95, 0.1], np.float32), ["a"] * 4)
    assert worst_mistakes(predictions, 0.5) == [2, 0]


def test_the_page_escapes_names_and_stands_alone():
    predictions = Predictions(np.array([1, 0], bool), np.array([0.1, 0.2], np.float32), ["a", "a"])
    scores = mean_std(scores_by_recording(predictions.truth, predictions.probability, 0.5, predictions.recordings))
    pictures = np.zeros((2, 32, 32, 3), np.uint8)
    scored = ScoredFrames(
        predictions, 0.5, ["<script>alert(1)</script>", "b"], ["forceps", "informative"], pictures, scores
    )
    page = quality_page("Frame quality: <x>", {"forceps": scored})
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "data:image/jpeg;base64," in page
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")


@pytest.mark.parametrize("seed", range(3))
def test_scores_on_random_input_are_those_of_their_definitions(seed: int):
    """The metrics of tab:image_classification by plain counting; a frame at the threshold counts as found."""
    rng = np.random.default_rng(seed)
    truth, probability = rng.random(150) < 0.4, np.round(rng.random(150), 1)
    pairs = list(zip(truth.tolist(), probability.tolist(), strict=True))
    hits, misses = sum(t and c >= 0.5 for t, c in pairs), sum(t and c < 0.5 for t, c in pairs)
    false, passes = sum(not t and c >= 0.5 for t, c in pairs), sum(not t and c < 0.5 for t, c in pairs)
    positives, negatives = [c for t, c in pairs if t], [c for t, c in pairs if not t]
    auc = sum((p > n) + 0.5 * (p == n) for p in positives for n in negatives) / (len(positives) * len(negatives))
    area, recall_before = 0.0, 0.0
    for threshold in sorted(set(probability.tolist()), reverse=True):
        found = [t for t, c in pairs if c >= threshold]
        recall = sum(found) / len(positives)
        area += (recall - recall_before) * sum(found) / len(found)
        recall_before = recall
    precision, recall = hits / (hits + false), hits / (hits + misses)
    assert binary_scores(truth, probability, 0.5) == pytest.approx(
        {
            "aucpr": area,
            "auc": auc,
            "f1": 2 * precision * recall / (precision + recall),
            "sensitivity": recall,
            "specificity": passes / (passes + false),
            "precision": precision,
            "accuracy": (hits + passes) / 150,
        }
    )


def test_recordings_without_a_metric_do_not_count_for_it():
    scores = {"a": dict.fromkeys(METRICS, 0.2), "b": dict.fromkeys(METRICS, 0.6), "c": dict.fromkeys(METRICS, math.nan)}
    table = mean_std(scores)
    for metric in METRICS:
        assert (table[metric].mean, table[metric].std, table[metric].recordings) == pytest.approx((0.4, 0.2, 2))
    none = mean_std({"c": scores["c"]})["auc"]
    assert math.isnan(none.mean)
    assert math.isnan(none.std)
    assert str(none) == "-"


def plain_best_threshold(truth, probability, keep):
    """Every candidate tried: among those that keep enough of the negatives, the middle of the best."""
    negatives = np.sort(probability[~truth])
    lowest = negatives[math.ceil(keep * (len(negatives) - 1))]
    candidates = [*sorted({round(float(c), 4) for c in probability if c > lowest}), min(1.0, lowest + 0.0001)]
    balanced = [(probability[truth] >= c).mean() + (probability[~truth] < c).mean() for c in candidates]
    best = [c for c, value in zip(candidates, balanced, strict=True) if value >= max(balanced) - 1e-9]
    return min(max(float(np.median(best)), 0.05), 0.95)


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_threshold_by_trying_all(seed: int, keep: float):
    rng = np.random.default_rng(seed)
    truth = rng.random(60) < 0.5
    probability = np.round(np.clip(rng.normal(np.where(truth, 0.6, 0.4), 0.2), 0, 1), 2)
    assert best_threshold(truth, probability, keep) == pytest.approx(
        plain_best_threshold(truth, probability, keep), abs=1e-12
    )


def test_a_threshold_stays_within_its_limits_and_needs_no_second_class():
    assert best_threshold(np.zeros(4, bool), np.array([0.0, 0.0, 0.001, 0.002]), 0.0) == 0.05
    assert best_threshold(np.array([True, False]), np.array([0.99, 0.96]), 0.0) == 0.95
    # Without negatives the search begins at a half: 0.5001 and 0.97 find every positive.
    assert best_threshold(np.ones(2, bool), np.array([0.97, 1.0]), 0.5) == pytest.approx((0.5001 + 0.97) / 2)
