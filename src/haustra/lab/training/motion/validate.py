"""Validation figures of a model: CPE, and motion errors where there is ground truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from haustra.core.arrays import FloatArray
from haustra.lab.training.motion.config import MotionConfig
from haustra.lab.training.motion.likelihood import within_two
from haustra.lab.training.motion.losses import cpe, loss_mc
from haustra.lab.training.motion.pair_batch import Batch
from haustra.lab.training.motion.step import MotionModel, make_warps
from haustra.lab.training.motion.supervision import SMALL_MOTION
from haustra.lab.training.motion.warp import invert, motion_matrix


@torch.no_grad()
def validation_figures(model: MotionModel, batches: Sequence[Batch], config: MotionConfig) -> dict[str, float]:
    """`score` selects the best weights and stops early: CPE as in the paper, with supervision the motion error."""
    model.eval()
    rows: list[dict[str, Tensor]] = []
    for batch in batches:
        forward, backward = model.motions(batch)
        disparity, _ = model.scenes(batch)
        warps = make_warps(disparity, forward, backward, batch)
        row = {"cpe": cpe(batch.I_t, batch.I_t1, *warps, config.specular_target)}
        row["mc"] = loss_mc(forward, backward).expand(len(forward))
        if batch.Q_f is not None:
            row |= motion_errors(forward, batch.motion_f)
        row = _informative_only(row, batch)
        if config.learns_uncertainty:
            row |= _coverage(model, batch)
        rows.append(row)
    model.train()
    columns = {name: torch.cat([row[name] for row in rows]).double().cpu().numpy() for name in rows[0]}
    figures = {name: _mean(values) for name, values in columns.items()}
    if "translation" in figures:
        figures["scale_spread"] = float(np.nanstd(columns["log_scale"]))
    figures["score"] = figures["translation"] + figures["rotation_rel"] if config.supervised else figures["cpe"]
    return figures


def _mean(values: FloatArray) -> float:
    """Mean of the finite values; nan if there are none."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _informative_only(row: dict[str, Tensor], batch: Batch) -> dict[str, Tensor]:
    """nan for non-informative pairs, which do not count in the selection."""
    assert batch.informative is not None
    return {name: torch.where(batch.informative, value, torch.nan) for name, value in row.items()}


def _coverage(model: MotionModel, batch: Batch) -> dict[str, Tensor]:
    """Share of errors within two predicted standard deviations, for informative and other pairs."""
    assert batch.informative is not None
    motion, log_std = model.motion.with_log_std(batch.I_t, batch.I_t1, batch.flow_f)
    within = within_two(motion, log_std, batch.motion_f)
    return {
        "within_2std": torch.where(batch.informative, within, torch.nan),
        "within_2std_others": torch.where(batch.informative, torch.nan, within),
    }


def motion_errors(motion: Tensor, truth: Tensor) -> dict[str, Tensor]:
    """Per pair; nan where the true motion is too small. Translation in the scale of the truth (supervised)."""
    t, t_true = motion[:, :3], truth[:, :3]
    length = t_true.norm(dim=1)
    seen = length > SMALL_MOTION
    none = torch.full_like(length, torch.nan)
    cosine = torch.nn.functional.cosine_similarity(t, t_true, dim=1).clamp(-1, 1)
    rest = motion_matrix(motion)[:, :3, :3] @ invert(motion_matrix(truth))[:, :3, :3]
    angle = torch.acos(((rest.diagonal(dim1=1, dim2=2).sum(1) - 1) / 2).clamp(-1, 1))
    along = seen & (t_true[:, 2].abs() > 0.5 * length)
    return {
        "translation": (t - t_true).norm(dim=1) / (length + SMALL_MOTION),
        "direction_deg": torch.where(seen, torch.rad2deg(torch.acos(cosine)), none),
        "sign_right": torch.where(along, (t[:, 2] * t_true[:, 2] > 0).to(t.dtype), none),
        "log_scale": torch.where(seen, torch.log(t.norm(dim=1).clamp(min=1e-6) / length.clamp(min=1e-6)), none),
        "rotation_deg": torch.rad2deg(angle),
        "rotation_rel": angle / (truth[:, 3:].norm(dim=1) + 0.01),
    }
