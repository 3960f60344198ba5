"""Thresholds of a frame classifier refitted to a reader's own idea of informative; a hundred frames are enough."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from haustra.core.files import replacing
from haustra.core.onnx import METADATA_KEY
from haustra.core.vocabulary import DEFAULT_QUALITY
from haustra.lab.evaluate.classification_scores import best_threshold
from haustra.lab.evaluate.classifier_test import KEEP_GOOD, KEEP_WITHOUT_FORCEPS, Predictions, labelled_test
from haustra.quality import QualityModel, Thresholds
from haustra.quality.labelled import read_samples
from haustra.quality.labelled_pictures import load_pictures

# Marked frames of each class, below which a threshold stays where it is.
FEWEST = 10


@dataclass(frozen=True)
class Refit:
    """Thresholds before and after, and the share of marked frames that each judges as the reader did.

    `left_out` is the share when each recording is judged by thresholds from all others; NaN for a single recording.
    """

    before: Thresholds
    after: Thresholds
    marked: int
    right_before: float
    right_after: float
    left_out: float

    def as_dict(self) -> dict[str, Any]:
        """For --json; what is not known is null."""
        return {
            key: None if isinstance(value, float) and np.isnan(value) else value for key, value in asdict(self).items()
        }


def refit_thresholds(labelled: Sequence[Path], quality: str | Path = DEFAULT_QUALITY) -> Refit:
    """From folders of classes or tables, as `haustra train quality` takes them; nothing is written."""
    model, samples = QualityModel(quality), read_samples(labelled)
    test = labelled_test(samples, load_pictures(samples, model.size), model.size)
    probabilities = model.classify(test.pictures)
    tasks = [test.predictions(task, probabilities) for task in (0, 1)]
    names = sorted(set(test.recordings))
    after = _chosen(tasks, model.thresholds)
    left_out = [
        _right(
            [_part(one, name, inside=True) for one in tasks],
            _chosen([_part(one, name) for one in tasks], model.thresholds),
        )
        for name in names
    ]
    together = np.concatenate(left_out) if len(names) > 1 else np.full(1, np.nan)
    before, now = (float(_right(tasks, thresholds).mean()) for thresholds in (model.thresholds, after))
    return Refit(model.thresholds, after, len(samples), before, now, float(together.mean()))


def write_with_thresholds(refit: Refit, out: Path, quality: str | Path = DEFAULT_QUALITY) -> None:
    """The same network with the new thresholds, for `locate --quality`."""
    import onnx

    network = onnx.load(str(QualityModel(quality).path))
    for entry in network.metadata_props:
        if entry.key == METADATA_KEY:
            entry.value = json.dumps(json.loads(entry.value) | {"thresholds": asdict(refit.after)})
    out.parent.mkdir(parents=True, exist_ok=True)
    with replacing(out) as temporary:
        onnx.save(network, str(temporary))


def _chosen(tasks: Sequence[Predictions], shipped: Thresholds) -> Thresholds:
    """By the rule that the shipped ones were chosen by; those of a task with few marked frames stay."""
    found: list[float | None] = []
    for predicted, keep in zip(tasks, (KEEP_GOOD, KEEP_WITHOUT_FORCEPS), strict=True):
        enough = min(int(predicted.truth.sum()), int((~predicted.truth).sum())) >= FEWEST
        found.append(round(best_threshold(predicted.truth, predicted.probability, keep), 4) if enough else None)
    return shipped.moved(*found)


def _part(predicted: Predictions, name: str, *, inside: bool = False) -> Predictions:
    """Those of one recording, or of all others."""
    rows = np.array([(one == name) is inside for one in predicted.recordings], np.bool_)
    recordings = [one for one, row in zip(predicted.recordings, rows, strict=True) if row]
    return Predictions(predicted.truth[rows], predicted.probability[rows], recordings)


def _right(tasks: Sequence[Predictions], thresholds: Thresholds) -> np.ndarray:
    """Which judgements agree with the reader's."""
    limits = (thresholds.noninformative, thresholds.forceps)
    return np.concatenate([(one.probability >= limit) == one.truth for one, limit in zip(tasks, limits, strict=True)])
