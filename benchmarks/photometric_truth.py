"""Is the true motion a minimum of the photometric loss? `python -m benchmarks.photometric_truth PAIRS MOTION_ONNX`.

On pairs of unseen colons that rotate by 1 to 4 degrees: the corrected photometric loss at the true motion, at the
motion of a self-supervised network, and at the minimum found from either. If the minimum is not at the truth, training
by this loss alone cannot reach it. Beside them, the least-squares motion from flow and the same disparities: our
targets (see training/motion/geometry.py).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from haustra.core.poses import rotation_angle_deg
from haustra.lab.evaluate.text_table import text_table
from haustra.lab.training.motion.config import PRIORS, RESCALED, motion_config
from haustra.lab.training.motion.evaluate_network import true_motions
from haustra.lab.training.motion.geometry import geometric_motions
from haustra.lab.training.motion.losses import loss_cp, specular_target
from haustra.lab.training.motion.pair_batch import Batch, make_batch
from haustra.lab.training.motion.pairs import PairSet, PairShard, find_shards
from haustra.lab.training.motion.start import load_start
from haustra.lab.training.motion.step import MotionModel, make_warps

PAIRS = 48
TURN_DEG = (1.0, 4.0)
SEARCH_STEPS, SEARCH_RATE = 80, 1e-3

Motions = tuple[Tensor, Tensor]


def turning_pairs(shards: list[PairShard]) -> Batch:
    """Pairs whose rotation is large compared with its error and within the basin of convergence of the loss."""
    turn = np.concatenate([rotation_angle_deg(true_motions(shard)[:, :3, :3]) for shard in shards])
    suitable = np.flatnonzero((turn > TURN_DEG[0]) & (turn < TURN_DEG[1]))
    chosen = suitable[np.linspace(0, len(suitable) - 1, PAIRS).astype(int)]
    return make_batch(PairSet(shards).read(chosen))


def loss(batch: Batch, disparity: Tensor, motions: Motions) -> Tensor:
    P_t, P_t1 = (specular_target(picture, RESCALED.specular_target) for picture in (batch.I_t, batch.I_t1))
    return loss_cp(batch.I_t, batch.I_t1, P_t, P_t1, *make_warps(disparity, *motions, batch))


def minimum(batch: Batch, disparity: Tensor, start: Motions) -> Motions:
    """The minimum for each pair separately: what a perfect network would learn from this loss."""
    free = [motion.clone().requires_grad_() for motion in start]
    optimizer = torch.optim.Adam(free, lr=SEARCH_RATE)
    for _ in range(SEARCH_STEPS):
        optimizer.zero_grad()
        loss(batch, disparity, (free[0], free[1])).backward()
        optimizer.step()
    return free[0].detach(), free[1].detach()


def solved(batch: Batch, disparity: Tensor) -> Motions:
    """Least squares starting from zero motion."""
    nothing = torch.zeros_like(batch.motion_f)
    return geometric_motions(batch, disparity, nothing, nothing, PRIORS["free"])


def row(name: str, batch: Batch, disparity: Tensor, motions: Motions) -> list[str]:
    """The loss, and for each rotation axis the regression slope on the true rotation and the correlation."""
    found, truth = motions[0][:, 3:], batch.motion_f[:, 3:]
    slope = (found * truth).sum(dim=0) / truth.square().sum(dim=0)
    likeness = [float(np.corrcoef(found[:, i], truth[:, i])[0, 1]) for i in range(3)]
    value = float(loss(batch, disparity, motions))
    return [name, f"{value:.5f}", *(f"{s:.2f} ({r:.2f})" for s, r in zip(slope.tolist(), likeness, strict=True))]


def networks(config: str, start: str | Path) -> MotionModel:
    model = MotionModel(motion_config(config))
    load_start(start, model)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("model", type=Path, help="motion.onnx of a self-supervised run")
    options = parser.parse_args()
    batch = turning_pairs([s for s in find_shards(options.pairs) if s.description["role"] == "test"])
    truth: Motions = (batch.motion_f, batch.motion_b)
    model = networks("rescaled", options.model)
    with torch.no_grad():
        # Trained with true depth, hence in the units of the true motion.
        shipped_scene = networks("simulated", "shipped").scenes(batch)[0]
        own_scene, found = model.scenes(batch)[0], model.motions(batch)
    rows = [
        row("true motion, disparity trained with truth", batch, shipped_scene, truth),
        row("minimum from there", batch, shipped_scene, minimum(batch, shipped_scene, truth)),
        row(
            "least squares from flow, disparity trained with truth", batch, shipped_scene, solved(batch, shipped_scene)
        ),
        row("self-supervised network, its own disparity", batch, own_scene, found),
        row("minimum from there", batch, own_scene, minimum(batch, own_scene, found)),
        row("least squares from flow, its own disparity", batch, own_scene, solved(batch, own_scene)),
    ]
    print(text_table(["", "loss_cp", "r_x found (r)", "r_y found (r)", "r_z found (r)"], rows))


if __name__ == "__main__":
    main()
