"""What `haustra train motion` does, as a library call."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import torch

from haustra.errors import HaustraError
from haustra.flow.methods import DEFAULT_FLOW
from haustra.motion.methods import OURS
from haustra.training.motion.config import DEFAULT_CONFIG, MotionConfig, motion_config
from haustra.training.motion.pairs import PairSet, split_validation
from haustra.training.motion.prepare import PairOptions, prepare_pairs
from haustra.training.motion.trainer import train_motion
from haustra.training.processes import first_before_others, training_place
from haustra.training.rivals.config import RivalConfig, rival_config
from haustra.training.rivals.trainer import train_rival


def run_motion_training(
    data: Path,
    out: Path,
    *,
    method: str = OURS,
    config: str | None = None,
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
    """Pairs from `data` (computed once, kept in `cache`), then training into `out`; returns the final figures."""
    settings = motion_settings(method, config, ablation, values or {})
    if threads is not None:
        torch.set_num_threads(threads)
        cv2.setNumThreads(threads)
    with training_place():
        options = PairOptions(settings.size, camera, flow)
        train, validation = gather_pairs(data, cache or out / "pairs", options, quiet)
        return train_method(
            train, validation, out, settings, seed=seed, weights=weights, data=describe(train, data), quiet=quiet
        )


def motion_settings(
    method: str, config: str | None, ablation: str | None, values: dict[str, Any]
) -> MotionConfig | RivalConfig:
    """`method`: ours, or a rival of training/rivals; `config` and `ablation` are of ours. `values`: settings by their
    names, such as steps or lambda_mc; None leaves one as it is."""
    if method == OURS:
        return motion_config(config or DEFAULT_CONFIG, ablation, **values)
    if config is not None or ablation is not None:
        raise HaustraError(f"--config and --ablation are of our own method: leave them out with --method {method}")
    return rival_config(method, **values)


def gather_pairs(data: Path, cache: Path, options: PairOptions, quiet: bool) -> tuple[PairSet, PairSet]:
    """Training and validation pairs; of several processes the first makes what is missing, the others wait for it."""
    with training_place() as place, first_before_others(place):
        shards = prepare_pairs(data, cache, options, quiet=quiet or not place.first)
    return split_validation(shards)


def train_method(
    train: PairSet, validation: PairSet, out: Path, settings: MotionConfig | RivalConfig, **options: Any
) -> dict[str, Any]:
    """Our trainer or the rivals', by what the settings are of."""
    if isinstance(settings, MotionConfig):
        return train_motion(train, validation, out, settings, **options)
    return train_rival(train, validation, out, settings, **options)


def describe(train: PairSet, data: Path) -> str:
    """What a card says of the data: how much, which flow, and of simulated colons their worlds and seeds."""
    sources = [str(shard.description.get("source", "")) for shard in train.shards]
    drawn = Counter(source for source in sources if source.startswith("simulated"))
    listed = "".join(f"; {count} of {source}" for source, count in sorted(drawn.items()))
    return f"{len(train)} frame pairs of {len(train.shards)} recordings ({data.name}{listed}), flow {train.flow}"
