"""The networks behind tables 2 to 5: ours, its ablations and the learnt rivals, all with one budget."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import rivals
from benchmarks.reproduce.parts import Place
from benchmarks.rivals_table import TRAINED
from haustra.motion.methods import LEARNT, OURS
from haustra.training.motion.config import CONFIGS, DEFAULT_CONFIG
from haustra.training.motion.pairs import PairShard
from haustra.training.motion.prepare import PairOptions, prepare_pairs

# Rows of the paper's tables by the trainer's names; `ours` has its lambda_mc of 100.
LAMBDAS = {"0": "no-consistency", "10": "lambda-mc-10", "100": OURS, "500": "lambda-mc-500"}
ABLATIONS = ("fixed-mask", "no-mask", "no-flow", "no-consistency")


def options_of(place: Place) -> argparse.Namespace:
    """As `python -m benchmarks.rivals` takes them."""
    scale = place.scale
    return argparse.Namespace(
        cohort=place.data.cohort,
        work=place.work / "networks",
        steps=scale.steps,
        batch=scale.batch,
        width=scale.width,
        lr=scale.lr,
        seeds=list(scale.seeds),
        methods=list(TRAINED),
    )


def network(row: str, place: Place) -> Path:
    """The motion.onnx of a row, trained if it is not there yet; its disparity.onnx lies beside it."""
    learnt = row in (OURS, *LEARNT)
    method, ablation = (row, None) if learnt else (OURS, row)
    return rivals.train(method, place.scale.seeds[0], options_of(place), ablation)


def shards(place: Place, role: str) -> list[PairShard]:
    """The pairs of one part of Set 1."""
    options = options_of(place)
    found = prepare_pairs(options.cohort, options.work / "pairs", PairOptions(CONFIGS[DEFAULT_CONFIG].size), quiet=True)
    return [shard for shard in found if shard.description["role"] == role]
