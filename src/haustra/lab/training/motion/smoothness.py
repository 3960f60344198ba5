"""Smoothness of the disparity (the paper's loss_smo): second order as in the work it cites, and our first order.

The paper takes loss_smo from Wang 2018, "Learning Depth from Monocular Videos using Direct Methods", and gives no
equation. Written from what that work's public code computes by default (LKVOLearner, `smooth_term = lap`):

    loss_smo = sum over levels l of 2^-l mean_p exp(-mean_c |lap I_l|(p)) |lap d_l|(p)

with the five-point Laplacian, d = 10 D / mean(D), and I_l, d_l blurred and halved l times. The finest levels are left
out (l = 2, 3), so that fine structure is free. Its depth network also has coarse outputs, which get the same term; the
paper's disparity network has one output.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

Smoothness = Literal["second-order", "first-order"]
LEVELS = (2, 3)
MEAN_DISPARITY = 10.0
LAPLACIAN = ((0.0, -1.0, 0.0), (-1.0, 4.0, -1.0), (0.0, -1.0, 0.0))


def loss_smo_second_order(disparity: Tensor, image: Tensor) -> Tensor:
    """Image-weighted Laplacian of the disparity on coarse levels (Wang 2018), mean over the pictures of a batch."""
    d, picture = MEAN_DISPARITY * _mean_normalised(disparity), image
    total = disparity.new_zeros(())
    for level in range(1, max(LEVELS) + 1):
        d, picture = _halved(d), _halved(picture)
        if level in LEVELS:
            weight = torch.exp(-_laplacian(picture).mean(dim=1, keepdim=True))
            total = total + (weight * _laplacian(d)).mean() / 2**level
    return total


def loss_smo_first_order(disparity: Tensor, image: Tensor) -> Tensor:
    """Edge-aware first differences of the disparity divided by its mean (ours), mean over the pictures of a batch."""
    scaled = _mean_normalised(disparity)
    total = disparity.new_zeros(())
    for axis in (2, 3):
        slope = scaled.diff(dim=axis).abs()
        edge = image.diff(dim=axis).abs().mean(dim=1, keepdim=True)
        total = total + (slope * torch.exp(-edge)).mean()
    return total


def _mean_normalised(disparity: Tensor) -> Tensor:
    """Each picture's disparity divided by its mean: without it, shrinking all disparity would count as smooth."""
    return disparity / disparity.mean(dim=(2, 3), keepdim=True).clamp(min=1e-6)


def _laplacian(picture: Tensor) -> Tensor:
    """Absolute five-point Laplacian of each channel, without the border (B, C, H - 2, W - 2)."""
    return _filtered(picture, torch.tensor(LAPLACIAN, dtype=picture.dtype, device=picture.device)).abs()


def _halved(picture: Tensor) -> Tensor:
    """The next pyramid level: a 3x3 Gaussian of standard deviation 1, then the mean of every 2x2 pixels."""
    bell = torch.exp(-0.5 * torch.arange(-1.0, 2.0, dtype=picture.dtype, device=picture.device).square())
    kernel = torch.outer(bell, bell)
    padded = functional.pad(picture, (1, 1, 1, 1), mode="reflect")
    return functional.avg_pool2d(_filtered(padded, kernel / kernel.sum()), 2)


def _filtered(picture: Tensor, kernel: Tensor) -> Tensor:
    """Every channel with the same 3x3 kernel, no padding."""
    channels = picture.shape[1]
    return functional.conv2d(picture, kernel.expand(channels, 1, 3, 3), groups=channels)
