"""Training of the frame classifiers: two binary tasks on the common training loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from haustra.lab.training.checkpoint import CHECKPOINT_NAME, step_rng
from haustra.lab.training.loop import LoopSettings, Step, run_loop
from haustra.lab.training.processes import Place, training_place
from haustra.lab.training.quality.batches import LabelledBatch, Pool
from haustra.lab.training.quality.config import QualityConfig
from haustra.lab.training.quality.networks import QualityNetwork, build
from haustra.lab.training.quality.start import load_start
from haustra.lab.training.run_folder import claim_folder

LOG_EVERY = 20
WARM_UP = 0.03
GRADIENT_NORM = 5.0


def train_network(
    pool: Pool,
    config: QualityConfig,
    *,
    folder: Path | None = None,
    imagenet: Path | None = None,
    weights: Path | None = None,
    quiet: bool = True,
) -> QualityNetwork:
    """Train; with a `folder`, the run writes a log and checkpoints there and can resume."""
    if folder is not None:
        claim_folder(folder, asdict(config))
    with training_place() as place, _drawing(pool, config, place) as draw:
        torch.manual_seed(config.seed)
        network = build(config.network, dropout=config.dropout, frozen_blocks=config.frozen_blocks, imagenet=imagenet)
        if weights is not None and not (folder is not None and (folder / CHECKPOINT_NAME).is_file()):
            load_start(weights, network)
        network = network.to(place.device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]

        def step(number: int) -> Step:
            batch = draw(number)
            torch.manual_seed(config.seed * 1_000_003 + number)  # dropout, so that a resumed run repeats it
            return _losses(network, batch, place.device)

        run_loop(folder, network, _settings(config), place, step=step, title="training", quiet=quiet)
        return network.eval().cpu()


def _settings(config: QualityConfig) -> LoopSettings:
    return LoopSettings(
        config.steps,
        config.lr,
        cosine=True,
        warmup=max(1, round(WARM_UP * config.steps)),
        weight_decay=config.l2,
        log_every=LOG_EVERY,
        clip_norm=GRADIENT_NORM,
    )


def loss_terms(logits: Tensor, answers: Tensor) -> tuple[Tensor, Tensor]:
    """Binary cross-entropy of each task over the labelled pictures; batches are already balanced."""
    known = ~answers.isnan()
    losses = F.binary_cross_entropy_with_logits(logits, answers.nan_to_num(), reduction="none") * known
    means = losses.sum(0) / known.sum(0).clamp(min=1)
    return means[0], means[1]


def _losses(network: QualityNetwork, batch: LabelledBatch, device: torch.device) -> Step:
    network.train()
    pictures = torch.from_numpy(batch.pictures).to(device)
    answers = torch.from_numpy(batch.answers).to(device)
    total = torch.zeros((), device=device)
    report: dict[str, float] = {}
    for weight, logits in network.answers(pictures):
        first, second = loss_terms(logits, answers)
        total = total + weight * (first + second)
        report = report or {"noninformative": first.item(), "forceps": second.item()}
    return Step(total, report, {})


@contextmanager
def _drawing(pool: Pool, config: QualityConfig, place: Place) -> Iterator[Callable[[int], LabelledBatch]]:
    """A function that returns the batch of a step and prefetches the next."""
    with ThreadPoolExecutor(1) as drawer:
        ready: dict[int, Future[LabelledBatch]] = {}

        def submit(number: int) -> Future[LabelledBatch]:
            return drawer.submit(pool.draw, config.batch, step_rng(config.seed, number, place.rank))

        def draw(number: int) -> LabelledBatch:
            batch = (ready.pop(number, None) or submit(number)).result()
            if number + 1 < config.steps:
                ready[number + 1] = submit(number + 1)
            return batch

        yield draw
