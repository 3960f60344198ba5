"""Warping, losses and networks of the motion trainer on scenes small enough to know the answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from haustra.core.poses import euler_to_matrix
from haustra.lab.training.motion import losses, supervision
from haustra.lab.training.motion.networks import DisparityNet, MotionNet
from haustra.lab.training.motion.warp import (
    Warp,
    invert,
    make_warp,
    motion_matrix,
    pixel_grid,
    rigid_flow,
    rotation,
    sample,
)

SIZE = 48
K = torch.tensor([[40.0, 0, (SIZE - 1) / 2], [0, 40.0, (SIZE - 1) / 2], [0, 0, 1]], dtype=torch.float64)


def _wall(motion_a: list[float], depth: float = 2.0) -> tuple[Tensor, Tensor]:
    """Picture and disparity of a patterned plane z = depth, seen by a camera with Q (world -> camera) of `motion_a`."""
    Q = motion_matrix(torch.tensor([motion_a], dtype=torch.float64))[0]
    R, T = Q[:3, :3], Q[:3, 3]
    ys, xs = torch.meshgrid(*[torch.arange(SIZE, dtype=torch.float64)] * 2, indexing="ij")
    rays = torch.linalg.solve(K, torch.stack([xs, ys, torch.ones_like(xs)]).reshape(3, -1))
    normal = R[:, 2]  # the plane in camera coordinates: normal . X = depth + normal . T
    z = (depth + normal @ T) / (normal @ rays)
    world = R.T @ (rays * z - T[:, None])
    x, y = world[0].reshape(SIZE, SIZE), world[1].reshape(SIZE, SIZE)
    picture = torch.stack([0.5 + 0.3 * torch.sin(4 * x + k) * torch.cos(3 * y - k) for k in range(3)])
    return picture[None], (1 / z).reshape(1, 1, SIZE, SIZE)


ONES = torch.ones(1, 1, SIZE, SIZE, dtype=torch.float64)


def test_rotation_is_the_papers_order() -> None:
    angles = np.array([[0.3, -0.2, 0.5], [0.0, 0.1, 0.0]])
    assert np.allclose(rotation(torch.from_numpy(angles)).numpy(), euler_to_matrix(angles))
    Q = motion_matrix(torch.tensor([[1.0, 2, 3, 0.1, 0.2, 0.3]], dtype=torch.float64))
    assert torch.allclose(Q @ invert(Q), torch.eye(4, dtype=torch.float64)[None], atol=1e-12)


@pytest.mark.parametrize("motion", [[0.1, -0.05, 0.2, 0.0, 0.0, 0.0], [0.02, 0.0, -0.1, 0.03, -0.04, 0.1]])
def test_warp_reproduces_the_neighbour(motion: list[float]) -> None:
    """b from a with the disparity of b and the motion b->a; with a's disparity or the motion a->b it must not fit."""
    I_a, D_a = _wall([0.0] * 6)
    I_b, D_b = _wall(motion)
    Q_ab = motion_matrix(torch.tensor([motion], dtype=torch.float64))
    warp = make_warp(D_b, invert(Q_ab), K, ONES, ONES)
    assert warp.valid.mean() > 0.7

    def error(warp: Warp) -> float:
        return float(losses.masked_mean((warp(I_a) - I_b).abs(), warp.valid))

    assert error(warp) < 0.002
    assert error(make_warp(D_b, Q_ab, K, ONES, ONES)) > 10 * error(warp)
    flow, _ = rigid_flow(D_a, Q_ab, K)
    assert (sample(I_b, pixel_grid(SIZE, SIZE, I_a) + flow.permute(0, 2, 3, 1)) - I_a)[
        ..., 12:-12, 12:-12
    ].abs().max() < 0.02


def test_mask_is_one_on_valid_pixels_only() -> None:
    half = ONES.clone()
    half[..., : SIZE // 2] = 0
    still = torch.eye(4, dtype=torch.float64)[None]
    assert torch.equal(make_warp(ONES, still, K, half, ONES).valid, half)
    assert torch.equal(make_warp(ONES, still, K, ONES, half).valid, half)
    sideways = motion_matrix(torch.tensor([[0.6, 0, 0, 0, 0, 0]], dtype=torch.float64))  # 24 px at depth 1
    assert make_warp(ONES, sideways, K, ONES, ONES).valid.mean() == pytest.approx(0.5, abs=0.02)
    behind = motion_matrix(torch.tensor([[0, 0, -1.5, 0, 0, 0]], dtype=torch.float64))
    assert make_warp(ONES, behind, K, ONES, ONES).valid.sum() == 0


def test_gradients_of_every_loss() -> None:
    generator = torch.Generator().manual_seed(0)

    def rand(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=generator, dtype=torch.float64)

    size = 6
    small_K = torch.tensor([[5.0, 0, 2.5], [0, 5.0, 2.5], [0, 0, 1]], dtype=torch.float64)
    ones = torch.ones(2, 1, size, size, dtype=torch.float64)
    I_t, I_t1 = rand(2, 3, size, size), rand(2, 3, size, size)
    forward = (0.02 * rand(2, 6) + 0.003).requires_grad_()
    backward = (0.02 * rand(2, 6) - 0.025).requires_grad_()
    D_t = (0.5 + rand(2, 1, size, size)).requires_grad_()
    P_t = (0.2 + 0.6 * rand(2, 1, size, size)).requires_grad_()

    def warps(D: Tensor, s_f: Tensor, s_b: Tensor) -> tuple[Warp, Warp]:
        to_t = make_warp(D, motion_matrix(s_f), small_K, ones, ones)
        return to_t, make_warp(D, motion_matrix(s_b), small_K, ones, ones)

    def check(function: object, inputs: tuple[Tensor, ...]) -> None:
        assert torch.autograd.gradcheck(function, inputs, eps=1e-7, atol=1e-5)  # type: ignore[arg-type]

    check(lambda D, f, b: losses.loss_p(I_t, I_t1, *warps(D, f, b)), (D_t, forward, backward))
    check(lambda D, P, f, b: losses.loss_cp(I_t, I_t1, P, P, *warps(D, f, b)), (D_t, P_t, forward, backward))
    check(lambda P: losses.loss_ce((I_t[:, :1] > 0.5).double(), P), (P_t,))
    check(losses.loss_mc, (forward, backward))
    check(lambda D: losses.loss_smo(D, I_t, "first-order"), (D_t,))
    truth = 0.05 * rand(2, 6)
    check(lambda s: supervision.loss_translation(s, truth), (forward,))
    check(lambda s: supervision.loss_direction(s, truth), (forward,))
    check(lambda s: supervision.loss_rotation(s, truth), (forward,))
    check(lambda D: supervision.loss_disparity(D, 20 + 20 * I_t[:, :1]), (D_t,))


def test_consistency_is_zero_for_inverse_motions() -> None:
    forward = torch.tensor([[0.1, 0.2, -0.3, 0.02, 0.05, -0.1]], dtype=torch.float64)
    Q = invert(motion_matrix(forward))[0]
    angles = [math.atan2(-Q[1, 2], Q[2, 2]), math.asin(Q[0, 2]), math.atan2(-Q[0, 1], Q[0, 0])]
    backward = torch.tensor([[*Q[:3, 3].tolist(), *angles]], dtype=torch.float64)
    assert losses.loss_mc(forward, backward) < 2e-6
    assert losses.loss_mc(forward, -forward) > 0.01
    # the Frobenius norm of a pure translation difference is its length
    zero = torch.zeros(1, 6, dtype=torch.float64)
    assert losses.loss_mc(torch.tensor([[3.0, 4, 0, 0, 0, 0]]).double(), zero) == pytest.approx(5.0)


def test_masked_mean_stays_connected_when_little_is_valid() -> None:
    value = torch.ones(1, 1, 10, 10, requires_grad=True)
    mask = torch.zeros(1, 1, 10, 10)
    mask[..., 0, :2] = 1
    result = losses.masked_mean(value, mask)
    assert float(result.detach()) == pytest.approx(0.2)  # 2 of at least 10 % of 100
    result.backward()
    assert value.grad is not None
    assert value.grad.abs().sum() > 0


def test_specular_target_is_zero_on_grey_and_ours_on_bright_grey_only() -> None:
    colours = torch.tensor([[0.9, 0.9, 0.88], [0.05, 0.05, 0.05], [0.8, 0.3, 0.3]]).T.reshape(1, 3, 1, 3)
    assert losses.specular_target(colours, "unsaturated").flatten().tolist() == [0.0, 0.0, 1.0]
    assert losses.specular_target(colours, "unsaturated-bright").flatten().tolist() == [0.0, 1.0, 1.0]


def test_cpe_is_the_papers_sum_over_z() -> None:
    generator = torch.Generator().manual_seed(1)
    I_t, I_t1 = (0.4 * torch.rand(2, 3, 8, 8, generator=generator) for _ in range(2))
    I_t[0, :, 0, 0] = 0.95  # a highlight
    pixels = torch.stack(torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="xy"), dim=-1).expand(2, 8, 8, 2)
    valid = torch.ones(2, 1, 8, 8)
    valid[:, :, 4:] = 0
    still = Warp(pixels, valid)
    expected = (I_t - I_t1).square()
    expected[0, :, 0, 0] = I_t1[0, :, 0, 0].square()  # P_t removes the highlight of t, W(P_t1) leaves t+1 there
    by_hand = 2 * (expected * valid).sum(dim=(1, 2, 3)) / (3 * 8 * 8)
    assert torch.allclose(losses.cpe(I_t, I_t1, still, still, "unsaturated-bright"), by_hand, atol=1e-6)


def test_networks_are_the_papers() -> None:
    motion, disparity = MotionNet(), DisparityNet()
    convolutions = [m for m in motion.modules() if isinstance(m, torch.nn.Conv2d)]
    assert [c.kernel_size for c in convolutions] == [(3, 3)] * 7 + [(1, 1)]
    assert convolutions[0].in_channels == 8
    assert convolutions[-1].out_channels == 6
    for size in (128, 256):
        picture = torch.rand(2, 3, size, size)
        assert motion(picture, picture, torch.zeros(2, 2, size, size)).shape == (2, 6)
    D, P = disparity(picture)
    assert D.shape == P.shape == (2, 1, 256, 256)
    assert D.min() >= 0
    assert D.max() <= 10
    assert len([m for m in disparity.encoder if isinstance(m, torch.nn.Conv2d)]) == 3
    assert MotionNet(use_flow=False).convolutions[0].in_channels == 6
