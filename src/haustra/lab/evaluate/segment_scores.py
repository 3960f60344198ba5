"""Scores of segment classification (paper, sec:evaluation_strategy, C): of one recording, and mean (std) over many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS

Segments = NDArray[np.int64]
SCORES = ("f1", "sensitivity", "specificity", "precision", "accuracy")


@dataclass(frozen=True)
class SegmentResult:
    """One recording. Segments absent from it have NaN rows and scores."""

    accuracy: float
    average_error: float
    maximal_error: int
    confusion: FloatArray
    scores: dict[str, FloatArray]

    def summary(self) -> dict[str, float]:
        """The paper's three figures of a recording."""
        return {
            "accuracy": self.accuracy,
            "average_segment_error": self.average_error,
            "max_segment_error": float(self.maximal_error),
        }


def segment_result(predicted: Segments, annotated: Segments) -> SegmentResult:
    """Compare segments 1..6 of the frames that have both; 0 stands for none."""
    both = (predicted > 0) & (annotated > 0)
    if not both.any():
        raise HaustraError("no frame has both a predicted and an annotated segment: nothing can be compared")
    predicted, annotated = predicted[both], annotated[both]
    counts = np.zeros((len(SEGMENTS), len(SEGMENTS)))
    np.add.at(counts, (annotated - 1, predicted - 1), 1)
    difference = np.abs(predicted - annotated)
    return SegmentResult(
        accuracy=float((difference == 0).mean()),
        average_error=float(difference.mean()),
        maximal_error=int(difference.max()),
        confusion=_divide(counts, counts.sum(axis=1, keepdims=True)),
        scores=_scores(counts),
    )


def _scores(counts: FloatArray) -> dict[str, FloatArray]:
    """One against the rest for each segment. F1 is F1: the paper's F1 rows repeat its accuracy rows."""
    hit = np.diag(counts)
    missed, false = counts.sum(axis=1) - hit, counts.sum(axis=0) - hit
    rest = counts.sum() - hit - missed - false
    return {
        "f1": _divide(2 * hit, 2 * hit + missed + false),
        "sensitivity": _divide(hit, hit + missed),
        "specificity": _divide(rest, rest + false),
        "precision": _divide(hit, hit + false),
        "accuracy": _divide(hit + rest, np.full(len(SEGMENTS), counts.sum())),
    }


def _divide(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.nan), where=b > 0)


@dataclass(frozen=True)
class SegmentSummary:
    """Over recordings: (mean, std) of the three figures and of the scores of each segment, and the mean confusion."""

    recordings: int
    accuracy: tuple[float, float]
    average_error: tuple[float, float]
    maximal_error: tuple[float, float]
    confusion: FloatArray
    scores: dict[str, FloatArray]


def summarise(results: list[SegmentResult]) -> SegmentSummary:
    """The standard deviation is over recordings, with N in the denominator."""
    if not results:
        raise HaustraError("there is no recording to summarise")
    stacked = {name: np.stack([result.scores[name] for result in results]) for name in SCORES}
    return SegmentSummary(
        recordings=len(results),
        accuracy=_mean_std([result.accuracy for result in results]),
        average_error=_mean_std([result.average_error for result in results]),
        maximal_error=_mean_std([float(result.maximal_error) for result in results]),
        confusion=_nan_mean(np.stack([result.confusion for result in results])),
        scores={name: np.stack([_nan_mean(v), _nan_std(v)], axis=1) for name, v in stacked.items()},
    )


def _mean_std(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values))


def _nan_mean(values: FloatArray) -> FloatArray:
    known = np.isfinite(values)
    return _divide(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64))


def _nan_std(values: FloatArray) -> FloatArray:
    return np.sqrt(_nan_mean((values - _nan_mean(values)) ** 2))
