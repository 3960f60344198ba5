"""The terms of the paper's eq:final_loss, one function each, by its names (section "Loss function", A to D).

For every term the pair is given in both directions. `warp_to_t` makes I_hat(t) from I(t+1), `warp_to_t1` makes
I_hat(t+1) from I(t); their `valid` is the paper's M, which is 1 on **valid** pixels (the text says the opposite).
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from haustra.training.motion.warp import Warp, invert, motion_matrix

LAMBDA_CE, LAMBDA_MC, LAMBDA_SMO = 0.01, 100.0, 0.02
SPECULAR_SATURATION = 0.1
SPECULAR_BRIGHTNESS = 0.5
MIN_VALID = 0.1


def masked_mean(value: Tensor, mask: Tensor, *, minimum: float = MIN_VALID) -> Tensor:
    """Mean over the mask. Below `minimum` of all pixels the divisor stops falling: the loss fades to zero, but it
    stays connected, and pushing pixels out of the picture does not pay."""
    mask = mask.expand_as(value)
    return (value * mask).sum() / mask.sum().clamp(min=minimum * mask.numel())


def specular_target(image: Tensor) -> Tensor:
    """P (B, 1, H, W): 0 on highlights (HSV saturation < 0.1 and bright), 1 on ordinary tissue, from RGB in 0..1."""
    brightest, darkest = image.amax(dim=1, keepdim=True), image.amin(dim=1, keepdim=True)
    saturation = (brightest - darkest) / brightest.clamp(min=1e-6)
    highlight = (saturation < SPECULAR_SATURATION) & (brightest > SPECULAR_BRIGHTNESS)
    return (~highlight).to(image.dtype)


def loss_p(I_t: Tensor, I_t1: Tensor, warp_to_t: Warp, warp_to_t1: Warp) -> Tensor:
    """(A) Regular photometric loss: squared difference over the whole picture, both directions."""
    error_t = (I_t - warp_to_t(I_t1)).square().mean()
    return error_t + (I_t1 - warp_to_t1(I_t)).square().mean()


def loss_cp(
    I_t: Tensor,
    I_t1: Tensor,
    P_t: Tensor,
    P_t1: Tensor,
    warp_to_t: Warp,
    warp_to_t1: Warp,
    *,
    mean_over: Literal["all", "valid"] = "all",
) -> Tensor:
    """(B) Corrected photometric loss: valid pixels only, both pictures damped where P says highlight.

    `mean_over`: the divisor is Z, all pixels, as in the paper, or the valid ones (see `masked_mean`).
    """
    error_t = _corrected_error(I_t, P_t, I_t1, P_t1, warp_to_t)
    error_t1 = _corrected_error(I_t1, P_t1, I_t, P_t, warp_to_t1)
    minimum = 1.0 if mean_over == "all" else MIN_VALID
    return masked_mean(error_t, warp_to_t.valid, minimum=minimum) + masked_mean(
        error_t1, warp_to_t1.valid, minimum=minimum
    )


def _corrected_error(I_b: Tensor, P_b: Tensor, I_a: Tensor, P_a: Tensor, warp_to_b: Warp) -> Tensor:
    return (P_b * I_b - warp_to_b(P_a) * warp_to_b(I_a)).square()


def loss_ce(P: Tensor, P_hat: Tensor) -> Tensor:
    """(B) Cross entropy of the specular map with the threshold-based target, of one picture."""
    return functional.binary_cross_entropy(P_hat.clamp(1e-6, 1 - 1e-6), P)


def loss_mc(motion_t_t1: Tensor, motion_t1_t: Tensor) -> Tensor:
    """(C) Movement consistency (equ: consistency_loss), mean over the batch."""
    difference = motion_matrix(motion_t_t1) - invert(motion_matrix(motion_t1_t))
    return (difference.square().sum(dim=(1, 2)) + 1e-12).sqrt().mean()


def loss_smo(disparity: Tensor, image: Tensor) -> Tensor:
    """Edge-aware smoothness of disparity divided by its mean (Wang 2018), of one picture."""
    scaled = disparity / disparity.mean(dim=(2, 3), keepdim=True).clamp(min=1e-6)
    total = disparity.new_zeros(())
    for axis in (2, 3):
        slope = scaled.diff(dim=axis).abs()
        edge = image.diff(dim=axis).abs().mean(dim=1, keepdim=True)
        total = total + (slope * torch.exp(-edge)).mean()
    return total


def cpe(I_t: Tensor, I_t1: Tensor, warp_to_t: Warp, warp_to_t1: Warp) -> Tensor:
    """CPE of each pair (B,), as the paper evaluates it (sec:evaluation_strategy): threshold-based P, Z all pixels."""
    P_t, P_t1 = specular_target(I_t), specular_target(I_t1)
    error_t = warp_to_t.valid * _corrected_error(I_t, P_t, I_t1, P_t1, warp_to_t)
    error_t1 = warp_to_t1.valid * _corrected_error(I_t1, P_t1, I_t, P_t, warp_to_t1)
    return (error_t + error_t1).mean(dim=(1, 2, 3))
