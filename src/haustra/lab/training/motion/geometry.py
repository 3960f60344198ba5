"""Geometric targets: least-squares motion of flow and disparity, learnt beside the paper's losses by `targets` (ours).

Rotation about y and translation along x move the image almost alike; only parallax separates them. The photometric loss
is nearly flat along their difference, so gradient descent splits the image motion between them and needs very many
steps to do better. Least squares solves for the split at once, and its solution is a target in motion space, where both
have equal weight. No label is involved: the flow is the motion network's input, the disparity is learnt by the
photometric loss.
"""

from __future__ import annotations

import torch
from torch import Tensor

from haustra.lab.training.motion.pair_batch import Batch
from haustra.motion.least_squares import Prior, solve_motion
from haustra.motion.parameters import LeastSquaresParameters


@torch.no_grad()
def geometric_motions(
    batch: Batch, disparity: Tensor, forward: Tensor, backward: Tensor, prior: Prior
) -> tuple[Tensor, Tensor]:
    """s(t->t+1) and s(t+1->t) by least squares with a Gaussian prior around the network's motion."""
    D_t, D_t1 = disparity.chunk(2)
    return (
        _solve(batch, forward, batch.flow_f, D_t, batch.mask_t, prior),
        _solve(batch, backward, batch.flow_b, D_t1, batch.mask_t1, prior),
    )


def _solve(batch: Batch, motion: Tensor, flow: Tensor, disparity: Tensor, mask: Tensor, prior: Prior) -> Tensor:
    found = solve_motion(
        motion.cpu().numpy(),
        flow.permute(0, 2, 3, 1).cpu().numpy(),
        disparity[:, 0].cpu().numpy(),
        batch.K.cpu().numpy(),
        mask[:, 0].cpu().numpy() > 0.5,
        prior=prior,
        parameters=LeastSquaresParameters(),
    )
    return torch.from_numpy(found).to(motion)
