"""Motion that flow and disparity together ask for: what `fast` learns from beside the paper's losses (ours).

A turn about y and a move along x shift the picture almost alike; only parallax tells them apart. A photometric loss (or
one on flow) hardly changes along their difference, so a network that follows its slope splits what it sees half and
half, and needs very many steps to learn better. Least squares solve for the split at once. Their answer is a target in
the space of motions, where both count alike. No label is involved: the flow is the one that the motion network gets,
the disparity is the one that the photometric loss teaches.
"""

from __future__ import annotations

import torch
from torch import Tensor

from haustra.motion.least_squares import ITERATIONS, SAMPLES, Prior, solve_motion
from haustra.training.motion.batch import Batch


@torch.no_grad()
def geometric_motions(
    batch: Batch, disparity: Tensor, forward: Tensor, backward: Tensor, prior: Prior
) -> tuple[Tensor, Tensor]:
    """s(t->t+1) and s(t+1->t) by least squares, near those of the network as far as `prior` says."""
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
        stride=flow.shape[-1] // SAMPLES,
        iterations=ITERATIONS,
        prior=prior,
    )
    return torch.from_numpy(found).to(motion)
