"""Figures of segments against plain counts on random input (paper, sec:evaluation_strategy, C; tab:evaluation)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from haustra.core.errors import HaustraError
from haustra.lab.evaluate.segment_scores import SCORES, segment_result, summarise

Frames = list[tuple[int, int]]


def drawn(seed: int, shown: tuple[int, ...] = (1, 2, 3, 4, 5, 6)) -> tuple[np.ndarray, np.ndarray]:
    """Predicted and annotated segments of 300 frames, some with none; only some segments are annotated."""
    rng = np.random.default_rng(seed)
    annotated = np.where(rng.random(300) < 0.1, 0, rng.choice(shown, 300))
    predicted = np.clip(annotated + rng.choice([-2, -1, 0, 0, 0, 1], 300), 0, 6)
    return predicted, annotated


def plain(predicted: np.ndarray, annotated: np.ndarray) -> dict[str, Any]:
    """The text of sec:evaluation_strategy (C), and one-against-the-rest scores of tab:table_confusion_mat_1 to _4."""
    frames: Frames = [(p, a) for p, a in zip(predicted.tolist(), annotated.tolist(), strict=True) if p and a]
    confusion = [[share([p == j for p, a in frames if a == i]) for j in range(1, 7)] for i in range(1, 7)]
    scores = {name: [score(frames, k, name) for k in range(1, 7)] for name in SCORES}
    return {
        "accuracy": share([p == a for p, a in frames]),
        "average_error": sum(abs(p - a) for p, a in frames) / len(frames),
        "maximal_error": max(abs(p - a) for p, a in frames),
        "confusion": confusion,
        "scores": scores,
    }


def share(answers: list[bool]) -> float:
    return sum(answers) / len(answers) if answers else math.nan


def score(frames: Frames, k: int, name: str) -> float:
    if name == "sensitivity":
        return share([p == k for p, a in frames if a == k])
    if name == "specificity":
        return share([p != k for p, a in frames if a != k])
    if name == "precision":
        return share([a == k for p, a in frames if p == k])
    if name == "accuracy":
        return share([(p == k) == (a == k) for p, a in frames])
    hits = sum(p == k and a == k for p, a in frames)
    either = sum(p == k for p, _ in frames) + sum(a == k for _, a in frames)
    return 2 * hits / either if either else math.nan


def over(values: list[float]) -> tuple[float, float]:
    """Mean and standard deviation (N in the denominator) of the values that are defined."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan, math.nan
    mean = sum(known) / len(known)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in known) / len(known))


@pytest.mark.parametrize("shown", [(1, 2, 3, 4, 5, 6), (2, 3), (6,)])
def test_one_recording(shown: tuple[int, ...]) -> None:
    predicted, annotated = drawn(sum(shown), shown)
    result, wanted = segment_result(predicted, annotated), plain(predicted, annotated)
    assert (result.accuracy, result.average_error) == pytest.approx((wanted["accuracy"], wanted["average_error"]))
    assert result.maximal_error == wanted["maximal_error"] == 2
    np.testing.assert_allclose(result.confusion, wanted["confusion"])
    assert set(result.scores) == set(SCORES)
    for name in SCORES:
        np.testing.assert_allclose(result.scores[name], wanted["scores"][name], err_msg=name)


def test_over_recordings_what_a_recording_does_not_show_does_not_count() -> None:
    recordings = [drawn(1), drawn(2, (2, 3, 4)), drawn(3, (1, 2, 3))]
    summary, each = summarise([segment_result(*one) for one in recordings]), [plain(*one) for one in recordings]
    assert summary.recordings == 3
    for name in ("accuracy", "average_error", "maximal_error"):
        assert getattr(summary, name) == pytest.approx(over([one[name] for one in each]))
    for i, j in np.ndindex(6, 6):
        wanted = over([one["confusion"][i][j] for one in each])[0]
        assert summary.confusion[i, j] == pytest.approx(wanted, nan_ok=True)
    for name in SCORES:
        for k in range(6):
            wanted = over([one["scores"][name][k] for one in each])
            assert tuple(summary.scores[name][k]) == pytest.approx(wanted, nan_ok=True), (name, k)


def test_what_cannot_be_compared_is_one_line() -> None:
    with pytest.raises(HaustraError, match="nothing can be compared"):
        segment_result(np.array([0, 3, 0]), np.array([1, 0, 0]))
    with pytest.raises(HaustraError, match="no recording"):
        summarise([])
