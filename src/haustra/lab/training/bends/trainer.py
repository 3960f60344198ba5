"""Train the bend network: `python -m haustra.lab.training.bends.trainer --out weights`.

`--without slung` leaves that family of courses out of training: the weight of the network's output in
`haustra.anatomy.bends` was chosen on such held-out courses.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from haustra.anatomy.bends import BINS, TASK, path_features
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import BOUNDARIES
from haustra.lab.training.bends.training_courses import draw
from haustra.lab.training.bends.wrong_paths import make_wrong
from haustra.lab.training.card import ModelCard, this_command, write_card
from haustra.lab.training.onnx_export import export_onnx

COURSES = {"usual": 16_000, "varied": 16_000, "loose": 40_000, "stationed": 16_000, "slung": 12_000, "blended": 24_000}
READERS = 3
PASSES = 4  # corrupted copies of each course
EPOCHS = 12
BATCH = 256
_CHUNK = 500
_TARGET_WIDTH = 0.012
_INPUT_NOISE = 0.15

Examples = tuple[NDArray[np.float32], FloatArray]


class BendsNetwork(nn.Module):
    """Features of a course to logits (n, boundaries, BINS): position along the path of each inner boundary."""

    mean: Tensor
    spread: Tensor

    def __init__(self, features: int, width: int = 256) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("spread", torch.ones(features))
        layers: list[nn.Module] = [nn.Linear(features, width), nn.GELU(), nn.Dropout(0.2)]
        layers += [nn.Linear(width, width), nn.GELU(), nn.Dropout(0.2), nn.Linear(width, width), nn.GELU()]
        self.layers = nn.Sequential(*layers, nn.Linear(width, len(BOUNDARIES) * BINS))

    def forward(self, features: Tensor) -> Tensor:
        result: Tensor = self.layers((features - self.mean) / self.spread)
        return result.reshape(-1, len(BOUNDARIES), BINS)


class Readers(nn.Module):
    """Ensemble: mean probabilities of several networks, as logits; disagreement widens them."""

    def __init__(self, networks: Sequence[BendsNetwork]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, features: Tensor) -> Tensor:
        probability = torch.stack([network(features).softmax(dim=-1) for network in self.networks])
        return probability.mean(dim=0).clamp_min(1e-12).log()


def examples(
    rng: np.random.Generator, family: str, count: int, level: float | None = None, without: str | None = None
) -> Examples:
    """Features and boundaries of corrupted courses."""
    features, boundaries = [], []
    for start in range(0, count, _CHUNK):
        courses, inner = draw(rng, family, min(_CHUNK, count - start), without)
        for _ in range(PASSES if level is None else 1):
            wrong = make_wrong(rng, courses, inner, level)
            features.append(path_features(wrong.points, wrong.unsure))
            boundaries.append(wrong.boundaries)
    return np.concatenate(features), np.concatenate(boundaries)


def targets(boundaries: FloatArray) -> NDArray[np.float32]:
    """Soft targets (n, boundaries, BINS), a little wider than a bin."""
    centres = (np.arange(BINS) + 0.5) / BINS
    soft = np.exp(-0.5 * ((centres - boundaries[..., None]) / _TARGET_WIDTH) ** 2)
    return np.asarray(soft / soft.sum(axis=-1, keepdims=True), dtype=np.float32)


def train(data: Examples, seed: int, epochs: int = EPOCHS) -> BendsNetwork:
    """Cross-entropy of the positions, one learning-rate cycle."""
    torch.manual_seed(seed)
    features, wanted = torch.from_numpy(data[0]), torch.from_numpy(targets(data[1]))
    network = BendsNetwork(features.shape[1])
    network.mean.copy_(features.mean(dim=0))
    network.spread.copy_(features.std(dim=0) + 1e-3)
    optimiser = torch.optim.AdamW(network.parameters(), 1e-3, weight_decay=1e-2)
    steps = epochs * max(len(features) // BATCH, 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps)
    network.train()
    for _ in range(steps):
        rows = torch.randint(len(features), (BATCH,))
        noisy = features[rows] + _INPUT_NOISE * network.spread * torch.randn(BATCH, features.shape[1])
        loss = cross_entropy(network(noisy), wanted[rows])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    return network.eval()


def cross_entropy(logits: Tensor, wanted: Tensor) -> Tensor:
    """Mean cross-entropy of soft targets, over paths and boundaries."""
    return -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1).mean()


def score(network: nn.Module, data: Examples) -> float:
    """Mean absolute error of the boundaries' expected positions, as a share of the path."""
    with torch.no_grad():
        probability = network(torch.from_numpy(data[0])).softmax(dim=-1).double().numpy()
    return float(np.abs(probability @ ((np.arange(BINS) + 0.5) / BINS) - data[1]).mean())


def run(out: Path, seed: int, without: str | None = None) -> None:
    """Train, score on held-out courses (the family `laid` is never trained on), export with a card."""
    rng = np.random.default_rng(seed)
    learnt = {family: count for family, count in COURSES.items() if family != without}
    parts = [examples(rng, family, count, without=without) for family, count in learnt.items()]
    data = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    network = Readers([train(data, seed + k) for k in range(READERS)])
    scores: dict[str, float | str | None] = {
        f"boundary_mae_{family}_level_{level:g}": score(network, examples(rng, family, 500, level))
        for family in ("usual", "varied", "stationed", "slung", "laid")
        for level in (0.0, 1.0)
    }
    prior = targets(data[1]).mean(axis=0).round(5).tolist()
    path = out / f"{TASK}.onnx"
    example = torch.from_numpy(data[0][:4])
    metadata = {"task": TASK, "name": TASK, "prior": prior}
    export_onnx(network, [example], path, inputs=["features"], outputs=["logits"], metadata=metadata)
    write_card(_card(scores, seed, len(data[0]), learnt), path)


def _card(scores: dict[str, float | str | None], seed: int, count: int, learnt: dict[str, int]) -> ModelCard:
    return ModelCard(
        name=TASK,
        task="Where along an estimated path the five inner boundaries of the colon's segments lie, from its course.",
        recipe=f"{READERS} networks of three hidden layers, cross-entropy over {BINS} places a boundary, averaged",
        command=this_command(),
        data=f"{sum(learnt.values())} simulated courses ({', '.join(learnt)}), each made wrong {PASSES} times as "
        "estimated paths are; no recording",
        seed=seed,
        steps=READERS * EPOCHS * (count // BATCH),
        scores=scores,
        limits="Courses are simulated. On paths of real anatomies it can be sure and wrong: the decoder keeps the "
        "chance that it misreads a path.",
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", choices=[*COURSES], help="family of courses held out for testing")
    arguments = parser.parse_args()
    run(arguments.out, arguments.seed, arguments.without)
