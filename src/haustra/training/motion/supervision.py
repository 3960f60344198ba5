"""What the `simulated` recipe adds to the paper's losses: the simulator's exact motion and depth.

Lengths are in units of SCENE_MM, so that the typical disparity of a colon is about one, as in the paper's recipe. A
network can learn a length from brightness, because light falls with the square of the distance; how consistent its
scale is along a recording decides how good a path is.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

SCENE_MM = 30.0
SMALL_MOTION = 0.005  # of SCENE_MM: below 0.15 mm errors count absolutely, above relatively
SMALL_TURN = 0.01  # radians


def loss_translation(motion: Tensor, truth: Tensor) -> Tensor:
    """Relative error of the translation: robust (not squared), so that far and near scenes count alike."""
    error = (motion[:, :3] - truth[:, :3]).square().sum(dim=1).add(1e-12).sqrt()
    return (error / (truth[:, :3].norm(dim=1) + SMALL_MOTION)).mean()


def loss_direction(motion: Tensor, truth: Tensor) -> Tensor:
    """1 - cosine of the angle between true and estimated translation, weighted by how well it can be seen."""
    length = truth[:, :3].norm(dim=1)
    weight = length / (length + SMALL_MOTION)
    return (weight * (1 - functional.cosine_similarity(motion[:, :3], truth[:, :3], dim=1))).mean()


def loss_rotation(motion: Tensor, truth: Tensor) -> Tensor:
    """Error of the angles, relative above half a degree."""
    error = (motion[:, 3:] - truth[:, 3:]).square().sum(dim=1).add(1e-12).sqrt()
    return (error / (truth[:, 3:].norm(dim=1) + SMALL_TURN)).mean()


def loss_disparity(disparity: Tensor, depth_mm: Tensor) -> Tensor:
    """Difference of log disparity where the depth is known (depth 0: unknown)."""
    known = (depth_mm > 0).to(disparity.dtype)
    truth = (SCENE_MM / depth_mm.clamp(min=SCENE_MM / 10)).clamp(min=0.05)
    error = (torch.log(disparity.clamp(min=1e-3)) - torch.log(truth)).abs()
    return (error * known).sum() / known.sum().clamp(min=1.0)
