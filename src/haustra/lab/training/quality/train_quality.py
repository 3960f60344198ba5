"""`haustra train quality`: labelled frames in, an ONNX file with its model card out."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from haustra.core.errors import HaustraError
from haustra.core.files import write_text
from haustra.core.progress import progress_bar
from haustra.lab.evaluate.labelled_stills import read_stills
from haustra.lab.training.processes import training_place
from haustra.lab.training.quality.batches import Pool
from haustra.lab.training.quality.config import QualityConfig
from haustra.lab.training.quality.finish import export, test_scores, validation_thresholds, write_model_card
from haustra.lab.training.quality.hyperparameter_cross_validation import FoldedTrial, cross_validate, fold_of
from haustra.lab.training.quality.trainer import train_network
from haustra.quality.labelled import TEST, TRAIN, Sample, part, read_samples
from haustra.quality.labelled_pictures import load_pictures
from haustra.quality.quality_model import QualityModel

# Pictures are cached a little larger than the input, so that zoom augmentation does not soften them.
SPARE = 7 / 6
# One in seven training recordings is held out: the thresholds are chosen on it.
VALIDATION_FOLDS = 7


def train_quality(
    sources: Sequence[Path],
    config: QualityConfig,
    out: Path,
    *,
    stills: Sequence[Path] = (),
    choices: Mapping[str, Sequence[float]] | None = None,
    folds: int = 5,
    imagenet: Path | None = None,
    weights: Path | None = None,
    quiet: bool = False,
) -> Path | None:
    """Train on the training split, choose thresholds on its validation recordings, score on the test split.

    A stopped run resumes when started again with the same settings and `out`. Returns None in all but the first of
    several processes.
    """
    samples = gather(sources, stills)
    size = round(config.size * SPARE)
    with progress_bar("reading pictures", len(samples), unit="pictures", quiet=quiet) as progress:
        pictures = load_pictures(samples, size, progress)
    learn = [i for i, s in enumerate(samples) if s.split == TRAIN and fold_of(s.recording, VALIDATION_FOLDS)]
    check = [i for i, s in enumerate(samples) if s.split == TRAIN and not fold_of(s.recording, VALIDATION_FOLDS)]
    test = [i for i, s in enumerate(samples) if s.split == TEST]
    if not check:
        raise HaustraError("the training part has too few recordings to keep some for the thresholds: add recordings")
    own = [samples[i] for i in learn]
    if choices:
        total = folds
        for values in choices.values():
            total *= len(values)
        with progress_bar("cross-validation", total, unit="runs", quiet=quiet) as progress:
            trials = cross_validate(
                own, pictures[learn], config, choices, folds, imagenet=imagenet, weights=weights, progress=progress
            )
        write_trials(trials, out / "cross_validation.csv")
        config = trials[0].config
    pool = Pool(own, pictures[learn], config.size)
    with training_place() as place:
        network = train_network(pool, config, folder=out, imagenet=imagenet, weights=weights, quiet=quiet)
        if not place.first:
            return None
    thresholds = validation_thresholds(network, [samples[i] for i in check], pictures[check], config.size)
    path = out / f"quality_{config.network}.onnx"
    export(network, config, thresholds, path)
    scores = test_scores(QualityModel(path), [samples[i] for i in test], pictures[test]) if test else {}
    write_model_card(config, part(samples, TRAIN), scores, thresholds, path)
    return path


def gather(sources: Sequence[Path], stills: Sequence[Path]) -> list[Sample]:
    """All labelled frames; real pictures come last, each folder as its own source."""
    if not sources and not stills:
        raise HaustraError("nothing to learn from: give folders or csv tables of labelled frames, or --stills")
    return [*read_samples(sources), *(sample for folder in stills for sample in read_stills(folder))]


def write_trials(trials: Sequence[FoldedTrial], path: Path) -> None:
    """A csv table of all trials, the best first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*trials[0].changes, "aucpr_mean", *(f"aucpr_fold_{n}" for n in range(len(trials[0].aucpr)))])
    for trial in trials:
        writer.writerow([*trial.changes.values(), f"{trial.mean:.5f}", *(f"{value:.5f}" for value in trial.aucpr)])
    write_text(path, text.getvalue())
