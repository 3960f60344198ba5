"""The training loop of the frame classifiers: two binary questions, one step after another, resumable."""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from haustra.errors import HaustraError
from haustra.progress import Progress, silent
from haustra.training.checkpoint import CHECKPOINT_NAME, load_checkpoint, load_weights, save_checkpoint, step_rng
from haustra.training.logs import CsvLog, RunningTerms
from haustra.training.quality.batches import Batch, Pool
from haustra.training.quality.config import QualityConfig
from haustra.training.quality.networks import QualityNetwork, build

LOG_EVERY, SAVE_EVERY = 20, 100
WARM_UP = 0.03
GRADIENT_NORM = 5.0


def train_network(
    pool: Pool,
    config: QualityConfig,
    *,
    folder: Path | None = None,
    imagenet: Path | None = None,
    start: Path | None = None,
    progress: Progress = silent,
) -> QualityNetwork:
    """Train; with a `folder` the run leaves a log and checkpoints there and can go on from the last of them."""
    torch.manual_seed(config.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = build(config.network, dropout=config.dropout, frozen_blocks=config.frozen_blocks, imagenet=imagenet)
    if start is not None:
        load_weights(start, {"quality": network})
    network = network.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    # Weight decay inside Adam's gradient is the paper's L2 term.
    optimizer = torch.optim.Adam(network.learning(), config.lr, weight_decay=config.l2)
    first = _go_on(folder, network, optimizer, config) if folder is not None else 0
    log = CsvLog(folder / "log.csv", ["lr", "noninformative", "forceps"], resume_step=first) if folder else None
    terms = RunningTerms()
    with ThreadPoolExecutor(1) as drawer:
        ready = drawer.submit(pool.draw, config.batch, step_rng(config.seed, first))
        for step in range(first, config.steps):
            batch, ready = ready.result(), _next(drawer, pool, config, step + 1)
            torch.manual_seed(config.seed * 1_000_003 + step)  # dropout, so that a resumed run repeats it
            rate = _set_rate(optimizer, config, step)
            terms.add({"lr": rate, **_step(network, optimizer, batch, device)})
            done = step + 1
            progress(done, terms.note())
            if log is not None and (done % LOG_EVERY == 0 or done == config.steps):
                log.write(done, terms.means())
                terms.reset()
            if folder is not None and (done % SAVE_EVERY == 0 or done == config.steps):
                extra = {"config": asdict(config)}
                save_checkpoint(folder / CHECKPOINT_NAME, {"quality": network}, optimizer, done, extra)
    return network.eval().cpu()


def loss_terms(logits: Tensor, answers: Tensor) -> tuple[Tensor, Tensor]:
    """Binary cross-entropy of each question over the pictures whose answer is known; batches are balanced already."""
    known = ~answers.isnan()
    losses = F.binary_cross_entropy_with_logits(logits, answers.nan_to_num(), reduction="none") * known
    means = losses.sum(0) / known.sum(0).clamp(min=1)
    return means[0], means[1]


def _step(
    network: QualityNetwork, optimizer: torch.optim.Optimizer, batch: Batch, device: torch.device
) -> dict[str, float]:
    network.train()
    pictures = torch.from_numpy(batch.pictures).to(device)
    answers = torch.from_numpy(batch.answers).to(device)
    total = torch.zeros((), device=device)
    report: dict[str, float] = {}
    for weight, logits in network.answers(pictures):
        first, second = loss_terms(logits, answers)
        total = total + weight * (first + second)
        report = report or {"noninformative": first.item(), "forceps": second.item()}
    if not math.isfinite(total.item()):
        raise HaustraError("the loss is no longer a number: start again with a smaller --lr")
    optimizer.zero_grad(set_to_none=True)
    total.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.learning(), GRADIENT_NORM)
    optimizer.step()
    return report


def _next(drawer: ThreadPoolExecutor, pool: Pool, config: QualityConfig, step: int) -> Future[Batch]:
    """The next batch is drawn while this one is learnt."""
    return drawer.submit(pool.draw, config.batch, step_rng(config.seed, min(step, config.steps - 1)))


def _set_rate(optimizer: torch.optim.Optimizer, config: QualityConfig, step: int) -> float:
    """A short linear warm-up, then half a cosine down to nothing."""
    warm = max(1, round(WARM_UP * config.steps))
    share = (step + 1) / warm if step < warm else 0.5 * (1 + math.cos(math.pi * (step - warm) / (config.steps - warm)))
    for group in optimizer.param_groups:
        group["lr"] = config.lr * share
    return config.lr * share


def _go_on(folder: Path, network: QualityNetwork, optimizer: torch.optim.Optimizer, config: QualityConfig) -> int:
    path = folder / CHECKPOINT_NAME
    if not path.is_file():
        return 0
    resumed = load_checkpoint(path, {"quality": network}, optimizer)
    if resumed.extra["config"] != asdict(config):
        raise HaustraError(f"{path} was made with other settings: give the same ones, or another --out")
    return resumed.step
