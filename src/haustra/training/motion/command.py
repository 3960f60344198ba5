"""What `haustra train motion` does, as a library call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import torch

from haustra.training.motion.config import DEFAULT_CONFIG, motion_config
from haustra.training.motion.pairs import split_validation
from haustra.training.motion.prepare import prepare_pairs
from haustra.training.motion.trainer import train_motion


def run_motion_training(
    data: Path,
    out: Path,
    *,
    config: str = DEFAULT_CONFIG,
    ablation: str | None = None,
    steps: int | None = None,
    seed: int = 0,
    start: str | Path | None = None,
    camera: str | None = None,
    cache: Path | None = None,
    threads: int | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Pairs from `data` (computed once, kept in `cache`), then training into `out`; returns the final figures."""
    settings = motion_config(config, ablation, steps=steps)
    if threads is not None:
        torch.set_num_threads(threads)
        cv2.setNumThreads(threads)
    shards = prepare_pairs(data, cache or out / "pairs", size=settings.size, camera=camera, quiet=quiet)
    train, validation = split_validation(shards)
    described = f"{len(train)} frame pairs of {len(train.shards)} recordings ({data.name})"
    return train_motion(train, validation, out, settings, seed=seed, start=start, data=described, quiet=quiet)
