"""The shipped motion network, adapted to real tissue without labels: `python -m benchmarks.real_adapt SEQUENCES COHORT
--work FOLDER`.

The paper's idea: the photometric losses need no ground truth. `--config adapt` trains on near-neighbour pairs of five
of the seven training sequences and as many pairs of four simulated recordings of Set 1 train; two training sequences
are for early stopping. Writes FOLDER/run/motion.onnx, a row for `benchmarks.real_motion --model`, and prints the
photometric error on the two held-out sequences before and after. The test sequences are not used.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from haustra.flow import open_flow
from haustra.flow.methods import DEFAULT_FLOW
from haustra.lab.datasets.real_sequences import TRAINING, near_pairs, read_sequence
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.training.motion.config import CONFIGS, MotionConfig
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet, PairShard, ShardArrays, write_shard
from haustra.lab.training.motion.prepare import PairOptions, pair_flow, prepare_pairs
from haustra.lab.training.motion.start import load_start, match_scale
from haustra.lab.training.motion.step import MotionModel
from haustra.lab.training.motion.trainer import train_motion, validation_batches
from haustra.lab.training.motion.validate import validation_figures
from haustra.lab.training.processes import training_place
from haustra.motion.canonical import CANONICAL_FOV_DEG

KEPT_OUT = ("seq12", "seq19")
SIMULATED = ("01", "02", "03", "04")
NEAR_AT = 256  # picture size for finding neighbours


def sequence_shard(folder: Path, out: Path, size: int) -> PairShard:
    """The near-neighbour pairs of a real sequence as a shard of `haustra train motion`."""
    if not (out / "shard.json").is_file():
        first = np.array(near_pairs(read_sequence(folder, NEAR_AT)), np.int32)
        sequence = read_sequence(folder, size)
        pairs = np.stack([first, first + 1], axis=1)
        flow = pair_flow(list(sequence.frames), pairs, open_flow(DEFAULT_FLOW), size)
        arrays = ShardArrays(sequence.frames, sequence.mask[None], pairs, flow)
        write_shard(out, arrays, {"fov_deg": CANONICAL_FOV_DEG, "flow": DEFAULT_FLOW, "source": sequence.name})
    return PairShard(out)


def as_many(shards: list[PairShard], count: int) -> list[NDArray[np.int64]]:
    """`count` evenly spaced pairs over all shards."""
    shares = np.diff(np.linspace(0, count, len(shards) + 1).round().astype(int))
    return [
        np.linspace(0, len(shard) - 1, min(share, len(shard))).round().astype(np.int64)
        for shard, share in zip(shards, shares, strict=True)
    ]


def before(validation: PairSet, config: MotionConfig, train: PairSet) -> dict[str, float]:
    """Validation figures of the shipped network in the units of the adapted one."""
    model = MotionModel(config)
    if load_start(str(config.start), model):
        match_scale(model, make_batch(train.read(np.linspace(0, len(train) - 1, 64).round().astype(np.int64))))
    with training_place() as place:
        return validation_figures(model, validation_batches(validation, place), config)


def main() -> None:
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sequences", type=Path)
    parser.add_argument("cohort", type=Path, help="Set 1 of 'haustra simulate cohort'")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=CONFIGS["adapt"].steps)
    options = parser.parse_args()
    config = replace(CONFIGS["adapt"], steps=options.steps)
    real = [sequence_shard(options.sequences / n, options.work / "real" / n, config.size) for n in TRAINING]
    learnt = [shard for shard in real if shard.description["source"] not in KEPT_OUT]
    validation = PairSet([shard for shard in real if shard.description["source"] in KEPT_OUT])
    cache, pairs = options.work / "simulated", PairOptions(config.size)
    simulated = [s for name in SIMULATED for s in prepare_pairs(options.cohort / "train" / name, cache, pairs)]
    count = sum(len(shard) for shard in learnt)
    chosen = [np.arange(len(shard)) for shard in learnt] + as_many(simulated, count)
    train = PairSet([*learnt, *simulated], chosen)
    first = before(validation, config, train)
    data = f"{count} near pairs of {len(learnt)} real sequences, {len(train) - count} of Set 1 train"
    train_motion(train, validation, options.work / "run", config, data=data)
    model = MotionModel(config)
    load_start(options.work / "run" / "best.safetensors", model)
    with training_place() as place:
        after = validation_figures(model, validation_batches(validation, place), config)
    rows = [[name, f"{first[name]:.4f}", f"{after[name]:.4f}"] for name in ("cpe", "mc")]
    print(data)
    print(text_table([f"{len(validation)} pairs of {', '.join(KEPT_OUT)}", "shipped", "adapted"], rows))


if __name__ == "__main__":
    main()
