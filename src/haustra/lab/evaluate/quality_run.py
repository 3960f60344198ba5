"""`haustra evaluate quality`: a classifier on labelled frames and on real stills held out of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from haustra.core.errors import HaustraError
from haustra.core.files import write_text
from haustra.core.progress import Progress, silent
from haustra.lab.evaluate.classification_scores import MeanStd
from haustra.lab.evaluate.classifier_test import classification_table, kept_share, labelled_test, pooled_scores
from haustra.lab.evaluate.degraded.synthetic_tests import degraded_test
from haustra.lab.evaluate.labelled_stills import read_stills
from haustra.lab.evaluate.quality_page import ScoredFrames, quality_page
from haustra.quality.labelled import TEST, Sample, part, read_samples
from haustra.quality.labelled_pictures import load_pictures
from haustra.quality.quality_model import QualityModel

Scores = dict[str, dict[str, MeanStd]]


def evaluate_quality(
    sources: Sequence[Path],
    model: QualityModel,
    *,
    everything: bool = False,
    page: Path | None = None,
    progress: Progress = silent,
) -> Scores:
    """Both rows of tab:image_classification on the test part of labelled frames, or on all; optionally a page."""
    samples = read_samples(sources)
    samples = samples if everything else part(samples, TEST)
    if not samples:
        raise HaustraError("no recording is in the test split: use --all to evaluate on every frame")
    pictures = load_pictures(samples, model.size, progress)
    test = labelled_test(samples, pictures, model.size)
    probabilities = model.classify(pictures)
    scores = classification_table(test, probabilities, model.thresholds)
    if page is not None:
        scored = {}
        for number, (name, threshold) in enumerate(asdict(model.thresholds).items()):
            known = np.flatnonzero(~np.isnan(test.labels[:, number]))
            scored[name] = ScoredFrames(
                test.predictions(number, probabilities),
                threshold,
                [_name(samples[i]) for i in known],
                [samples[i].label for i in known],
                pictures[known],
                scores[name],
            )
        write_text(page, quality_page(f"Frame quality: {model.name}", scored))
    return scores


def evaluate_stills(folder: Path, model: QualityModel, progress: Progress = silent) -> dict[str, float]:
    """Real stills held out of training: good ones kept, degraded versions rejected, instruments detected."""
    samples = part(read_stills(folder), TEST)
    if not samples:
        raise HaustraError(f"no picture of {folder} was held out of training: give Kvasir-SEG or HyperKvasir")
    pictures = load_pictures(samples, _spare(model.size), progress)
    source = samples[0].source
    scores: dict[str, float] = {}
    for name, test in (
        (source, labelled_test(samples, pictures, model.size)),
        (f"degraded {source}", degraded_test(samples, pictures, model.size)),
    ):
        probabilities = model.classify(test.pictures)
        scores |= {
            f"{name}: {key}": value for key, value in pooled_scores(test, probabilities, model.thresholds).items()
        }
        if name == source:
            scores[f"{source}: good ones kept"] = kept_share(probabilities, test.labels, model.thresholds)
    return scores


def as_json(scores: Scores) -> dict[str, Any]:
    """Scores for JSON: undefined ones are null."""
    return {task: {metric: _plain(value) for metric, value in row.items()} for task, row in scores.items()}


def _plain(value: MeanStd) -> dict[str, float | int | None]:
    if not value.recordings:
        return {"mean": None, "std": None, "recordings": 0}
    return {"mean": value.mean, "std": value.std, "recordings": value.recordings}


def _spare(size: int) -> int:
    """Degradations are applied a little above the input size, as in training."""
    return round(size * 7 / 6)


def _name(sample: Sample) -> str:
    moment = "" if sample.time_s is None else f" at {sample.time_s:g} s"
    return f"{sample.recording}/{sample.path.name}{moment}"
