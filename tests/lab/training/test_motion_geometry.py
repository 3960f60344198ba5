"""Targets from flow and disparity: the exact motion in an exact scene, held back as far as the prior says."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from haustra.lab.training.motion.config import ABLATIONS, CONFIGS, PRIORS, motion_config
from haustra.lab.training.motion.geometry import geometric_motions
from haustra.lab.training.motion.pair_batch import Batch, matrix_to_motion
from haustra.lab.training.motion.step import MotionModel, compute_losses
from haustra.lab.training.motion.warp import invert, motion_matrix, rigid_flow

SIZE = 128
FREE, NEAR = PRIORS["free"], PRIORS["near"]
# A turn about y alone, a move along x alone, and all at once.
MOTIONS = torch.tensor(
    [[0.0, 0.0, 0.0, 0.0, 0.03, 0.0], [0.03, 0.0, 0.0, 0.0, 0.0, 0.0], [0.02, -0.01, 0.05, 0.02, -0.02, 0.03]]
)


def _scene() -> tuple[Batch, Tensor, Tensor]:
    """Three pairs that see a tube with folds, their disparities (6, 1, S, S), and the motion back."""
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, SIZE), torch.linspace(-1, 1, SIZE), indexing="ij")
    tube = 0.3 + 0.9 * torch.hypot(xs, ys) + 0.1 * torch.sin(9 * xs) * torch.cos(7 * ys)
    disparity = tube.expand(6, 1, SIZE, SIZE)
    back = matrix_to_motion(invert(motion_matrix(MOTIONS)))
    ones = torch.ones(3, 1, SIZE, SIZE)
    picture = ones.expand(3, 3, SIZE, SIZE)
    empty = Batch(picture, picture, ones, ones, ones, ones)
    flow_f, flow_b = (rigid_flow(disparity[:3], motion_matrix(motion), empty.K)[0] for motion in (MOTIONS, back))
    return Batch(picture, picture, flow_f, flow_b, ones, ones), disparity, back


def test_turn_and_move_are_told_apart_from_nothing() -> None:
    batch, disparity, back = _scene()
    nothing = torch.zeros(3, 6)
    assert FREE is not None
    forward, backward = geometric_motions(batch, disparity, nothing, nothing, FREE)
    torch.testing.assert_close(forward, MOTIONS, atol=1e-3, rtol=0)
    torch.testing.assert_close(backward, back, atol=1e-3, rtol=0)


def test_near_holds_back_where_the_disparity_is_wrong() -> None:
    batch, disparity, back = _scene()
    assert FREE is not None
    assert NEAR is not None
    flat = torch.ones_like(disparity)
    near, free = (geometric_motions(batch, flat, MOTIONS, back, prior)[0] for prior in (NEAR, FREE))
    assert float((near - MOTIONS).norm()) < 0.5 * float((free - MOTIONS).norm())


def test_no_gradient_and_nothing_from_pixels_outside_the_lens() -> None:
    batch, disparity, back = _scene()
    network = MOTIONS.clone().requires_grad_()
    blind = Batch(batch.I_t, batch.I_t1, batch.flow_f + 3, batch.flow_b, batch.mask_t * 0, batch.mask_t1)
    assert FREE is not None
    forward, backward = geometric_motions(blind, disparity, network, back, FREE)
    assert not forward.requires_grad
    torch.testing.assert_close(forward, MOTIONS)
    torch.testing.assert_close(backward, back, atol=1e-4, rtol=0)


def test_adapt_learns_near_the_network_it_began_with() -> None:
    """Where geometry sees nothing the target is the first guess: of the anchor, not of what training has made since."""
    torch.manual_seed(0)
    scene, _, _ = _scene()
    blind = replace(scene, mask_t=scene.mask_t * 0, mask_t1=scene.mask_t1 * 0)
    model = MotionModel(CONFIGS["adapt"])
    anchor = deepcopy(model)
    assert model.motion.head.bias is not None
    with torch.no_grad():
        model.motion.head.bias[3:] += 1.0  # a hundredth of a radian about every axis
    alone = compute_losses(model, blind, CONFIGS["adapt"], 0).terms["r"]
    anchored = compute_losses(model, blind, CONFIGS["adapt"], 0, anchor=anchor).terms["r"]
    assert alone < 1e-3
    assert anchored > 0.1


@pytest.mark.parametrize(
    ("config", "ablation"),
    [("paper", None), ("targets", "no-flow"), ("rescaled", None), ("targets", "lambda-mc-10+no-targets")],
)
def test_what_the_paper_did_does_without(config: str, ablation: str | None) -> None:
    assert motion_config(config, ablation).geometry_prior is None


def test_every_other_ablation_of_fast_keeps_it() -> None:
    others = [name for name in ABLATIONS if name not in ("no-flow", "no-targets")]
    assert all(motion_config("targets", name).geometry_prior == FREE for name in [None, *others])
    assert CONFIGS["adapt"].geometry_prior == NEAR
