"""One training step: forward pass, losses, and diagnostics (see collapse.py)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d

from haustra.lab.training.loop import Step
from haustra.lab.training.motion import likelihood, losses, supervision
from haustra.lab.training.motion.config import MotionConfig
from haustra.lab.training.motion.geometry import geometric_motions
from haustra.lab.training.motion.networks import MAX_DISPARITY, DisparityNet, MotionNet
from haustra.lab.training.motion.pair_batch import Batch
from haustra.lab.training.motion.warp import Warp, make_warp, motion_matrix

UNIT_MOMENTUM = 0.01


class MotionModel(nn.Module):
    """Both networks; disparity has a free scale in the paper's recipe, units of SCENE_MM with ground truth."""

    def __init__(self, config: MotionConfig) -> None:
        super().__init__()
        self.motion = MotionNet(use_flow=config.use_flow, uncertainty=config.uncertainty)
        self.disparity = DisparityNet(upsampling=config.upsampling)
        self.normalise = config.normalise

    def motions(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """s(t->t+1) and s(t+1->t), in one pass of twice the batch."""
        forward, backward = self.motion(*_both_directions(batch)).chunk(2)
        return forward, backward

    def motions_with_log_std(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """As `motions`, and the log standard deviations of both, forward before backward (2B, 6)."""
        both, log_std = self.motion.with_log_std(*_both_directions(batch))
        forward, backward = both.chunk(2)
        return forward, backward, log_std

    def scenes(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Disparity and specular map of t and t+1, (2B, 1, S, S) each."""
        disparity, tissue = self.disparity(torch.cat([batch.I_t, batch.I_t1]))
        if self.normalise and self.training:
            # One mean per batch, not per picture, so that near and far scenes keep their relative scale. Inference uses
            # the running mean: a pair must not depend on the others in its batch.
            mean = disparity.mean().clamp(min=1e-6)
            disparity = disparity / mean
            with torch.no_grad():
                self.disparity.unit = self.disparity.unit * (1 + UNIT_MOMENTUM * (mean - 1))
        return disparity, tissue

    @torch.no_grad()
    def measure_unit(self, batch: Batch) -> Tensor:
        """Set the unit of disparity to its mean over these pictures at the start of a run; returns the change."""
        mean = self.disparity(torch.cat([batch.I_t, batch.I_t1]))[0].mean().clamp(min=1e-6)
        self.disparity.unit = self.disparity.unit * mean
        return mean


def _both_directions(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Pictures a, pictures b and flow a->b of all pairs forward, then backward."""
    a, b = torch.cat([batch.I_t, batch.I_t1]), torch.cat([batch.I_t1, batch.I_t])
    return a, b, torch.cat([batch.flow_f, batch.flow_b])


def make_warps(disparity: Tensor, forward: Tensor, backward: Tensor, batch: Batch) -> tuple[Warp, Warp]:
    """The warps that synthesise t from t+1 and t+1 from t (direction: see warp.py)."""
    D_t, D_t1 = disparity.chunk(2)
    to_t = make_warp(D_t, motion_matrix(forward), batch.K, batch.mask_t1, batch.mask_t)
    to_t1 = make_warp(D_t1, motion_matrix(backward), batch.K, batch.mask_t, batch.mask_t1)
    return to_t, to_t1


def compute_losses(
    model: MotionModel,
    batch: Batch,
    config: MotionConfig,
    step: int,
    *,
    full: bool = True,
    anchor: MotionModel | None = None,
) -> Step:
    """The paper's final loss (eq:final_loss), and by configuration losses on ground truth or on geometric targets, with
    a prior around the motion of `anchor` (None: of the model itself). Not `full`: motion losses only."""
    parts: dict[str, Tensor] = {}
    if config.learns_uncertainty:
        forward, backward, log_std = model.motions_with_log_std(batch)
        truth = torch.cat([batch.motion_f, batch.motion_b])
        parts["std"] = likelihood.WEIGHT * likelihood.loss_likelihood(torch.cat([forward, backward]), log_std, truth)
    else:
        forward, backward = model.motions(batch)
    weights = config.weights(step)
    parts["mc"] = weights["mc"] * losses.loss_mc(forward, backward)
    signs = {"motion": float(torch.cat([forward, backward]).detach().abs().mean())}
    signs["flow"] = float(batch.flow_f.norm(dim=1).mean())
    if full:
        some = slice(None, config.full_pairs)
        pictured = batch.part(some).halved() if config.halved(step) else batch.part(some)
        disparity, seen = _picture_losses(model, pictured, config, forward[some], backward[some], signs)
        parts |= seen
        if config.geometry_prior is not None:
            first = anchor.motions(batch.part(some)) if anchor else (forward[some], backward[some])
            wanted = geometric_motions(pictured, disparity, *first, config.geometry_prior)
            parts |= _target_losses((forward[some], backward[some]), wanted)
    if config.supervised:
        parts |= _true_motion_losses(batch, forward, backward, config.poor_weight)
    loss = torch.stack(list(parts.values())).sum()
    return Step(loss, {name: float(value.detach()) for name, value in parts.items()}, signs)


def _picture_losses(
    model: MotionModel, batch: Batch, config: MotionConfig, forward: Tensor, backward: Tensor, signs: dict[str, float]
) -> tuple[Tensor, dict[str, Tensor]]:
    """Disparity, and the losses on images."""
    weights = config.weights()
    disparity, tissue = model.scenes(batch)
    pictures = torch.cat([batch.I_t, batch.I_t1])
    target = losses.specular_target(pictures, config.specular_target)
    masks = {"learned": tissue, "fixed": target, "none": torch.ones_like(target)}[config.specular]
    signs["saturated"] = _saturated(disparity.detach(), model.normalise)
    parts = {
        "cp": pyramid_cp(batch, disparity, masks, forward, backward, config, signs),
        # loss_smo and loss_ce are means over both pictures of a pair; the paper adds the two.
        "smo": weights["smo"] * 2 * losses.loss_smo(disparity, pictures, config.smoothness),
    }
    if config.specular == "learned":
        parts["ce"] = weights["ce"] * 2 * losses.loss_ce(target, tissue)
    if config.supervised:
        assert batch.depth_t is not None
        assert batch.depth_t1 is not None
        parts["disparity"] = supervision.loss_disparity(disparity, torch.cat([batch.depth_t, batch.depth_t1]))
    return disparity, parts


def pyramid_cp(
    batch: Batch,
    disparity: Tensor,
    masks: Tensor,
    forward: Tensor,
    backward: Tensor,
    config: MotionConfig,
    signs: dict[str, float],
) -> Tensor:
    """loss_cp, mean over full size (the paper's) and `levels` - 1 halvings (ours)."""
    found = []
    for level in range(config.levels):
        if level:
            batch, disparity, masks = batch.halved(), avg_pool2d(disparity, 2), avg_pool2d(masks, 2)
        to_t, to_t1 = make_warps(disparity, forward, backward, batch)
        P_t, P_t1 = masks.chunk(2)
        found.append(losses.loss_cp(batch.I_t, batch.I_t1, P_t, P_t1, to_t, to_t1, mean_over=config.mean_over))
        if not level:
            shown = batch.mask_t.mean() + batch.mask_t1.mean()
            signs["valid"] = float((to_t.valid.mean() + to_t1.valid.mean()) / shown)
    return torch.stack(found).mean()


def _saturated(disparity: Tensor, normalised: bool) -> float:
    """Share of pixels at a limit of the sigmoid; with normalisation, share of flat maps."""
    if normalised:
        spread = disparity.std(dim=(2, 3)) / disparity.mean(dim=(2, 3)).clamp(min=1e-6)
        return float((spread < 1e-4).float().mean())
    share = disparity / MAX_DISPARITY
    return float(((share < 1e-4) | (share > 1 - 1e-4)).float().mean())


def _true_motion_losses(batch: Batch, forward: Tensor, backward: Tensor, poor_weight: float) -> dict[str, Tensor]:
    """Losses on ground truth; non-informative pairs count by `poor_weight`."""
    assert batch.informative is not None
    total: dict[str, Tensor] = {}
    for chosen, weight in ((batch.informative, 1.0), (~batch.informative, poor_weight)):
        if chosen.any():
            share = weight * chosen.float().mean()
            found = forward[chosen], backward[chosen]
            losses_here = _target_losses(found, (batch.motion_f[chosen], batch.motion_b[chosen]))
            total = {name: total.get(name, 0.0) + share * value for name, value in losses_here.items()}
    return total


def _target_losses(found: tuple[Tensor, Tensor], target: tuple[Tensor, Tensor]) -> dict[str, Tensor]:
    """Motion losses of both directions of a batch."""
    motion, wanted = torch.cat(found), torch.cat(target)
    return {
        "t": supervision.loss_translation(motion, wanted),
        "dir": 0.5 * supervision.loss_direction(motion, wanted),
        "r": supervision.loss_rotation(motion, wanted),
    }
