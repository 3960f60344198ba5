"""The networks behind tables 2 to 5: ours, its ablations and the learnt rivals, all with one budget."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import rivals
from benchmarks.reproduce.parts import Place
from benchmarks.rivals_table import TRAINED
from haustra.lab.training.motion.config import CONFIGS, DEFAULT_CONFIG
from haustra.lab.training.motion.pairs import PairShard
from haustra.lab.training.motion.prepare import PairOptions, prepare_pairs
from haustra.motion.methods import LEARNT, OURS

# Rows of the paper's tables by the trainer's names; `ours` has its lambda_mc of 100.
LAMBDAS = {"0": "no-consistency", "10": "lambda-mc-10", "100": OURS, "500": "lambda-mc-500"}
ABLATIONS = ("fixed-mask", "no-mask", "no-flow", "no-consistency")


def options_of(place: Place) -> argparse.Namespace:
    """The options of `python -m benchmarks.rivals`."""
    scale = place.scale
    return argparse.Namespace(
        cohort=place.data.cohort,
        work=place.work / "networks",
        steps=scale.steps,
        batch=scale.batch,
        width=scale.width,
        lr=scale.lr,
        validate_every=scale.steps,
        patience=1,
        seeds=list(scale.seeds),
        methods=list(TRAINED),
    )


def network(row: str, place: Place) -> Path:
    """The motion.onnx of a row, trained if missing; its disparity.onnx is next to it."""
    learnt = row in (OURS, *LEARNT)
    method, ablation = (row, None) if learnt else (OURS, row)
    return rivals.train(method, place.scale.seeds[0], options_of(place), ablation)


def shards(place: Place, role: str) -> list[PairShard]:
    """The pairs of one split of Set 1."""
    options = options_of(place)
    found = prepare_pairs(options.cohort, options.work / "pairs", PairOptions(CONFIGS[DEFAULT_CONFIG].size), quiet=True)
    return [shard for shard in found if shard.description["role"] == role]
