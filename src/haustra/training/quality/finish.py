"""From a trained network to a file that can be used: thresholds, export, scores on held-out frames, model card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from haustra.evaluate.quality_exam import (
    Classify,
    Exam,
    choose_thresholds,
    classification_table,
    kept_share,
    labelled_exam,
    pooled_scores,
)
from haustra.evaluate.spoilt.exam import drawn_exam, spoilt_exam
from haustra.quality.decide import Thresholds
from haustra.quality.labelled import FORCEPS, INFORMATIVE, Sample
from haustra.quality.model import TASK, Chances, QualityModel
from haustra.training.card import ModelCard, this_command, write_card
from haustra.training.export import export_onnx
from haustra.training.quality.config import QualityConfig
from haustra.training.quality.networks import Probabilities, QualityNetwork

Images = NDArray[np.uint8]
LIMITS = (
    "Trained on simulated recordings and on real stills and sequences of few scenes, labelled by eye by one who is no "
    "physician; most of the poor ones among the real pictures were spoilt, and most instruments drawn, by computer. "
    "Real frames that are hard in other ways may be judged wrongly: look at the dropped frames of a first recording "
    "and move the thresholds. Transparent caps and the scope itself in retroflexion were neither taught as "
    "instruments nor as their absence. Not a medical device."
)


def torch_classifier(network: QualityNetwork, batch: int = 16) -> Classify:
    """Ask a network that is not exported yet."""

    def classify(pictures: Images) -> Chances:
        network.eval()
        with torch.no_grad():
            parts = [
                torch.sigmoid(network(torch.from_numpy(pictures[start : start + batch])))
                for start in range(0, len(pictures), batch)
            ]
        values = torch.cat(parts).numpy() if parts else np.zeros((0, 2), np.float32)
        return Chances(values[:, 0], values[:, 1])

    return classify


def export(network: QualityNetwork, config: QualityConfig, thresholds: Thresholds, path: Path) -> float:
    """Write the ONNX file; return its largest difference from torch."""
    example = torch.randint(0, 256, (2, config.size, config.size, 3)).float()
    metadata = {"task": TASK, "name": config.network, "size": config.size, "thresholds": asdict(thresholds)}
    return export_onnx(
        Probabilities(network),
        [example],
        path,
        inputs=["pictures"],
        outputs=["noninformative", "forceps"],
        metadata=metadata,
        tolerance=1e-2,  # relative to probabilities, which are tiny on the noise that the check looks at
    )


def exams_of(samples: Sequence[Sample], pictures: Images, size: int) -> dict[str, Exam]:
    """Every exam that these samples allow, by its name: labelled frames by source, spoilt and drawn ones."""
    exams: dict[str, Exam] = {}
    for source in sorted({sample.source for sample in samples}):
        own = [position for position, sample in enumerate(samples) if sample.source == source]
        part, part_pictures = [samples[position] for position in own], pictures[own]
        exams[f"labelled {source}"] = labelled_exam(part, part_pictures, size)
        if any(sample.label == INFORMATIVE for sample in part):
            exams[f"spoilt {source}"] = spoilt_exam(part, part_pictures, size)
            exams[f"drawn {source}"] = drawn_exam(part, part_pictures, size)
    return exams


def validation_thresholds(
    network: QualityNetwork, samples: Sequence[Sample], pictures: Images, size: int
) -> Thresholds:
    return choose_thresholds(list(exams_of(samples, pictures, size).values()), torch_classifier(network))


def test_scores(model: QualityModel, samples: Sequence[Sample], pictures: Images) -> dict[str, float | str | None]:
    """What the card says: tab:image_classification over recordings where there are any, pooled scores of stills."""
    scores: dict[str, float | str | None] = {}
    for name, exam in exams_of(samples, pictures, model.size).items():
        chances = model.classify(exam.pictures)
        if name.startswith("labelled") and len(set(exam.recordings)) < len(exam.recordings):
            for question, row in classification_table(exam, chances, model.thresholds).items():
                scores |= {f"{name}: {question} {metric}": str(value) for metric, value in row.items()}
        else:
            scores |= {f"{name}: {key}": value for key, value in pooled_scores(exam, chances, model.thresholds).items()}
        if name.startswith("labelled"):
            scores[f"{name}: good frames kept"] = kept_share(chances, exam.answers, model.thresholds)
    return scores


def write_model_card(
    config: QualityConfig,
    samples: Sequence[Sample],
    scores: dict[str, float | str | None],
    thresholds: Thresholds,
    path: Path,
) -> None:
    recordings = len({sample.recording for sample in samples})
    forceps = sum(sample.label == FORCEPS for sample in samples)
    write_card(
        ModelCard(
            name=f"quality_{config.network}",
            task="Probability that a frame is non-informative, and that it shows forceps or another instrument.",
            recipe=config.network,
            command=this_command(),
            data=f"{len(samples)} labelled frames of {recordings} recordings or stills ({forceps} with instruments)",
            seed=config.seed,
            steps=config.steps,
            scores=scores,
            limits=LIMITS,
            settings={**asdict(config), "thresholds": asdict(thresholds)},
        ),
        path,
    )
