"""Augmentation of a batch of pairs, with motion and flow transformed accordingly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from haustra.lab.training.motion.pair_batch import Batch


def augment(batch: Batch, rng: np.random.Generator) -> Batch:
    """Rotation by right angles, mirroring, colour, exposure and light, blur, noise, highlights, picture outline, and
    realistic flow errors."""
    batch = turn_and_mirror(batch, int(rng.integers(0, 4)), bool(rng.random() < 0.5))
    I_t, I_t1 = _colours(batch.I_t, batch.I_t1, rng)
    I_t, I_t1 = _highlights(I_t, rng), _highlights(I_t1, rng)
    if rng.random() < 0.3:
        I_t, I_t1 = _blur(I_t), _blur(I_t1)
    I_t, I_t1 = _noise(I_t, rng), _noise(I_t1, rng)
    flow_f, flow_b = (_flow_errors(flow, rng) for flow in (batch.flow_f, batch.flow_b))
    outline = _outline(batch.mask_t, rng)
    mask_t, mask_t1 = batch.mask_t * outline, batch.mask_t1 * outline
    return replace(
        batch,
        I_t=I_t * mask_t,
        I_t1=I_t1 * mask_t1,
        flow_f=flow_f * outline,
        flow_b=flow_b * outline,
        mask_t=mask_t,
        mask_t1=mask_t1,
    )


def turn_and_mirror(batch: Batch, quarters: int, mirrored: bool) -> Batch:
    """Rotate each pair by `quarters` of 90 degrees, then mirror it; with square, centred pixels this is the same world
    in other axes: X' = G X, so Q' = G Q G^-1."""
    if not quarters and not mirrored:
        return batch
    G = _turn_matrix(quarters, mirrored)
    parts = {name: value for name, value in vars(batch).items() if value is not None}
    return replace(batch, **{name: _change(name, value, G, quarters, mirrored) for name, value in parts.items()})


def _change(name: str, value: Tensor, G: Tensor, quarters: int, mirrored: bool) -> Tensor:
    if name == "informative":
        return value
    if name == "Q_f":
        full = torch.eye(4).to(value)
        full[:3, :3] = G
        return full @ value @ full.T
    value = torch.rot90(value, quarters, dims=(2, 3))
    value = value.flip(3) if mirrored else value
    if name.startswith("flow"):
        # G permutes axes: each component of the new flow is plus or minus one of the old.
        axes = G[:2, :2].abs().argmax(dim=1)
        value = value[:, axes] * G[:2, :2].sum(dim=1).to(value).view(1, 2, 1, 1)
    return value.contiguous()


def _turn_matrix(quarter: int, mirror: bool) -> Tensor:
    """G for torch.rot90 by `quarter` (x to the right becomes up, y down becomes right) and a mirror after it."""
    turn = torch.tensor([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    G = torch.linalg.matrix_power(turn, quarter)
    return torch.diag(torch.tensor([-1.0, 1.0, 1.0])) @ G if mirror else G


def _uniform(rng: np.random.Generator, low: float, high: float, *shape: int) -> Tensor:
    return torch.from_numpy(rng.uniform(low, high, shape).astype(np.float32))


def _colours(I_t: Tensor, I_t1: Tensor, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """The same change of colour and vignetting for both pictures of a pair, and a small change of exposure between
    them."""
    count = len(I_t)
    gain = torch.exp(_uniform(rng, -0.4, 0.4, count, 1, 1, 1)) * torch.exp(_uniform(rng, -0.2, 0.2, count, 3, 1, 1))
    gain = gain * (1 + _uniform(rng, -0.5, 0.3, count, 1, 1, 1) * _from_centre(I_t.shape[-1]) ** 2)
    gamma = torch.exp(_uniform(rng, -0.4, 0.4, count, 1, 1, 1))
    saturation = _uniform(rng, 0.2, 1.6, count, 1, 1, 1)
    flicker = torch.exp(_uniform(rng, -0.08, 0.08, count, 1, 1, 1))

    def change(picture: Tensor, extra: Tensor | float) -> Tensor:
        grey = picture.mean(dim=1, keepdim=True)
        coloured = (grey + saturation * (picture - grey)).clamp(min=1e-4)
        return (coloured**gamma * gain * extra).clamp(0, 1)

    return change(I_t, 1.0), change(I_t1, flicker)


def _from_centre(size: int) -> Tensor:
    """Distance of every pixel (S, S) from the centre, 1 at half an edge."""
    along = torch.linspace(-1.0, 1.0, size)
    return torch.hypot(along[:, None], along[None, :])


def _outline(mask: Tensor, rng: np.random.Generator) -> Tensor:
    """Mask (B, 1, S, S) of a new picture outline: in some pairs cut corners, a round edge or an inset."""
    outline = torch.ones_like(mask)
    size = mask.shape[-1]
    away = _from_centre(size)
    corner = torch.linspace(-1.0, 1.0, size).abs()
    for index in np.flatnonzero(rng.random(len(mask)) < 0.3):
        kind = rng.integers(0, 3)
        if kind == 0:
            outline[index, 0] = (corner[:, None] + corner[None, :] < rng.uniform(1.4, 1.9)).to(mask)
        elif kind == 1:
            outline[index, 0] = (away < rng.uniform(1.0, 1.3)).to(mask)
        else:
            high, wide = rng.integers(size // 10, size // 3, 2)
            top, left = rng.choice([0, size - high]), rng.choice([0, size - wide])
            outline[index, 0, top : top + high, left : left + wide] = 0.0
    return outline


def _highlights(picture: Tensor, rng: np.random.Generator, most: int = 6) -> Tensor:
    """A few soft white spots at different places in both pictures, as on wet mucosa."""
    count, _, height, width = picture.shape
    ys = torch.arange(height).view(1, -1, 1)
    xs = torch.arange(width).view(1, 1, -1)
    for _ in range(int(rng.integers(0, most))):
        centre = _uniform(rng, 0, width, 2, count, 1, 1)
        radius = _uniform(rng, 0.004, 0.03, 2, count, 1, 1) * width
        spot = torch.exp(-(((xs - centre[0]) / radius[0]) ** 2 + ((ys - centre[1]) / radius[1]) ** 2))
        picture = torch.lerp(picture, torch.ones_like(picture), spot[:, None])
    return picture


def _blur(picture: Tensor) -> Tensor:
    kernel = torch.tensor([1.0, 2.0, 1.0]) / 4
    weights = torch.outer(kernel, kernel).expand(3, 1, 3, 3)
    return functional.conv2d(functional.pad(picture, (1, 1, 1, 1), mode="replicate"), weights, groups=3)


def _noise(picture: Tensor, rng: np.random.Generator) -> Tensor:
    strength = _uniform(rng, 0.0, 0.03, len(picture), 1, 1, 1)
    grain = torch.from_numpy(rng.standard_normal(picture.shape, dtype=np.float32))
    return (picture + strength * grain).clamp(0, 1)


def _flow_errors(flow: Tensor, rng: np.random.Generator) -> Tensor:
    """Coarse noise everywhere, and in some pairs a patch without any flow."""
    count, _, height, width = flow.shape
    coarse = torch.from_numpy(rng.standard_normal((count, 2, 8, 8), dtype=np.float32))
    strength = _uniform(rng, 0.0, 0.15, count, 1, 1, 1)
    flow = flow + strength * functional.interpolate(coarse, (height, width), mode="bilinear", align_corners=False)
    for index in np.flatnonzero(rng.random(count) < 0.15):
        y, x = rng.integers(0, height), rng.integers(0, width)
        size = int(rng.integers(height // 10, height // 3))
        flow[index, :, y : y + size, x : x + size] = 0.0
    return flow
