"""Differentiable image warping (paper, equ: world_coords and equ: new_image_coords), and its direction.

`s(a->b)` and its matrix `Q_ab` take points of camera a into camera b: X_b = R X_a + T. Our T_a_b is its inverse.
Synthesising picture b from picture a by inverse warping projects every pixel of **b** into a, which takes the disparity
of **b** and the motion **b->a**:

    p_a = K (R_ba K^-1 p_b + T_ba D_b(p_b)),   I_b_hat(p_b) = I_a(p_a)

which is the paper's projection multiplied by the disparity, so that points at infinity stay finite.
So I_hat(t+1) comes from I(t), D(t+1) and s(t+1->t); I_hat(t) from I(t+1), D(t) and s(t->t+1).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

NEAREST = 1e-3  # smallest depth after the motion, relative to the depth before: nearer points are behind the lens


def rotation(angles: Tensor) -> Tensor:
    """R = Rx Ry Rz (B, 3, 3), the paper's order, from angles (B, 3) in radians."""
    sin, cos = torch.sin(angles), torch.cos(angles)
    (sx, sy, sz), (cx, cy, cz) = sin.unbind(-1), cos.unbind(-1)
    rows = (
        torch.stack([cy * cz, -cy * sz, sy], dim=-1),
        torch.stack([cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy], dim=-1),
        torch.stack([sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy], dim=-1),
    )
    return torch.stack(rows, dim=-2)


def motion_matrix(motion: Tensor) -> Tensor:
    """Q (B, 4, 4) of s (B, 6)."""
    top = torch.cat([rotation(motion[:, 3:]), motion[:, :3, None]], dim=-1)
    bottom = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=motion.dtype, device=motion.device)
    return torch.cat([top, bottom.expand(len(motion), 1, 4)], dim=1)


def invert(Q: Tensor) -> Tensor:
    """Inverse of rigid transforms (B, 4, 4), as in the paper's consistency loss."""
    R_t = Q[:, :3, :3].transpose(1, 2)
    return torch.cat([torch.cat([R_t, -R_t @ Q[:, :3, 3:]], dim=-1), Q[:, 3:]], dim=1)


def pixel_grid(height: int, width: int, like: Tensor) -> Tensor:
    """Pixel centres x, y (H, W, 2); the centre of the first pixel is (0, 0)."""
    ys, xs = torch.meshgrid(
        torch.arange(height, dtype=like.dtype, device=like.device),
        torch.arange(width, dtype=like.dtype, device=like.device),
        indexing="ij",
    )
    return torch.stack([xs, ys], dim=-1)


def project(disparity_b: Tensor, Q_ba: Tensor, K: Tensor) -> tuple[Tensor, Tensor]:
    """Pixels (B, H, W, 2) in a of the pixels of b with disparity (B, 1, H, W), and whether they are in front of a."""
    batch, _, height, width = disparity_b.shape
    grid = pixel_grid(height, width, disparity_b)
    homogeneous = torch.cat([grid, torch.ones_like(grid[..., :1])], dim=-1).reshape(-1, 3)
    rays = torch.linalg.solve(K, homogeneous.T)
    moved = Q_ba[:, :3, :3] @ rays + Q_ba[:, :3, 3:] * disparity_b.reshape(batch, 1, -1)
    seen = K @ moved
    depth = seen[:, 2:]
    pixels = seen[:, :2] / depth.clamp(min=NEAREST)
    shape = (batch, height, width)
    return pixels.transpose(1, 2).reshape(*shape, 2), (depth > NEAREST).reshape(shape)


def sample(picture: Tensor, pixels: Tensor) -> Tensor:
    """Bilinear interpolation of `picture` (B, C, H, W) at `pixels` (B, H, W, 2); border values outside."""
    height, width = picture.shape[-2:]
    # W - 1 goes with align_corners=True: the centre of the last pixel is +1.
    scale = torch.tensor([2.0 / (width - 1), 2.0 / (height - 1)], dtype=pixels.dtype, device=pixels.device)
    return functional.grid_sample(picture, pixels * scale - 1, padding_mode="border", align_corners=True)


def inside(pixels: Tensor, height: int, width: int) -> Tensor:
    """Whether pixels (..., 2) lie inside a picture."""
    x, y = pixels.unbind(-1)
    return (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)


@dataclass(frozen=True)
class Warp:
    """W(a->b): positions of b's pixels in a, and M_b (B, 1, H, W), 1 where they are valid."""

    pixels: Tensor
    valid: Tensor

    def __call__(self, picture_a: Tensor) -> Tensor:
        """The picture (or mask) of a, warped to b."""
        return sample(picture_a, self.pixels)


def make_warp(disparity_b: Tensor, Q_ba: Tensor, K: Tensor, mask_a: Tensor, mask_b: Tensor) -> Warp:
    """The warp that synthesises b from a; the masks (B, 1, H, W) are 1 on pixels visible through the lens."""
    height, width = disparity_b.shape[-2:]
    pixels, in_front = project(disparity_b, Q_ba, K)
    with torch.no_grad():
        shown = sample(mask_a, pixels)[:, 0] > 0.999
        valid = in_front & inside(pixels, height, width) & shown & (mask_b[:, 0] > 0.5)
    return Warp(pixels, valid[:, None].to(disparity_b.dtype))


def rigid_flow(disparity_a: Tensor, Q_ab: Tensor, K: Tensor) -> tuple[Tensor, Tensor]:
    """Flow a->b (B, 2, H, W) in pixels of a rigid scene, and where it is defined (B, 1, H, W)."""
    pixels, in_front = project(disparity_a, Q_ab, K)
    flow = pixels - pixel_grid(disparity_a.shape[2], disparity_a.shape[3], disparity_a)
    return flow.permute(0, 3, 1, 2), in_front[:, None]
