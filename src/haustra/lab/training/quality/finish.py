"""After training: thresholds, export, scores on held-out frames, model card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from haustra.core.arrays import Images
from haustra.lab.evaluate.classifier_test import (
    ClassifierTest,
    Classify,
    choose_thresholds,
    classification_table,
    kept_share,
    labelled_test,
    pooled_scores,
)
from haustra.lab.evaluate.degraded.synthetic_tests import degraded_test, instrument_test
from haustra.lab.training.card import ModelCard, this_command, write_card
from haustra.lab.training.onnx_export import export_onnx
from haustra.lab.training.quality.config import QualityConfig
from haustra.lab.training.quality.networks import Probabilities, QualityNetwork
from haustra.quality.decide import Thresholds
from haustra.quality.labelled import FORCEPS, INFORMATIVE, Sample
from haustra.quality.quality_model import TASK, FrameProbabilities, QualityModel

LIMITS = (
    "Trained on simulated recordings and on real stills and sequences of few scenes, labelled by eye by one who is no "
    "physician; most of the poor ones among the real pictures were degraded, and most instruments drawn, by computer. "
    "Real frames that are hard in other ways may be judged wrongly: look at the dropped frames of a first recording "
    "and move the thresholds. Transparent caps and the scope itself in retroflexion were neither taught as "
    "instruments nor as their absence. Not a medical device."
)


def torch_classifier(network: QualityNetwork, batch: int = 16) -> Classify:
    """Classify with a network that is not exported yet."""

    def classify(pictures: Images) -> FrameProbabilities:
        network.eval()
        with torch.no_grad():
            parts = [
                torch.sigmoid(network(torch.from_numpy(pictures[start : start + batch])))
                for start in range(0, len(pictures), batch)
            ]
        values = torch.cat(parts).numpy() if parts else np.zeros((0, 2), np.float32)
        return FrameProbabilities(values[:, 0], values[:, 1])

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
        tolerance=1e-2,  # relative to probabilities, which are tiny on the random input of the check
    )


def tests_of(samples: Sequence[Sample], pictures: Images, size: int) -> dict[str, ClassifierTest]:
    """Test sets of these samples by name: labelled frames by source, degraded pictures, drawn instruments."""
    tests: dict[str, ClassifierTest] = {}
    for source in sorted({sample.source for sample in samples}):
        own = [position for position, sample in enumerate(samples) if sample.source == source]
        part, part_pictures = [samples[position] for position in own], pictures[own]
        tests[f"labelled {source}"] = labelled_test(part, part_pictures, size)
        if any(sample.label == INFORMATIVE for sample in part):
            tests[f"degraded {source}"] = degraded_test(part, part_pictures, size)
            tests[f"drawn {source}"] = instrument_test(part, part_pictures, size)
    return tests


def validation_thresholds(
    network: QualityNetwork, samples: Sequence[Sample], pictures: Images, size: int
) -> Thresholds:
    """Thresholds chosen on the validation recordings."""
    return choose_thresholds(list(tests_of(samples, pictures, size).values()), torch_classifier(network))


def test_scores(model: QualityModel, samples: Sequence[Sample], pictures: Images) -> dict[str, float | str | None]:
    """Scores for the card: tab:image_classification over recordings where there are any, pooled scores of stills."""
    scores: dict[str, float | str | None] = {}
    for name, test in tests_of(samples, pictures, model.size).items():
        probabilities = model.classify(test.pictures)
        if name.startswith("labelled") and len(set(test.recordings)) < len(test.recordings):
            for task, row in classification_table(test, probabilities, model.thresholds).items():
                scores |= {f"{name}: {task} {metric}": str(value) for metric, value in row.items()}
        else:
            scores |= {
                f"{name}: {key}": value for key, value in pooled_scores(test, probabilities, model.thresholds).items()
            }
        if name.startswith("labelled"):
            scores[f"{name}: good frames kept"] = kept_share(probabilities, test.labels, model.thresholds)
    return scores


def write_model_card(
    config: QualityConfig,
    samples: Sequence[Sample],
    scores: dict[str, float | str | None],
    thresholds: Thresholds,
    path: Path,
) -> None:
    """The card of a frame classifier, beside its weights."""
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
