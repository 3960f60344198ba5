"""`haustra train motion` as a library call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import torch

from haustra.core.errors import HaustraError
from haustra.flow.methods import DEFAULT_FLOW
from haustra.lab.training.motion.adaptation import adapt_motion
from haustra.lab.training.motion.config import DEFAULT_CONFIG, MotionConfig, motion_config
from haustra.lab.training.motion.own_recordings import Listed
from haustra.lab.training.motion.pairs import PairSet, split_validation
from haustra.lab.training.motion.prepare import PairOptions, prepare_pairs
from haustra.lab.training.motion.trainer import train_motion
from haustra.lab.training.processes import first_before_others, training_place
from haustra.lab.training.rivals.config import RivalConfig, rival_config
from haustra.lab.training.rivals.trainer import train_rival
from haustra.motion.methods import OURS


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
    listed: Sequence[Listed] | None = None,
    cache: Path | None = None,
    threads: int | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Prepare pairs from `data` (computed once, kept in `cache`), train into `out`; returns the final figures.

    `listed`: the recordings to adapt to, of which short stretches are read."""
    settings = motion_settings(method, config, ablation, values or {})
    if threads is not None:
        torch.set_num_threads(threads)
        cv2.setNumThreads(threads)
    if listed is not None and isinstance(settings, MotionConfig):
        return adapt_motion(
            listed, data, out, settings, flow=flow, cache=cache, quiet=quiet, seed=seed, weights=weights
        )
    with training_place():
        options = PairOptions(settings.size, camera, flow)
        train, validation = gather_pairs(data, cache or out / "pairs", options, quiet)
        return train_method(
            train, validation, out, settings, seed=seed, weights=weights, data=describe(train, data), quiet=quiet
        )


def motion_settings(
    method: str, config: str | None, ablation: str | None, values: dict[str, Any]
) -> MotionConfig | RivalConfig:
    """`method`: ours or a rival of training/rivals; `config` and `ablation` apply to ours. `values`: settings by name,
    such as steps or lambda_mc; None keeps the default."""
    if method == OURS:
        return motion_config(config or DEFAULT_CONFIG, ablation, **values)
    if config is not None or ablation is not None:
        raise HaustraError(f"--config and --ablation belong to our own method: omit them with --method {method}")
    return rival_config(method, **values)


def gather_pairs(data: Path, cache: Path, options: PairOptions, quiet: bool) -> tuple[PairSet, PairSet]:
    """Training and validation pairs; with several processes the first prepares missing ones while the others wait."""
    with training_place() as place, first_before_others(place):
        shards = prepare_pairs(data, cache, options, quiet=quiet or not place.first)
    return split_validation(shards)


def train_method(
    train: PairSet, validation: PairSet, out: Path, settings: MotionConfig | RivalConfig, **options: Any
) -> dict[str, Any]:
    """Run our trainer or the rivals', by the type of the settings."""
    if isinstance(settings, MotionConfig):
        return train_motion(train, validation, out, settings, **options)
    return train_rival(train, validation, out, settings, **options)


def describe(train: PairSet, data: Path) -> str:
    """The data line of a card: number of pairs, flow, and worlds and seeds of simulated colons."""
    sources = [str(shard.description.get("source", "")) for shard in train.shards]
    drawn = Counter(source for source in sources if source.startswith("simulated"))
    listed = "".join(f"; {count} of {source}" for source, count in sorted(drawn.items()))
    return f"{len(train)} frame pairs of {len(train.shards)} recordings ({data.name}{listed}), flow {train.flow}"
