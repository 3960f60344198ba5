"""`haustra evaluate quality`: a model against labelled frames, and against real stills kept out of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from haustra.errors import HaustraError
from haustra.evaluate.quality import MeanStd
from haustra.evaluate.quality_exam import classification_table, kept_share, labelled_exam, pooled_scores
from haustra.evaluate.quality_page import JudgedFrames, quality_page
from haustra.evaluate.spoilt.exam import spoilt_exam
from haustra.evaluate.stills import read_stills
from haustra.files import write_text
from haustra.progress import Progress, silent
from haustra.quality.labelled import TEST, Sample, part, read_samples
from haustra.quality.labelled_pictures import load_pictures
from haustra.quality.model import QualityModel

Scores = dict[str, dict[str, MeanStd]]


def evaluate_quality(
    sources: Sequence[Path],
    model: QualityModel,
    *,
    everything: bool = False,
    page: Path | None = None,
    progress: Progress = silent,
) -> Scores:
    """Both rows of tab:image_classification on the test part of labelled frames, or on all; and a page if wanted."""
    samples = read_samples(sources)
    samples = samples if everything else part(samples, TEST)
    if not samples:
        raise HaustraError("no recording is in the test part: use --all to evaluate on every frame")
    pictures = load_pictures(samples, model.size, progress)
    exam = labelled_exam(samples, pictures, model.size)
    chances = model.classify(pictures)
    scores = classification_table(exam, chances, model.thresholds)
    if page is not None:
        judged = {}
        for number, (name, threshold) in enumerate(asdict(model.thresholds).items()):
            known = np.flatnonzero(~np.isnan(exam.answers[:, number]))
            judged[name] = JudgedFrames(
                exam.question(number, chances),
                threshold,
                [_name(samples[i]) for i in known],
                [samples[i].label for i in known],
                pictures[known],
                scores[name],
            )
        write_text(page, quality_page(f"Frame quality: {model.name}", judged))
    return scores


def evaluate_stills(folder: Path, model: QualityModel, progress: Progress = silent) -> dict[str, float]:
    """Real stills kept out of training: good ones kept, spoilt versions recognised, instruments found."""
    samples = part(read_stills(folder), TEST)
    if not samples:
        raise HaustraError(f"no picture of {folder} is kept out of training: give Kvasir-SEG's or HyperKvasir's")
    pictures = load_pictures(samples, _spare(model.size), progress)
    source = samples[0].source
    scores: dict[str, float] = {}
    for name, exam in (
        (source, labelled_exam(samples, pictures, model.size)),
        (f"spoilt {source}", spoilt_exam(samples, pictures, model.size)),
    ):
        chances = model.classify(exam.pictures)
        scores |= {f"{name}: {key}": value for key, value in pooled_scores(exam, chances, model.thresholds).items()}
        if name == source:
            scores[f"{source}: good ones kept"] = kept_share(chances, exam.answers, model.thresholds)
    return scores


def as_json(scores: Scores) -> dict[str, Any]:
    """Scores that JSON can hold: undefined figures are null."""
    return {question: {metric: _plain(value) for metric, value in row.items()} for question, row in scores.items()}


def _plain(value: MeanStd) -> dict[str, float | int | None]:
    if not value.recordings:
        return {"mean": None, "std": None, "recordings": 0}
    return {"mean": value.mean, "std": value.std, "recordings": value.recordings}


def _spare(size: int) -> int:
    """Spoiling happens a little above the input size, as in training."""
    return round(size * 7 / 6)


def _name(sample: Sample) -> str:
    moment = "" if sample.time_s is None else f" at {sample.time_s:g} s"
    return f"{sample.recording}/{sample.path.name}{moment}"
