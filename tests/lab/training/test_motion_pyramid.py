"""Pictures at half the size: the same motion, and a loss that reaches further."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from haustra.lab.training.motion.config import CONFIGS
from haustra.lab.training.motion.pair_batch import Batch
from haustra.lab.training.motion.step import pyramid_cp
from haustra.lab.training.motion.warp import motion_matrix, rigid_flow

SIZE = 128


def _batch(shift_px: float) -> Batch:
    """A fine pattern on a coarse one that moves sideways as a whole: only the coarse one shows which way."""
    xs = torch.arange(SIZE, dtype=torch.float32).expand(1, 3, SIZE, SIZE)

    def picture(offset: float) -> Tensor:
        x = xs - offset
        return 0.5 + 0.12 * torch.sin(2 * math.pi * x / 8) + 0.25 * torch.sin(2 * math.pi * x / 48)

    ones = torch.ones(1, 1, SIZE, SIZE)
    flow = torch.zeros(1, 2, SIZE, SIZE)
    return Batch(picture(0.0), picture(shift_px), flow, flow, ones, ones)


def test_half_the_size_is_half_the_flow() -> None:
    batch = _batch(4.0)
    half = batch.halved()
    disparity = torch.ones(1, 1, SIZE, SIZE)
    Q = motion_matrix(torch.tensor([[0.02, -0.01, 0.05, 0.03, -0.02, 0.04]]))
    whole, _ = rigid_flow(disparity, Q, batch.K)
    small, _ = rigid_flow(disparity[..., ::2, ::2], Q, half.K)
    torch.testing.assert_close(small, torch.nn.functional.avg_pool2d(whole, 2) / 2, atol=2e-3, rtol=1e-3)


def test_a_pixel_is_valid_where_all_four_were() -> None:
    batch = _batch(0.0)
    mask = batch.mask_t.clone()
    mask[..., 10, 11] = 0
    half = replace(batch, mask_t=mask).halved()
    assert half.mask_t[0, 0, 5, 5] == 0
    assert float(half.mask_t.sum()) == (SIZE // 2) ** 2 - 1


@pytest.mark.parametrize(("levels", "right"), [(1, False), (4, True)])
def test_a_large_move_is_found_on_small_pictures_only(levels: int, right: bool) -> None:
    """Six pixels are more than half a period of the fine pattern: at full size downhill is the wrong way."""
    batch = _batch(6.0)
    scene = torch.ones(2, 1, SIZE, SIZE)
    still = torch.zeros(2, 1, 6, requires_grad=True)
    pyramid_cp(batch, scene, scene, still[0], still[1], replace(CONFIGS["paper"], levels=levels), {}).backward()  # type: ignore[no-untyped-call]
    assert still.grad is not None
    # s takes points of t into t+1: a pattern that goes to the right is a turn about +y; backward it is the opposite.
    forward, backward = (-still.grad[:, 0, 4]).tolist()
    assert (forward - backward > 0) is right


def test_half_the_size_until_the_last_part_of_the_run() -> None:
    config = replace(CONFIGS["targets"], steps=100)
    assert [config.halved(step) for step in (0, 79, 80, 99)] == [True, True, False, False]
    assert not any(CONFIGS[name].halved(0) or CONFIGS[name].levels > 1 for name in ("paper", "simulated"))
