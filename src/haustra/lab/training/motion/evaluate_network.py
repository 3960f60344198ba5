"""Scores of a motion network on cached recordings with ground truth: trajectory, direction, length, CPE, consistency.

Non-informative frames are not in the cache. Estimate and truth are chained over the same pairs, so that gaps are cut
out of both and nothing is bridged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import read_json
from haustra.core.onnx import BATCH, OnnxModel, open_model
from haustra.core.poses import invert, rotation_angle_deg
from haustra.lab.evaluate.trajectory_errors import trajectory_errors
from haustra.lab.training.motion.config import RESCALED
from haustra.lab.training.motion.losses import SpecularTarget, cpe
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet, PairShard
from haustra.lab.training.motion.step import make_warps
from haustra.motion.estimator import DisparityCard, MotionEstimator, motion_to_T_a_b

VISIBLE_MM = 0.5  # about a pixel at the edge of a 128x128 picture of a scene 30 mm away


@dataclass(frozen=True)
class PairMotions:
    """s of all pairs of a recording in both directions, (m, 6) each."""

    forward: FloatArray
    backward: FloatArray


def estimate_shard(estimator: MotionEstimator, shard: PairShard) -> PairMotions:
    """Run the estimator on the cached frames and flow."""
    forward, backward = [], []
    for start in range(0, len(shard), BATCH):
        pairs = shard.pairs[start : start + BATCH]
        a, b = shard.frames[pairs[:, 0]], shard.frames[pairs[:, 1]]
        flow = np.asarray(shard.flow[start : start + BATCH], np.float32)
        forward.append(estimator.estimate(a, b, flow[:, 0]))
        backward.append(estimator.estimate(b, a, flow[:, 1]))
    return PairMotions(np.concatenate(forward), np.concatenate(backward))


def evaluate_shard(shard: PairShard, motions: PairMotions) -> dict[str, float]:
    """Scores of one recording; lengths in mm after similarity alignment."""
    truth = true_motions(shard)
    estimate = motion_to_T_a_b(motions.forward)
    errors = trajectory_errors(chain(estimate), chain(truth))
    figures = {name: value for name, value in errors.as_dict().items() if not name.endswith("_std")}
    along, right = direction_right(estimate, truth)
    figures["direction_right"] = float(right[along].mean()) if along.any() else float("nan")
    figures["direction_pairs"] = float(along.sum())
    return {**figures, **consistency(motions)}


def true_motions(shard: PairShard) -> FloatArray:
    """T_a_b (m, 4, 4) of the truth."""
    if shard.poses is None:
        raise HaustraError(f"{shard.folder} has no true poses: evaluation needs simulated recordings")
    a, b = (shard.poses[shard.pairs[:, side]] for side in (0, 1))
    return invert(a) @ b


def chain(T_a_b: FloatArray) -> FloatArray:
    """T_w_c (m + 1, 4, 4) of pairs that follow one another."""
    poses = [np.eye(4)]
    for motion in T_a_b:
        poses.append(poses[-1] @ motion)
    return np.stack(poses)


def direction_right(estimate: FloatArray, truth: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Pairs that visibly move along the optical axis, and whether the sign of that motion is right."""
    t = truth[:, :3, 3]
    length = np.linalg.norm(t, axis=1)
    along = (length >= VISIBLE_MM) & (np.abs(t[:, 2]) > 0.5 * length)
    return along, estimate[:, 2, 3] * t[:, 2] > 0


def consistency(motions: PairMotions) -> dict[str, float]:
    """The means of `pair_consistency`."""
    trans_share, rot_deg = pair_consistency(motions)
    return {"consistency_trans_share": float(trans_share.mean()), "consistency_rot_deg": float(rot_deg.mean())}


def pair_consistency(motions: PairMotions) -> tuple[FloatArray, FloatArray]:
    """RPE between forward and backward motion of each pair (paper, tab:consistency): translation as a share of the
    mean step, rotation in degrees."""
    forward, backward = motion_to_T_a_b(motions.forward), invert(motion_to_T_a_b(motions.backward))
    difference = invert(forward) @ backward
    step = float(np.linalg.norm(forward[:, :3, 3], axis=1).mean())
    return np.linalg.norm(difference[:, :3, 3], axis=1) / max(step, 1e-12), rotation_angle_deg(difference[:, :3, :3])


def segment_lengths(shard: PairShard, motions: PairMotions) -> tuple[FloatArray, FloatArray]:
    """Estimated and true path length in each segment of the recording."""
    if shard.segments is None:
        raise HaustraError(f"{shard.folder} has no segments: evaluation needs simulated recordings")
    segment = shard.segments[shard.pairs[:, 0]]
    estimate = np.linalg.norm(motion_to_T_a_b(motions.forward)[:, :3, 3], axis=1)
    truth = np.linalg.norm(true_motions(shard)[:, :3, 3], axis=1)
    present = np.unique(segment)
    sums = [(estimate[segment == s].sum(), truth[segment == s].sum()) for s in present]
    found, wanted = np.array(sums).T
    return found, wanted


def length_correlation(parts: Sequence[tuple[FloatArray, FloatArray]]) -> float:
    """Pearson correlation of estimated and true segment lengths, each recording divided by its mean (free scale)."""
    found = np.concatenate([a / a.mean() for a, _ in parts])
    wanted = np.concatenate([b / b.mean() for _, b in parts])
    return float(np.corrcoef(found, wanted)[0, 1])


@dataclass(frozen=True)
class DisparityScene:
    """The disparity network trained with a motion network, and the specular target of that training."""

    disparity: OnnxModel[DisparityCard]
    specular_target: SpecularTarget

    @classmethod
    def beside(cls, weights: Path) -> DisparityScene:
        """Of a `motion.onnx`. Cards without a specular target are from before the choice existed."""
        card = weights.with_suffix(".json")
        settings = read_json(card).get("settings", {}) if card.is_file() else {}
        target: SpecularTarget = settings.get("specular_target", RESCALED.specular_target)
        return cls(open_model(weights.with_name("disparity.onnx"), DisparityCard), target)


def shard_cpe(shard: PairShard, motions: PairMotions, scene: DisparityScene) -> float:
    """Mean CPE of a recording."""
    return float(pair_cpe(shard, motions, scene).mean())


@torch.no_grad()
def pair_cpe(shard: PairShard, motions: PairMotions, scene: DisparityScene) -> FloatArray:
    """CPE of each pair."""
    pairs, values = PairSet([shard]), []
    for start in range(0, len(shard), BATCH):
        chosen = np.arange(start, min(start + BATCH, len(shard)))
        batch = make_batch(pairs.read(chosen))
        maps = [torch.from_numpy(scene.disparity.run(picture.numpy())[0]) for picture in (batch.I_t, batch.I_t1)]
        forward, backward = (_tensor(m[chosen]) for m in (motions.forward, motions.backward))
        warps = make_warps(torch.cat(maps), forward, backward, batch)
        values.append(cpe(batch.I_t, batch.I_t1, *warps, scene.specular_target))
    return np.asarray(torch.cat(values).numpy(), np.float64)


def _tensor(motion: FloatArray) -> Tensor:
    return torch.from_numpy(motion.astype(np.float32))


def evaluate_model(weights: Path, shards: Sequence[PairShard]) -> dict[str, Any]:
    """Mean scores over recordings, the correlation of path lengths over all of them, and the scores of each."""
    estimator, scene = MotionEstimator(weights), DisparityScene.beside(weights)
    rows, lengths = {}, []
    for shard in shards:
        motions = estimate_shard(estimator, shard)
        rows[shard.folder.name] = {**evaluate_shard(shard, motions), "cpe": shard_cpe(shard, motions, scene)}
        lengths.append(segment_lengths(shard, motions))
    names = next(iter(rows.values()))
    means = {name: float(np.nanmean([row[name] for row in rows.values()])) for name in names}
    return {**means, "path_length_r": length_correlation(lengths), "recordings": rows}
