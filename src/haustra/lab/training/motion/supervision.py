"""Supervised losses of the `simulated` recipe: exact motion and depth from the simulator.

Lengths are in units of SCENE_MM, so that the typical disparity in a colon is about one, as in the paper's recipe. The
network can infer scale from brightness, which falls with the square of the distance; a path is as good as that scale is
consistent.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

SCENE_MM = 30.0
SMALL_MOTION = 0.005  # of SCENE_MM: errors are absolute below 0.15 mm, relative above
SMALL_TURN = 0.01  # radians: likewise for rotation


def loss_translation(motion: Tensor, truth: Tensor) -> Tensor:
    """Relative error of the translation, not squared (robust)."""
    error = (motion[:, :3] - truth[:, :3]).square().sum(dim=1).add(1e-12).sqrt()
    return (error / (truth[:, :3].norm(dim=1) + SMALL_MOTION)).mean()


def loss_direction(motion: Tensor, truth: Tensor) -> Tensor:
    """1 - cosine between true and estimated translation, weighted by the true length."""
    length = truth[:, :3].norm(dim=1)
    weight = length / (length + SMALL_MOTION)
    return (weight * (1 - functional.cosine_similarity(motion[:, :3], truth[:, :3], dim=1))).mean()


def loss_rotation(motion: Tensor, truth: Tensor) -> Tensor:
    """Error of the Euler angles, relative above half a degree."""
    error = (motion[:, 3:] - truth[:, 3:]).square().sum(dim=1).add(1e-12).sqrt()
    return (error / (truth[:, 3:].norm(dim=1) + SMALL_TURN)).mean()


def loss_disparity(disparity: Tensor, depth_mm: Tensor) -> Tensor:
    """Difference of log disparity where the depth is known (depth 0: unknown)."""
    known = (depth_mm > 0).to(disparity.dtype)
    truth = (SCENE_MM / depth_mm.clamp(min=SCENE_MM / 10)).clamp(min=0.05)
    error = (torch.log(disparity.clamp(min=1e-3)) - torch.log(truth)).abs()
    return (error * known).sum() / known.sum().clamp(min=1.0)
