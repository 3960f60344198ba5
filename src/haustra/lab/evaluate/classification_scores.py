"""Scores of binary frame classification, mean (std) over recordings (paper, tab:image_classification)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import require
from haustra.lab.evaluate.text_table import text_table

# In the order of the paper's table, then accuracy, which its text names and its table leaves out.
METRICS = ("aucpr", "auc", "f1", "sensitivity", "specificity", "precision", "accuracy")
TITLES = ("AUCPR", "AUC", "F1", "Sensitivity", "Specificity", "Precision", "Accuracy")

Floats = NDArray[np.floating]
Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class MeanStd:
    """Mean and standard deviation over the recordings in which the metric is defined, and how many those are."""

    mean: float
    std: float
    recordings: int

    def __str__(self) -> str:
        return "-" if not self.recordings else f"{self.mean:.3f} ({self.std:.3f})"


def binary_scores(truth: Truth, probability: Floats, threshold: float) -> dict[str, float]:
    """Metrics of one recording; NaN where undefined (AUC needs frames of both classes)."""
    metrics = require("sklearn.metrics", "evaluate")

    found = probability >= threshold
    hits, misses = int((found & truth).sum()), int((~found & truth).sum())
    false_alarms, passes = int((found & ~truth).sum()), int((~found & ~truth).sum())
    both = hits + misses > 0 and false_alarms + passes > 0
    return {
        "aucpr": float(metrics.average_precision_score(truth, probability)) if both else math.nan,
        "auc": float(metrics.roc_auc_score(truth, probability)) if both else math.nan,
        "f1": _share(2 * hits, 2 * hits + false_alarms + misses),
        "sensitivity": _share(hits, hits + misses),
        "specificity": _share(passes, passes + false_alarms),
        "precision": _share(hits, hits + false_alarms),
        "accuracy": _share(hits + passes, len(truth)),
    }


def scores_by_recording(
    truth: Truth, probability: Floats, threshold: float, recordings: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Metrics of every recording by its name."""
    names = np.asarray(recordings)
    return {
        str(name): binary_scores(truth[names == name], probability[names == name], threshold)
        for name in np.unique(names)
    }


def mean_std(scores: Mapping[str, Mapping[str, float]]) -> dict[str, MeanStd]:
    """Over the recordings in which each metric is defined."""
    table = {}
    for metric in METRICS:
        values = np.array([score[metric] for score in scores.values()])
        values = values[~np.isnan(values)]
        mean, std = (float(values.mean()), float(values.std())) if len(values) else (math.nan, math.nan)
        table[metric] = MeanStd(mean, std, len(values))
    return table


def best_threshold(truth: Truth, probability: Floats, keep: float) -> float:
    """The threshold with the best balanced accuracy among those with a specificity of at least `keep`."""
    lowest = float(np.quantile(probability[~truth], keep, method="higher")) if (~truth).any() else 0.5
    candidates = np.unique(np.round(probability[probability > lowest], 4))
    candidates = np.concatenate([candidates, [min(1.0, lowest + 1e-4)]])
    positives, negatives = np.sort(probability[truth]), np.sort(probability[~truth])
    sensitivity = 1 - np.searchsorted(positives, candidates) / max(len(positives), 1)
    specificity = np.searchsorted(negatives, candidates) / max(len(negatives), 1)
    balanced = sensitivity + specificity
    best = candidates[balanced >= balanced.max() - 1e-9]
    return float(np.clip(np.median(best), 0.05, 0.95))


def classification_text(rows: Mapping[str, Mapping[str, MeanStd]]) -> str:
    """Markdown: one row per model, one column per metric."""
    body = [[name, *(str(scores[metric]) for metric in METRICS)] for name, scores in rows.items()]
    return text_table(["Model", *TITLES], body)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
