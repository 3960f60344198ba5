"""Second-order smoothness (Wang 2018) against a transcription with loops, and what it is blind to."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from haustra.core.arrays import FloatArray
from haustra.lab.training.motion.losses import loss_smo

B, H, W = 2, 32, 40


def _halved(picture: FloatArray) -> FloatArray:
    """3x3 Gaussian of deviation 1, mirrored at the border, then means of 2x2 pixels."""
    padded = np.pad(picture, 1, mode="reflect")
    weights = {(i, j): math.exp(-(i * i + j * j) / 2) for i in (-1, 0, 1) for j in (-1, 0, 1)}
    blurred = np.zeros_like(picture)
    for y, x in np.ndindex(*picture.shape):
        blurred[y, x] = sum(w * padded[y + 1 + i, x + 1 + j] for (i, j), w in weights.items()) / sum(weights.values())
    return blurred.reshape(picture.shape[0] // 2, 2, picture.shape[1] // 2, 2).mean(axis=(1, 3))


def _laplacian(picture: FloatArray, y: int, x: int) -> float:
    around = picture[y - 1, x] + picture[y + 1, x] + picture[y, x - 1] + picture[y, x + 1]
    return abs(float(4 * picture[y, x] - around))


def _expected(disparity: FloatArray, image: FloatArray) -> float:
    """sum over levels 2 and 3 of 2^-l mean exp(-mean_c |lap I_l|) |lap d_l|, d = 10 D / mean(D)."""
    total = 0.0
    maps = [10 * disparity / disparity.mean(), *image]
    for level in (1, 2, 3):
        maps = [_halved(channel) for channel in maps]
        if level == 1:
            continue
        height, width = maps[0].shape
        terms = []
        for y in range(1, height - 1):
            for x in range(1, width - 1):
                edge = np.mean([_laplacian(channel, y, x) for channel in maps[1:]])
                terms.append(math.exp(-edge) * _laplacian(maps[0], y, x))
        total += float(np.mean(terms)) / 2**level
    return total


def _found(disparity: FloatArray, image: FloatArray) -> float:
    return float(loss_smo(torch.from_numpy(disparity), torch.from_numpy(image), "second-order"))


def test_second_order_smoothness_by_value() -> None:
    rng = np.random.default_rng(0)
    disparity, image = 0.5 + rng.random((B, 1, H, W)), rng.random((B, 3, H, W))
    expected = np.mean([_expected(disparity[n, 0], image[n]) for n in range(B)])
    assert _found(disparity, image) == pytest.approx(float(expected), rel=1e-9)


def test_gradient_of_second_order_smoothness() -> None:
    generator = torch.Generator().manual_seed(0)
    disparity = 0.5 + torch.rand(1, 1, 24, 24, generator=generator, dtype=torch.float64)
    image = torch.rand(1, 3, 24, 24, generator=generator, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda D: loss_smo(D, image, "second-order"), (disparity.requires_grad_(),))


def test_scale_slopes_and_fine_structure_are_free() -> None:
    rng = np.random.default_rng(1)
    disparity, image = 0.5 + rng.random((1, 1, 64, 64)), rng.random((1, 3, 64, 64))
    assert _found(7 * disparity, image) == pytest.approx(_found(disparity, image), rel=1e-9)
    checks = 1 + 0.5 * (-1.0) ** np.add.outer(np.arange(64), np.arange(64))[None, None]
    assert _found(checks, image) == pytest.approx(0, abs=1e-9)
    ramp = np.broadcast_to(1 + np.arange(64) / 64, (1, 1, 64, 64)).copy()
    bent = np.broadcast_to(1 + (np.arange(64) / 64 - 0.5) ** 2, (1, 1, 64, 64)).copy()
    assert _found(ramp, image) < 0.25 * _found(bent, image)


def test_curvature_at_an_edge_of_the_picture_counts_less() -> None:
    step = np.ones((1, 1, 64, 64))
    step[..., 32:] = 2
    plain, edge = np.full((1, 3, 64, 64), 0.5), np.zeros((1, 3, 64, 64))
    edge[..., 32:] = 1
    assert _found(step, edge) < 0.9 * _found(step, plain)
