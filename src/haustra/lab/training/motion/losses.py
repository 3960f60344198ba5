"""The terms of the paper's eq:final_loss, one function each, under the paper's names (section "Loss function", A to D).

`warp_to_t` synthesises I_hat(t) from I(t+1), `warp_to_t1` synthesises I_hat(t+1) from I(t). Their `valid` is the
paper's M: 1 on **valid** pixels (the text says the opposite, which would keep only pixels without a source).
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor
from torch.nn import functional

from haustra.lab.training.motion.smoothness import Smoothness, loss_smo_first_order, loss_smo_second_order
from haustra.lab.training.motion.warp import Warp, invert, motion_matrix

# How the threshold-based target P finds highlights: low HSV saturation alone (the paper), or low saturation and bright
# (ours). Low saturation alone also catches grey and black: 23.5 % of one real sequence instead of 0.4 %.
SpecularTarget = Literal["unsaturated", "unsaturated-bright"]

LAMBDA_CE, LAMBDA_MC, LAMBDA_SMO = 0.01, 100.0, 0.02
SPECULAR_SATURATION = 0.1
SPECULAR_BRIGHTNESS = 0.5
MIN_VALID = 0.1


def masked_mean(value: Tensor, mask: Tensor, *, minimum: float = MIN_VALID) -> Tensor:
    """Mean over the mask. The divisor is at least `minimum` of all pixels: with fewer valid pixels the loss fades to
    zero but keeps its gradient, and moving pixels out of the picture does not pay."""
    mask = mask.expand_as(value)
    return (value * mask).sum() / mask.sum().clamp(min=minimum * mask.numel())


def specular_target(image: Tensor, target: SpecularTarget) -> Tensor:
    """P (B, 1, H, W) from RGB in 0..1: 0 on highlights (HSV saturation < 0.1; ours: and brightness > 0.5), else 1."""
    brightest, darkest = image.amax(dim=1, keepdim=True), image.amin(dim=1, keepdim=True)
    # HSV saturation of black is 0 by definition.
    highlight = (brightest - darkest) / brightest.clamp(min=1e-6) < SPECULAR_SATURATION
    if target == "unsaturated-bright":
        highlight = highlight & (brightest > SPECULAR_BRIGHTNESS)
    return (~highlight).to(image.dtype)


def loss_p(I_t: Tensor, I_t1: Tensor, warp_to_t: Warp, warp_to_t1: Warp) -> Tensor:
    """(A) Regular photometric loss: mean squared difference, both directions; I_hat is 0 where it has no source."""
    error_t = (I_t - warp_to_t.valid * warp_to_t(I_t1)).square().mean()
    return error_t + (I_t1 - warp_to_t1.valid * warp_to_t1(I_t)).square().mean()


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
    """(B) Corrected photometric loss: valid pixels only, both pictures weighted by their specular maps P.

    `mean_over`: divide by Z, the number of all values, as in the paper, or by the valid ones (see `masked_mean`).
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
    """(B) Cross entropy between the threshold-based target and the specular map of one picture."""
    return functional.binary_cross_entropy(P_hat.clamp(1e-6, 1 - 1e-6), P)


def loss_mc(motion_t_t1: Tensor, motion_t1_t: Tensor) -> Tensor:
    """(C) Movement consistency (equ: consistency_loss), mean over the batch."""
    difference = motion_matrix(motion_t_t1) - invert(motion_matrix(motion_t1_t))
    return (difference.square().sum(dim=(1, 2)) + 1e-12).sqrt().mean()


def loss_smo(disparity: Tensor, image: Tensor, smoothness: Smoothness) -> Tensor:
    """(D) Smoothness of the disparity of one picture: as in the work the paper cites, or ours (see smoothness.py)."""
    return (loss_smo_second_order if smoothness == "second-order" else loss_smo_first_order)(disparity, image)


def cpe(I_t: Tensor, I_t1: Tensor, warp_to_t: Warp, warp_to_t1: Warp, target: SpecularTarget) -> Tensor:
    """CPE of each pair (B,), as the paper evaluates it (sec:evaluation_strategy): threshold-based P, divided by Z."""
    P_t, P_t1 = specular_target(I_t, target), specular_target(I_t1, target)
    error_t = warp_to_t.valid * _corrected_error(I_t, P_t, I_t1, P_t1, warp_to_t)
    error_t1 = warp_to_t1.valid * _corrected_error(I_t1, P_t1, I_t, P_t, warp_to_t1)
    return (error_t + error_t1).mean(dim=(1, 2, 3))
