"""`haustra train motion --method NAME`: train a rival with our loop, pairs and validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from haustra.core.errors import HaustraError
from haustra.core.files import write_json
from haustra.lab.training.card import ModelCard, measured, this_command, write_card
from haustra.lab.training.checkpoint import CHECKPOINT_NAME, load_weights, step_rng
from haustra.lab.training.loop import BEST_NAME, LoopSettings, Step, run_loop
from haustra.lab.training.motion.collapse import CollapseWatch
from haustra.lab.training.motion.config import RESCALED
from haustra.lab.training.motion.export_motion import export_networks
from haustra.lab.training.motion.losses import cpe, loss_mc
from haustra.lab.training.motion.pair_batch import Batch, make_batch
from haustra.lab.training.motion.pairs import PairSet
from haustra.lab.training.motion.step import make_warps
from haustra.lab.training.motion.trainer import validation_batches
from haustra.lab.training.motion.validate import motion_errors
from haustra.lab.training.processes import training_place
from haustra.lab.training.rivals.config import RivalConfig
from haustra.lab.training.rivals.rival_models import METHODS, RivalModel
from haustra.lab.training.run_folder import claim_folder
from haustra.motion.canonical import CANONICAL_FOV_DEG

# Scale-free errors: the scale of a rival is arbitrary.
SCALE_FREE = ("direction_deg", "sign_right", "rotation_deg")
LIMITS = (
    "A rival for comparison, implemented from its publication and trained on the same pairs as ours, two frames at a"
    " time. Motion is up to a scale that differs from run to run. Not a medical device."
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
    """Train on cached pairs, resuming a run in `out`; export `motion.onnx` and `disparity.onnx` with their cards."""
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
    """A constant rate, as published. GeoNet's second stage leaves motion unchanged, so patience must not end it."""
    patience = config.patience + -(-config.residual_steps // config.validate_every)
    steps = config.steps + config.residual_steps
    return LoopSettings(steps, config.learning_rate, validate_every=config.validate_every, patience=patience)


@torch.no_grad()
def rival_figures(model: RivalModel, batches: Sequence[Batch]) -> dict[str, float]:
    """CPE, which selects the best weights as for ours, and scale-free motion errors where there is ground truth."""
    model.eval()
    rows: list[dict[str, Tensor]] = []
    for batch in batches:
        forward, backward = model.motions(batch)
        warps = make_warps(model.scenes(batch), forward, backward, batch)
        row = {"cpe": cpe(batch.I_t, batch.I_t1, *warps, RESCALED.specular_target)}
        row["mc"] = loss_mc(forward, backward).expand(len(forward))
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
