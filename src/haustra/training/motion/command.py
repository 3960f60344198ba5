"""What `haustra train motion` does, as a library call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import torch

from haustra.flow.methods import DEFAULT_FLOW
from haustra.training.motion.config import DEFAULT_CONFIG, motion_config
from haustra.training.motion.pairs import PairSet, split_validation
from haustra.training.motion.prepare import PairOptions, prepare_pairs
from haustra.training.motion.trainer import train_motion
from haustra.training.processes import first_before_others, training_place


def run_motion_training(
    data: Path,
    out: Path,
    *,
    config: str = DEFAULT_CONFIG,
    ablation: str | None = None,
    values: dict[str, Any] | None = None,
    seed: int = 0,
    weights: str | Path | None = None,
    camera: str | None = None,
    flow: str = DEFAULT_FLOW,
    cache: Path | None = None,
    threads: int | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Pairs from `data` (computed once, kept in `cache`), then training into `out`; returns the final figures.

    `values`: settings of the configuration by their names, such as steps or lambda_mc; None leaves one as it is.
    """
    settings = motion_config(config, ablation, **(values or {}))
    use_threads(threads)
    with training_place():
        train, validation = gather_pairs(data, cache or out / "pairs", PairOptions(settings.size, camera, flow), quiet)
        about = describe(train, data)
        return train_motion(train, validation, out, settings, seed=seed, weights=weights, data=about, quiet=quiet)


def use_threads(threads: int | None) -> None:
    if threads is not None:
        torch.set_num_threads(threads)
        cv2.setNumThreads(threads)


def gather_pairs(data: Path, cache: Path, options: PairOptions, quiet: bool) -> tuple[PairSet, PairSet]:
    """Training and validation pairs; of several processes the first makes what is missing, the others wait for it."""
    with training_place() as place, first_before_others(place):
        shards = prepare_pairs(data, cache, options, quiet=quiet or not place.first)
    return split_validation(shards)


def describe(train: PairSet, data: Path) -> str:
    return f"{len(train)} frame pairs of {len(train.shards)} recordings ({data.name}), flow {train.flow}"
