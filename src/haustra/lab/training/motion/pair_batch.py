"""A batch of frame pairs as tensors, with flow in both directions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, max_pool2d

from haustra.lab.training.motion.pairs import PairArrays
from haustra.lab.training.motion.supervision import SCENE_MM
from haustra.motion.canonical import canonical_K


@dataclass(frozen=True)
class Batch:
    """Pictures (B, 3, S, S) in 0..1 with 0 outside the lens, flow (B, 2, S, S) in pixels, masks (B, 1, S, S).

    `informative` (B,) is True where both frames are. With truth: `motion_f` and `motion_b` (B, 6), translation in units
    of SCENE_MM, and depth (B, 1, S, S) in mm.
    """

    I_t: Tensor
    I_t1: Tensor
    flow_f: Tensor
    flow_b: Tensor
    mask_t: Tensor
    mask_t1: Tensor
    Q_f: Tensor | None = None
    depth_t: Tensor | None = None
    depth_t1: Tensor | None = None
    informative: Tensor | None = None

    @property
    def motion_f(self) -> Tensor:
        """s(t->t+1) of the truth."""
        assert self.Q_f is not None
        return matrix_to_motion(self.Q_f)

    @property
    def motion_b(self) -> Tensor:
        """s(t+1->t) of the truth."""
        assert self.Q_f is not None
        return matrix_to_motion(torch.linalg.inv(self.Q_f))

    @property
    def K(self) -> Tensor:
        return torch.as_tensor(canonical_K(self.I_t.shape[-1]), dtype=self.I_t.dtype, device=self.I_t.device)

    def part(self, chosen: slice) -> Batch:
        return replace(self, **{name: value[chosen] for name, value in vars(self).items() if value is not None})

    def halved(self) -> Batch:
        """The same pairs at half size; a pixel is valid where all four were."""
        pictures = {name: avg_pool2d(getattr(self, name), 2) for name in ("I_t", "I_t1")}
        flow = {name: avg_pool2d(getattr(self, name), 2) / 2 for name in ("flow_f", "flow_b")}
        masks = {name: -max_pool2d(-getattr(self, name), 2) for name in ("mask_t", "mask_t1")}
        depth = {
            name: getattr(self, name)[..., ::2, ::2] for name in ("depth_t", "depth_t1") if self.depth_t is not None
        }
        return replace(self, **pictures, **flow, **masks, **depth)

    def to(self, device: torch.device) -> Batch:
        moved = {name: value.to(device) for name, value in vars(self).items() if value is not None}
        return replace(self, **moved)


def matrix_to_motion(Q: Tensor) -> Tensor:
    """s (B, 6) of Q (B, 4, 4): translation and the Euler angles of R = Rx Ry Rz."""
    R = Q[:, :3, :3]
    angles = torch.stack(
        [
            torch.atan2(-R[:, 1, 2], R[:, 2, 2]),
            torch.asin(R[:, 0, 2].clamp(-1, 1)),
            torch.atan2(-R[:, 0, 1], R[:, 0, 0]),
        ],
        dim=1,
    )
    return torch.cat([Q[:, :3, 3], angles], dim=1)


def make_batch(arrays: PairArrays) -> Batch:
    """Tensors of a batch: frames as 0..1 within the mask, flow in both directions, truth where known."""
    masks = torch.from_numpy(arrays.masks).unsqueeze(2).float()
    frames = torch.from_numpy(arrays.frames).permute(0, 1, 4, 2, 3).float().div_(255) * masks
    flow = torch.from_numpy(arrays.flow).permute(0, 1, 4, 2, 3)
    Q = None
    if arrays.Q_t_t1_mm is not None:
        scaled = arrays.Q_t_t1_mm.copy()
        scaled[:, :3, 3] /= SCENE_MM
        Q = torch.from_numpy(scaled.astype(np.float32))
    depth = None if arrays.depth_mm is None else torch.from_numpy(arrays.depth_mm).unsqueeze(2)
    return Batch(
        I_t=frames[:, 0].contiguous(),
        I_t1=frames[:, 1].contiguous(),
        flow_f=flow[:, 0].contiguous(),
        flow_b=flow[:, 1].contiguous(),
        mask_t=masks[:, 0],
        mask_t1=masks[:, 1],
        Q_f=Q,
        depth_t=None if depth is None else depth[:, 0],
        depth_t1=None if depth is None else depth[:, 1],
        informative=torch.from_numpy(arrays.informative),
    )
