"""`haustra train motion --method NAME`: a rival on our loop, pairs and validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from haustra.errors import HaustraError
from haustra.files import write_json
from haustra.motion.canonical import CANONICAL_FOV_DEG
from haustra.training.card import ModelCard, measured, this_command, write_card
from haustra.training.checkpoint import CHECKPOINT_NAME, load_weights, step_rng
from haustra.training.loop import BEST_NAME, LoopSettings, Step, run_loop
from haustra.training.motion.batch import Batch, make_batch
from haustra.training.motion.collapse import CollapseWatch
from haustra.training.motion.export import export_networks
from haustra.training.motion.losses import cpe, loss_mc
from haustra.training.motion.pairs import PairSet
from haustra.training.motion.step import make_warps
from haustra.training.motion.trainer import validation_batches
from haustra.training.motion.validate import motion_errors
from haustra.training.processes import training_place
from haustra.training.rivals.config import RivalConfig
from haustra.training.rivals.methods import METHODS, RivalModel
from haustra.training.run_folder import claim_folder

# Errors of motion that need no scale: a rival's is free.
SCALE_FREE = ("direction_deg", "sign_right", "rotation_deg")
LIMITS = (
    "A rival for comparison, written from its publication and trained on the same pairs as ours, on two frames at a"
    " time. Motion is up to scale, which differs from run to run. Not a medical device."
)


def train_rival(
    train: PairSet,
    validation: PairSet,
    out: Path,
    config: RivalConfig,
    *,
    seed: int = 0,
    weights: Path | None = None,
    data: str = "",
    quiet: bool = False,
) -> dict[str, Any]:
    """Train on cached pairs, resume what is in `out`, export `motion.onnx` and `disparity.onnx` with their cards."""
    if train.size != config.size:
        raise HaustraError(f"the pairs are {train.size} pixels wide: '{config.name}' needs {config.size}")
    claim_folder(out, {"config": asdict(config), "fov_deg": CANONICAL_FOV_DEG, "flow": train.flow})
    with training_place() as place:
        torch.manual_seed(seed)
        model: RivalModel = METHODS[config.name](config)
        if weights is not None and not (out / CHECKPOINT_NAME).is_file():
            load_weights(weights, {"model": model})
        model = model.to(place.device)
        batches = validation_batches(validation, place)

        def step(number: int) -> Step:
            rng = step_rng(seed, number, place.rank)
            batch = make_batch(train.read(rng.integers(0, len(train), config.batch))).to(place.device)
            return model.train().losses(batch, number)

        result = run_loop(
            out,
            model,
            _settings(config),
            place,
            step=step,
            validate=lambda: rival_figures(model, batches),
            watch=CollapseWatch().see,
            title=config.name,
            quiet=quiet,
        )
        if not place.first:
            return {}
        load_weights(out / BEST_NAME, {"model": model})
        figures = measured(rival_figures(model, batches))
        summary = {"steps": result.step, "best_step": result.best_step, **figures}
        write_json(out / "summary.json", summary)
        export_networks(model.cpu().motion, model.disparity, out, config.size, config.name, train.flow)
        _write_cards(out, config, seed, data, summary)
        return summary


def _settings(config: RivalConfig) -> LoopSettings:
    """A constant rate, as published. GeoNet's second stage leaves motion as it is, so it cannot run out of patience."""
    patience = config.patience + -(-config.residual_steps // config.validate_every)
    steps = config.steps + config.residual_steps
    return LoopSettings(steps, config.learning_rate, validate_every=config.validate_every, patience=patience)


@torch.no_grad()
def rival_figures(model: RivalModel, batches: Sequence[Batch]) -> dict[str, float]:
    """CPE, which decides as in our own training, and errors of motion that need no scale where there is truth."""
    model.eval()
    rows: list[dict[str, Tensor]] = []
    for batch in batches:
        forward, backward = model.motions(batch)
        warps = make_warps(model.scenes(batch), forward, backward, batch)
        row = {"cpe": cpe(batch.I_t, batch.I_t1, *warps), "mc": loss_mc(forward, backward).expand(len(forward))}
        if batch.Q_f is not None:
            errors = motion_errors(forward, batch.motion_f)
            row |= {name: errors[name] for name in SCALE_FREE}
        rows.append(row)
    model.train()
    columns = {name: torch.cat([row[name] for row in rows]).double().cpu().numpy() for name in rows[0]}
    figures = {name: float(np.nanmean(values)) for name, values in columns.items() if not np.isnan(values).all()}
    return {**figures, "score": figures.get("cpe", float("nan"))}


def _write_cards(out: Path, config: RivalConfig, seed: int, data: str, summary: dict[str, Any]) -> None:
    scores = {name: value for name, value in summary.items() if name not in ("steps", "score")}
    for name, task in (("motion", "Camera motion of a frame pair."), ("disparity", "Inverse depth of a frame.")):
        card = ModelCard(
            name, task, config.name, this_command(), data, seed, summary["steps"], scores, LIMITS, asdict(config)
        )
        write_card(card, out / f"{name}.onnx")
