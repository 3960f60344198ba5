"""Cross-validation over recordings: template from the other folds, segments of the held-out one (tab:template)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from haustra.anatomy.annotated_times import segments_at
from haustra.anatomy.template import AnnotatedRecording, Template, template_of
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.lab.evaluate.segment_scores import SegmentResult, segment_result
from haustra.path import PathParameters, location_index

CANDIDATES = (0.02, 0.04, 0.055, 0.07, 0.1, 0.14, 0.2, 0.3)


def classify(recording: AnnotatedRecording, template: Template) -> SegmentResult:
    """Segments by the template against the annotated ones, over the frames that have a location index."""
    known = np.isfinite(recording.index)
    annotated = segments_at(recording.q_t, recording.time_s[known])
    return segment_result(segments_of(recording.index[known], template), annotated)


def k_fold(recordings: Sequence[AnnotatedRecording], folds: int = 5, seed: int = 0) -> list[SegmentResult]:
    """Scores of every recording, in their order, with the template of the other folds."""
    if not 2 <= folds <= len(recordings) or len(recordings) - math.ceil(len(recordings) / folds) < 2:
        raise HaustraError(f"{len(recordings)} recordings cannot be split in {folds} folds: give more recordings")
    fold = np.random.default_rng(seed).permutation(np.arange(len(recordings)) % folds)
    templates = [
        template_of(f"fold {k}", [r for r, f in zip(recordings, fold, strict=True) if f != k]) for k in range(folds)
    ]
    return [classify(recording, templates[k]) for recording, k in zip(recordings, fold, strict=True)]


def leave_one_out(recordings: Sequence[AnnotatedRecording]) -> list[SegmentResult]:
    """Each recording with the template of all others."""
    return k_fold(recordings, folds=len(recordings))


@dataclass(frozen=True)
class Tuned:
    """The best smoothing factor, and the mean accuracy of every candidate."""

    smoothing: float
    accuracy: dict[float, float]


def tune_gamma(
    recordings: Sequence[AnnotatedRecording],
    positions: Sequence[FloatArray],
    candidates: Sequence[float] = CANDIDATES,
) -> Tuned:
    """The smoothing factor with the best segment accuracy in 5-fold cross-validation, as the paper tunes gamma."""
    accuracy = {}
    for smoothing in candidates:
        parameters = replace(PathParameters().paper_index, smoothing=smoothing)
        located = [
            replace(recording, index=location_index(path, parameters).index)
            for recording, path in zip(recordings, positions, strict=True)
        ]
        accuracy[smoothing] = float(np.mean([result.accuracy for result in k_fold(located, min(5, len(located)))]))
    return Tuned(max(accuracy, key=accuracy.__getitem__), accuracy)
