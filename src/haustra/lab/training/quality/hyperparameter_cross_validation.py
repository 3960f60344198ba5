"""k-fold cross-validation of hyper-parameters over whole recordings, by AUCPR (paper, "Model training")."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.progress import Progress, silent
from haustra.lab.evaluate.classifier_test import mean_aucpr
from haustra.lab.training.quality.batches import Pool
from haustra.lab.training.quality.config import QualityConfig
from haustra.lab.training.quality.finish import tests_of, torch_classifier
from haustra.lab.training.quality.trainer import train_network
from haustra.quality.labelled import Sample


@dataclass(frozen=True)
class FoldedTrial:
    """One combination of settings and the AUCPR of its folds, the mean of both tasks."""

    changes: Mapping[str, float]
    config: QualityConfig
    aucpr: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.aucpr))


def combinations(config: QualityConfig, choices: Mapping[str, Sequence[float]]) -> list[QualityConfig]:
    """Every combination of the values given for the settings."""
    return [
        replace(config, **dict[str, Any](zip(choices, values, strict=True)))
        for values in itertools.product(*choices.values())
    ]


def cross_validate(
    samples: Sequence[Sample],
    pictures: NDArray[np.uint8],
    config: QualityConfig,
    choices: Mapping[str, Sequence[float]],
    folds: int,
    *,
    imagenet: Path | None = None,
    weights: Path | None = None,
    progress: Progress = silent,
) -> list[FoldedTrial]:
    """All trials, the best first; every fold starts from the initial weights of the final training."""
    fold = np.array([fold_of(sample.recording, folds) for sample in samples])
    if len(set(fold.tolist())) < folds:
        raise HaustraError(f"the training part has too few recordings for {folds} folds: choose fewer with --folds")
    trials = []
    candidates = combinations(config, choices)
    for number, candidate in enumerate(candidates):
        scores = []
        for held_out in range(folds):
            inside, outside = np.flatnonzero(fold != held_out).tolist(), np.flatnonzero(fold == held_out).tolist()
            pool = Pool([samples[i] for i in inside], pictures[inside], candidate.size)
            network = train_network(pool, candidate, imagenet=imagenet, weights=weights)
            tests = tests_of([samples[i] for i in outside], pictures[outside], candidate.size)
            classify = torch_classifier(network)
            scores.append(float(np.nanmean([mean_aucpr(test, classify(test.pictures)) for test in tests.values()])))
            progress(number * folds + held_out + 1, f"AUCPR {scores[-1]:.4f}")
        changes = {name: getattr(candidate, name) for name in choices}
        trials.append(FoldedTrial(changes, candidate, tuple(scores)))
    return sorted(trials, key=lambda trial: -trial.mean)


def fold_of(recording: str, folds: int) -> int:
    """The fold of a recording, by its name, so that it does not change when data is added."""
    return int.from_bytes(hashlib.sha256(f"fold {recording}".encode()).digest()[:4], "big") % folds
