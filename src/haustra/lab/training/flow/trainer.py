"""`haustra train flow`: PWC-Net on the exact flow of simulated pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from haustra.core.errors import HaustraError
from haustra.core.files import write_json
from haustra.lab.training.card import ModelCard, measured, this_command, write_card
from haustra.lab.training.checkpoint import CHECKPOINT_NAME, load_weights, step_rng
from haustra.lab.training.flow.network import FLOW_UNIT, PwcNet
from haustra.lab.training.loop import BEST_NAME, LoopSettings, Step, run_loop
from haustra.lab.training.motion.augment import augment
from haustra.lab.training.motion.pair_batch import Batch, make_batch
from haustra.lab.training.motion.pairs import PairSet, find_shards, split_validation
from haustra.lab.training.motion.supervision import SCENE_MM
from haustra.lab.training.motion.warp import rigid_flow
from haustra.lab.training.onnx_export import export_onnx
from haustra.lab.training.processes import training_place
from haustra.lab.training.run_folder import claim_folder

LEVEL_WEIGHTS = (0.32, 0.08, 0.02, 0.01, 0.005)  # levels 6 to 2, as published
VALIDATION_PAIRS = 128
WARMUP = 50


@dataclass(frozen=True)
class FlowConfig:
    """A quarter of the published widths and small batches: on one core, many small steps learn faster."""

    width: float = 0.25
    steps: int = 20_000
    batch: int = 4
    learning_rate: float = 1e-3


def run_flow_training(
    data: Path,
    out: Path,
    *,
    steps: int | None = None,
    seed: int = 0,
    width: float | None = None,
    weights: Path | None = None,
    threads: int | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Train on a folder of simulated pairs, resuming a run in `out`; export `pwcnet.onnx` with its card."""
    if threads is not None:
        torch.set_num_threads(threads)
    width = FlowConfig.width if width is None else width
    if not 0 < width <= 1 or (steps is not None and steps < 1):
        raise HaustraError(
            f"width {width}, {steps} steps: the width must be above 0 and at most 1, the steps at least 1"
        )
    config = FlowConfig(width, steps or FlowConfig.steps)
    train, validation = split_validation(find_shards(data))
    if not (train.has_truth and validation.has_truth):
        raise HaustraError(f"{data} has no exact flow: make simulated pairs with `haustra train pairs`")
    claim_folder(out, asdict(config))
    summary = _train(train, validation, out, config, seed, weights, quiet)
    if summary:
        card = ModelCard(
            "pwcnet",
            "Dense optical flow of a frame pair (PWC-Net).",
            "simulated flow",
            this_command(),
            f"{len(train)} frame pairs of {len(train.shards)} simulated colons",
            seed,
            summary["steps"],
            {name: value for name, value in summary.items() if name.startswith("epe")},
            "Trained on simulated colons only, on pictures of 128x128 pixels. Not a medical device.",
            asdict(config),
        )
        write_card(card, out / "pwcnet.onnx")
    return summary


def _train(
    train: PairSet, validation: PairSet, out: Path, config: FlowConfig, seed: int, weights: Path | None, quiet: bool
) -> dict[str, Any]:
    with training_place() as place:
        torch.manual_seed(seed)
        model = PwcNet(config.width, normalised=True)
        if weights is not None and not (out / CHECKPOINT_NAME).is_file():
            load_weights(weights, {"model": model})
        model = model.to(place.device)

        def step(number: int) -> Step:
            rng = step_rng(seed, number, place.rank)
            batch = augment(make_batch(train.read(rng.integers(0, len(train), config.batch))), rng).to(place.device)
            loss, epe = flow_loss(model, batch)
            return Step(loss, {"epe": epe}, {})

        picked = np.linspace(0, len(validation) - 1, min(len(validation), VALIDATION_PAIRS)).astype(np.int64)
        batches = [
            make_batch(validation.read(part)).to(place.device) for part in np.array_split(picked, -(-len(picked) // 8))
        ]
        settings = LoopSettings(
            config.steps, config.learning_rate, cosine=True, warmup=WARMUP, validate_every=250, clip_norm=5.0
        )
        result = run_loop(
            out, model, settings, place, step=step, validate=lambda: validate(model, batches), title="flow", quiet=quiet
        )
        if not place.first:
            return {}
        load_weights(out / BEST_NAME, {"model": model})
        figures = validate(model, batches)
        summary = {"steps": result.step, "best_step": result.best_step, **measured(figures)}
        write_json(out / "summary.json", summary)
        picture = torch.rand(2, 3, train.size, train.size)
        export_onnx(
            model,
            [picture, picture.roll(2, dims=3)],
            out / "pwcnet.onnx",
            inputs=["image_a", "image_b"],
            outputs=["flow_ab"],
            metadata={"task": "flow", "size": train.size, "width": config.width},
            free_size=True,
        )
        return summary


def true_flow(batch: Batch) -> tuple[Tensor, Tensor]:
    """The exact flow t->t+1 (B, 2, S, S) in pixels and where it is known (B, 1, S, S)."""
    assert batch.depth_t is not None
    assert batch.Q_f is not None
    known = batch.depth_t > 0
    disparity = torch.where(known, SCENE_MM / batch.depth_t.clamp(min=1e-3), torch.zeros_like(batch.depth_t))
    flow, in_front = rigid_flow(disparity, batch.Q_f, batch.K)
    return flow, (known & in_front & (batch.mask_t > 0)).to(flow.dtype)


def flow_loss(model: PwcNet, batch: Batch) -> tuple[Tensor, float]:
    """The published multi-level loss, and the end-point error at a quarter of the size for the log."""
    truth, known = true_flow(batch)
    loss, epe = truth.new_zeros(()), 0.0
    for weight, flow in zip(LEVEL_WEIGHTS, model.pyramid_flows(batch.I_t, batch.I_t1), strict=True):
        height, width = flow.shape[-2:]
        target, share = (functional.adaptive_avg_pool2d(x, (height, width)) for x in (truth * known, known))
        target = target / share.clamp(min=1e-6)
        error = (flow - target / FLOW_UNIT).square().sum(dim=1, keepdim=True).add(1e-12).sqrt()
        loss = loss + weight * (error * share).sum(dim=(1, 2, 3)).mean()
        epe = float((error.detach() * share).sum() / share.sum().clamp(min=1.0)) * FLOW_UNIT
    return loss, epe


@torch.no_grad()
def validate(model: PwcNet, batches: Sequence[Batch]) -> dict[str, float]:
    """End-point error in pixels of PWC-Net, and of DIS on the same pairs."""
    model.eval()
    totals = {"epe": 0.0, "epe_dis": 0.0}
    pixels = 0.0
    for batch in batches:
        truth, known = true_flow(batch)
        for name, flow in (("epe", model(batch.I_t, batch.I_t1)), ("epe_dis", batch.flow_f)):
            totals[name] += float(((flow - truth).norm(dim=1, keepdim=True) * known).sum())
        pixels += float(known.sum())
    model.train()
    figures = {name: total / max(pixels, 1.0) for name, total in totals.items()}
    return {**figures, "score": figures["epe"]}
