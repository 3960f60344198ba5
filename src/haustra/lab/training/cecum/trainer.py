"""Train the cecum classifier: `python -m haustra.lab.training.cecum.trainer DATA --out weights`.

HyperKvasir's classes come from different recorders: against clean lumen alone any feature separates them (AUC 0.99 and
above), and the classifier then calls most frames of any colon a cecum. So there are many kinds of negatives (soiled
lumen, stool, polyps, frames of real sequences), and scores are across recorder layouts and on held-out sequences.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.nn import functional as F

from haustra.core.arrays import FloatArray
from haustra.core.onnx import batches
from haustra.lab.training.card import ModelCard, this_command, write_card
from haustra.lab.training.cecum.cecum_stills import CECUM, Stills, read_stills
from haustra.lab.training.onnx_export import export_onnx
from haustra.lab.training.quality.efficientnet import EfficientNetLite0, load_imagenet
from haustra.quality.cecum_classifier import TASK

BLOCKS = 11  # of the trunk: textures and simple shapes; a small file
STRENGTH = 0.003  # inverse regularisation strength (scikit-learn's C)


class CecumModule(nn.Module):
    """Images (n, 3, S, S) to the probability (n, 1) of a cecum."""

    def __init__(self) -> None:
        super().__init__()
        trunk = EfficientNetLite0()
        load_imagenet(trunk)
        self.stem, self.norm = trunk._conv_stem, trunk._bn0
        self.blocks = nn.Sequential(*list(trunk._blocks)[:BLOCKS])
        self.head = nn.Linear(3 * 112, 1)

    def features(self, pictures: Tensor) -> Tensor:
        """Mean, maximum and standard deviation of each channel."""
        maps = self.blocks(F.relu6(self.norm(self.stem((pictures - 127.0) / 128.0))))
        mean = maps.mean(dim=(2, 3))
        spread = (maps.square().mean(dim=(2, 3)) - mean.square()).clamp_min(0.0).add(1e-6).sqrt()
        return torch.cat([mean, maps.amax(dim=(2, 3)), spread], dim=1)

    def forward(self, pictures: Tensor) -> Tensor:
        return torch.sigmoid(self.head(self.features(pictures)))


class Linear:
    """Logistic regression on standardised features with balanced classes."""

    def __init__(self, features: FloatArray, cecum: NDArray[np.bool_]) -> None:
        self.mean, self.spread = features.mean(axis=0), features.std(axis=0) + 1e-6
        model = LogisticRegression(C=STRENGTH, max_iter=1000, class_weight="balanced")
        model.fit((features - self.mean) / self.spread, cecum)
        self.weight, self.bias = model.coef_[0] / self.spread, float(model.intercept_[0])
        self.bias -= float(self.weight @ self.mean)

    def __call__(self, features: FloatArray) -> FloatArray:
        return np.asarray(1 / (1 + np.exp(-(features @ self.weight + self.bias))), np.float64)


def across_layouts(features: FloatArray, stills: Stills, seed: int) -> dict[str, float | str | None]:
    """Train on the cecum in one recorder layout and half of the negatives, test on the other layout and half."""
    rng = np.random.default_rng(seed)
    first_half = rng.random(len(features)) < 0.5
    cecum, away = stills.kind == CECUM, stills.kind == "kept away"
    scores: dict[str, float | str | None] = {}
    for name, layout in (("tall", stills.tall), ("low", ~stills.tall)):
        used = np.where(cecum, layout, first_half & ~away)
        model = Linear(features[used], cecum[used])
        found = model(features[cecum & ~used])
        scores[f"trained_on_{name}_found"] = float((found > 0.5).mean())
        for kind in sorted(set(stills.kind.tolist()) - {CECUM}):
            other = model(features[(stills.kind == kind) & ~used])
            truth = np.r_[np.ones(len(found)), np.zeros(len(other))]
            scores[f"trained_on_{name}_auc_{kind.replace(' ', '_')}"] = float(roc_auc_score(truth, np.r_[found, other]))
            scores[f"trained_on_{name}_mistaken_{kind.replace(' ', '_')}"] = float((other > 0.5).mean())
    return scores


def run(data: Path, out: Path, seed: int) -> dict[str, float | str | None]:
    """Score across layouts, fit on everything but the held-out sequences, export with a card."""
    torch.set_num_threads(1)
    stills, network = read_stills(data), CecumModule().eval()
    with torch.no_grad():
        parts = [network.features(torch.from_numpy(part)) for part in batches(stills.pictures)]
    features = torch.cat(parts).double().numpy()
    scores = across_layouts(features, stills, seed)
    used = stills.kind != "kept away"
    model = Linear(features[used], stills.kind[used] == CECUM)
    with torch.no_grad():
        network.head.weight.copy_(torch.from_numpy(model.weight)[None])
        network.head.bias.fill_(model.bias)
    path = out / f"{TASK}.onnx"
    metadata = {"task": TASK, "name": TASK}
    example = torch.from_numpy(stills.pictures[:4])
    export_onnx(network, [example], path, inputs=["pictures"], outputs=["cecum"], metadata=metadata)
    write_card(_card(scores, seed, int(used.sum())), path)
    return scores


def _card(scores: dict[str, float | str | None], seed: int, count: int) -> ModelCard:
    return ModelCard(
        name=TASK,
        task="Whether the middle of an endoscope picture shows the cecum.",
        recipe=f"the first {BLOCKS} blocks of EfficientNet-Lite0 (ImageNet, frozen), logistic regression",
        command=this_command(),
        data=f"{count} real stills: HyperKvasir (CC BY 4.0), Kvasir-SEG (research and education), frames of seven "
        "PolypGen sequences (CC BY 4.0); only their middle, brightness and colour evened out",
        seed=seed,
        steps=0,
        scores=scores,
        limits="All pictures of the cecum are good stills of one hospital. Scores are with the cecum of one recorder's "
        "layout to train on and the other's to test; `kept_away` are sequences that were never trained on.",
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train the network that knows the cecum.")
    parser.add_argument("data", type=Path, help="Folder with hyperkvasir, kvasir-seg-train and real-sequences.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name, value in run(arguments.data, arguments.out, arguments.seed).items():
        print(f"{name} {value:.3f}")
