"""The losses of the rivals' publications. All means are over valid pixels: visible through the lens and inside the
picture after the warp (`masked_mean`: relative threshold, keeps its gradient)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from haustra.lab.training.motion.losses import masked_mean
from haustra.lab.training.motion.warp import Warp, inside, pixel_grid, sample

FLOW_SMOOTHNESS = 0.2  # Yin 2018: lambda_fs
# Yin 2018: forward-backward tolerance, 3 pixels at a width of 416, or a twentieth of the flow's length.
CONSISTENT_SHARE, CONSISTENT_LENGTH = 3 / 416, 0.05


def ssim_error(a: Tensor, b: Tensor) -> Tensor:
    """(1 - SSIM) / 2 in 0..1 of every pixel, over windows of 3x3 (Godard 2017)."""
    c1, c2 = 0.01**2, 0.03**2

    def mean(x: Tensor) -> Tensor:
        return functional.avg_pool2d(functional.pad(x, (1, 1, 1, 1), mode="reflect"), 3, 1)

    mean_a, mean_b = mean(a), mean(b)
    var_a, var_b = mean(a * a) - mean_a**2, mean(b * b) - mean_b**2
    covariance = mean(a * b) - mean_a * mean_b
    similar = (2 * mean_a * mean_b + c1) * (2 * covariance + c2)
    result = similar / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))
    return ((1 - result) / 2).clamp(0, 1)


def photometric_error(picture: Tensor, made: Tensor, ssim: float) -> Tensor:
    """Per pixel and channel: a share of SSIM, the rest absolute difference."""
    error = (picture - made).abs()
    return error if ssim == 0 else ssim * ssim_error(picture, made) + (1 - ssim) * error


def second_order_smoothness(disparity: Tensor) -> Tensor:
    """Zhou 2017: all four absolute second differences."""
    dx, dy = disparity.diff(dim=3), disparity.diff(dim=2)
    parts = (dx.diff(dim=3), dx.diff(dim=2), dy.diff(dim=3), dy.diff(dim=2))
    return torch.stack([part.abs().mean() for part in parts]).sum()


def edge_aware_smoothness(value: Tensor, image: Tensor, *, order: int = 1) -> Tensor:
    """|d value| * exp(-|d I|) along x and y (Yin 2018; of order 2 for flow, as in its second stage)."""
    total = value.new_zeros(())
    for axis in (2, 3):
        slope = value.diff(n=order, dim=axis).abs()
        edge = image.diff(dim=axis).abs().mean(dim=1, keepdim=True)
        edge = edge.narrow(axis, 0, slope.shape[axis])
        total = total + (slope * torch.exp(-edge)).mean()
    return total


def explainability_loss(logits: Tensor) -> Tensor:
    """Zhou 2017: cross entropy with "everything is explained", which prevents the trivial mask."""
    ones = torch.ones_like(logits[:, 0], dtype=torch.long)
    return functional.cross_entropy(logits, ones)


def depth_difference(disparity_b: Tensor, disparity_a: Tensor, Q_ba: Tensor, K: Tensor, warp: Warp) -> Tensor:
    """Bian 2019: |z1 - z2| / (z1 + z2) in 0..1 for b's pixels: z1 their depth transformed into a, z2 the depth of a
    sampled there."""
    batch, _, height, width = disparity_b.shape
    grid = pixel_grid(height, width, disparity_b)
    rays = torch.linalg.solve(K, torch.cat([grid, torch.ones_like(grid[..., :1])], dim=-1).reshape(-1, 3).T)
    moved = Q_ba[:, 2:3, :3] @ rays + Q_ba[:, 2:3, 3:] * disparity_b.reshape(batch, 1, -1)
    by_motion = (moved / disparity_b.reshape(batch, 1, -1)).reshape(batch, 1, height, width).clamp(min=1e-3)
    by_map = 1 / warp(disparity_a).clamp(min=1e-3)
    return ((by_motion - by_map).abs() / (by_motion + by_map)).clamp(0, 1)


def sample_by_flow(picture_b: Tensor, flow_ab: Tensor) -> tuple[Tensor, Tensor]:
    """Image (or flow) b warped to a by a flow (B, 2, H, W) in pixels, and where that is inside (B, 1, H, W)."""
    height, width = flow_ab.shape[-2:]
    pixels = pixel_grid(height, width, flow_ab) + flow_ab.permute(0, 2, 3, 1)
    return sample(picture_b, pixels), inside(pixels, height, width)[:, None].to(flow_ab.dtype)


def flow_disagreement(flow_ab: Tensor, flow_ba: Tensor) -> tuple[Tensor, Tensor]:
    """Yin 2018: forward-backward error of the flow (B, 1, H, W), and where it is within tolerance."""
    back, _ = sample_by_flow(flow_ba, flow_ab)
    difference = (flow_ab + back).norm(dim=1, keepdim=True)
    length = flow_ab.norm(dim=1, keepdim=True)
    limit = torch.clamp(CONSISTENT_LENGTH * length, min=CONSISTENT_SHARE * flow_ab.shape[-1])
    return difference, (difference < limit).to(flow_ab.dtype).detach()


def residual_flow_loss(
    image_a: Tensor, image_b: Tensor, flow_ab: Tensor, flow_ba: Tensor, mask: Tensor, ssim: float, consistency: float
) -> Tensor:
    """Yin 2018, second stage, one direction and scale: photometric, smoothness and consistency terms of the flow."""
    made, seen = sample_by_flow(image_b, flow_ab)
    difference, consistent = flow_disagreement(flow_ab, flow_ba)
    valid = mask * seen * consistent
    picture = masked_mean(photometric_error(image_a, made, ssim), valid)
    smooth = edge_aware_smoothness(flow_ab / flow_ab.shape[-1], image_a, order=2)
    return picture + FLOW_SMOOTHNESS * smooth + consistency * masked_mean(difference / flow_ab.shape[-1], valid)
