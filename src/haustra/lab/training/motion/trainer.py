"""`haustra train motion`: both recipes, one trainer."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.files import write_json
from haustra.lab.training.card import ModelCard, measured, this_command, write_card
from haustra.lab.training.checkpoint import CHECKPOINT_NAME, load_weights, step_rng
from haustra.lab.training.loop import BEST_NAME, LoopResult, LoopSettings, Step, run_loop
from haustra.lab.training.motion.augment import augment
from haustra.lab.training.motion.collapse import CollapseWatch
from haustra.lab.training.motion.config import MotionConfig
from haustra.lab.training.motion.export_motion import export_motion
from haustra.lab.training.motion.heads import finish_uncertainty
from haustra.lab.training.motion.kept_heads import has_heads, keep_heads
from haustra.lab.training.motion.pair_batch import Batch, make_batch
from haustra.lab.training.motion.pairs import PairSet
from haustra.lab.training.motion.start import load_start, match_scale
from haustra.lab.training.motion.step import MotionModel, compute_losses
from haustra.lab.training.motion.validate import validation_figures
from haustra.lab.training.processes import Place, training_place
from haustra.lab.training.run_folder import claim_folder
from haustra.motion.canonical import CANONICAL_FOV_DEG

VALIDATION_PAIRS = 384
SCALE_PAIRS = 64
CARD_LIMITS = (
    "Motion is up to scale. For informative frames of a rigid scene, 1/30 to 1/3 s apart, undistorted to the canonical"
    " camera; unreliable with forceps, water and strong blur (the predicted uncertainty, if any, is then large)."
    " Not a medical device."
)


def train_motion(
    train: PairSet,
    validation: PairSet,
    out: Path,
    config: MotionConfig,
    *,
    seed: int = 0,
    weights: str | Path | None = None,
    data: str = "",
    quiet: bool = False,
) -> dict[str, Any]:
    """Train on cached pairs, resuming a run in `out`; export `motion.onnx` and `disparity.onnx` with their cards.

    `weights`: initial weights, see `load_start`.
    """
    _check(train, validation, config, out)
    with training_place() as place:
        torch.manual_seed(seed)
        start = weights or config.start
        keeps_heads = config.uncertainty and not config.supervised and has_heads(start)
        config = replace(config, uncertainty=config.learns_uncertainty or keeps_heads)
        model = MotionModel(config)
        # A resumed run has its weights; only the anchor is read again.
        anchored = config.geometry == "near"
        begins = not (out / CHECKPOINT_NAME).is_file()
        some = make_batch(train.read(_evenly(len(train), SCALE_PAIRS)))
        from_truth = load_start(start, model) if start is not None and (anchored or begins) else False
        if from_truth and config.normalise:
            match_scale(model, some)
        elif config.normalise and begins:
            model.measure_unit(some)
        model = model.to(place.device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        anchor = deepcopy(model).requires_grad_(False) if anchored else None
        if keeps_heads:
            for head in (model.motion.uncertainty, model.motion.calibre):
                assert head is not None
                head.requires_grad_(False)
        result = _run(train, validation, out, model, anchor, config, seed, place, quiet)
        if not place.first:
            return {}
        load_weights(out / BEST_NAME, {"model": model})
        if config.learns_uncertainty:
            finish_uncertainty(model, train, validation, seed)
        elif keeps_heads and start is not None:
            keep_heads(model, start, validation, config)
        figures = validation_figures(model, validation_batches(validation, place), config)
        summary = {"steps": result.step, "best_step": result.best_step, **measured(figures)}
        write_json(out / "summary.json", summary)
        export_motion(model.cpu(), out, config, flow=train.flow)
        _write_cards(out, config, seed, data, summary)
        return summary


def export_weights(
    weights: Path, train: PairSet, validation: PairSet, out: Path, config: MotionConfig, *, seed: int = 0
) -> Path:
    """Export weights that a run has kept as `out`/motion.onnx, with heads fitted to them: to judge them by paths."""
    torch.manual_seed(seed)
    model = MotionModel(config)
    load_weights(weights, {"model": model})
    if config.learns_uncertainty:
        finish_uncertainty(model, train, validation, seed)
    out.mkdir(parents=True, exist_ok=True)
    export_motion(model, out, config, flow=train.flow)
    return out / "motion.onnx"


def _run(
    train: PairSet,
    validation: PairSet,
    out: Path,
    model: MotionModel,
    anchor: MotionModel | None,
    config: MotionConfig,
    seed: int,
    place: Place,
    quiet: bool,
) -> LoopResult:
    def step(number: int) -> Step:
        rng = step_rng(seed, number, place.rank)
        drawn = rng.integers(0, len(train), config.batch)
        batch = make_batch(train.read(train.informative_first(drawn)))
        if config.augment:
            batch = augment(batch, rng)
        full = number % config.full_every == 0
        return compute_losses(model, batch.to(place.device), config, number, full=full, anchor=anchor)

    batches = validation_batches(validation, place)
    settings = LoopSettings(
        config.steps,
        config.learning_rate,
        cosine=config.cosine,
        warmup=min(config.warmup, config.steps // 10),
        validate_every=config.validate_every,
        patience=config.patience,
        clip_norm=config.clip_norm,
        keep_every=config.keep_every,
    )
    return run_loop(
        out,
        model,
        settings,
        place,
        step=step,
        validate=lambda: validation_figures(model, batches, config),
        watch=CollapseWatch().see,
        title=f"motion ({config.name})",
        quiet=quiet,
    )


def validation_batches(validation: PairSet, place: Place) -> list[Batch]:
    """A fixed, evenly spaced subset of the validation pairs, without augmentation."""
    indices = _evenly(len(validation), VALIDATION_PAIRS)
    parts = np.array_split(indices, -(-len(indices) // 16))
    return [make_batch(validation.read(part)).to(place.device) for part in parts]


def _evenly(length: int, count: int) -> NDArray[np.int64]:
    return np.linspace(0, length - 1, min(length, count)).round().astype(np.int64)


def _check(train: PairSet, validation: PairSet, config: MotionConfig, out: Path) -> None:
    if train.size != config.size:
        raise HaustraError(f"the pairs are {train.size} pixels wide: '{config.name}' needs {config.size}")
    if config.supervised and not (train.has_truth and validation.has_truth):
        raise HaustraError(f"'{config.name}' needs simulated pairs with truth: make them with `haustra train pairs`")
    claim_folder(out, {"config": asdict(config), "fov_deg": CANONICAL_FOV_DEG, "flow": train.flow})


def _write_cards(out: Path, config: MotionConfig, seed: int, data: str, summary: dict[str, Any]) -> None:
    scores = {name: value for name, value in summary.items() if name not in ("steps", "score")}
    settings = {
        **asdict(config),
        "effective weights": {f"loss_{name}": weight for name, weight in config.weights().items()},
    }
    tasks = {"motion": "Camera motion of a frame pair.", "disparity": "Inverse depth and highlights of a frame."}
    for name, task in tasks.items():
        card = ModelCard(
            name, task, config.name, this_command(), data, seed, summary["steps"], scores, CARD_LIMITS, settings
        )
        write_card(card, out / f"{name}.onnx")
