"""The losses of the rivals' publications, compared by value with a plain transcription."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from haustra.lab.training.motion.warp import make_warp, motion_matrix
from haustra.lab.training.rivals import losses


def test_ssim_by_value() -> None:
    """Means, variances and covariance of every 3x3 window, pixel by pixel."""
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 1, 1, 6, 7))
    found = losses.ssim_error(torch.from_numpy(a), torch.from_numpy(b)).numpy()[0, 0]
    for y in range(1, 5):
        for x in range(1, 6):
            p, q = a[0, 0, y - 1 : y + 2, x - 1 : x + 2], b[0, 0, y - 1 : y + 2, x - 1 : x + 2]
            covariance = ((p - p.mean()) * (q - q.mean())).mean()
            similar = (2 * p.mean() * q.mean() + 1e-4) * (2 * covariance + 9e-4)
            similar /= (p.mean() ** 2 + q.mean() ** 2 + 1e-4) * (p.var() + q.var() + 9e-4)
            assert found[y, x] == pytest.approx(np.clip((1 - similar) / 2, 0, 1), abs=1e-9)
    mixed = losses.photometric_error(torch.from_numpy(a), torch.from_numpy(b), 0.85).numpy()[0, 0]
    np.testing.assert_allclose(mixed, 0.85 * found + 0.15 * np.abs(a - b)[0, 0])


def test_depth_difference_is_zero_where_two_maps_agree() -> None:
    """A wall at depth 2; the camera goes half a unit towards it, so the other map says 1.5."""
    size = 16
    K = torch.tensor([[12.0, 0, 7.5], [0, 12.0, 7.5], [0, 0, 1]], dtype=torch.float64)
    D_b = torch.full((1, 1, size, size), 1 / 2.0, dtype=torch.float64)
    Q = motion_matrix(torch.tensor([[0, 0, -0.5, 0, 0, 0]], dtype=torch.float64))
    ones = torch.ones_like(D_b)
    warp = make_warp(D_b, Q, K, ones, ones)
    for depth, wanted in ((1.5, 0.0), (3.0, 1.5 / 4.5)):
        difference = losses.depth_difference(D_b, torch.full_like(D_b, 1 / depth), Q, K, warp)
        assert float((difference - wanted).abs().max()) < 1e-9


def test_flow_there_and_back() -> None:
    forward = torch.zeros(1, 2, 20, 20)
    forward[:, 0] = 2.0
    difference, consistent = losses.flow_disagreement(forward, -forward)
    assert float(difference.max()) == 0
    assert float(consistent.min()) == 1
    difference, consistent = losses.flow_disagreement(forward, forward)
    assert float(difference.min()) == 4
    assert float(consistent.max()) == 0


def test_smoothness_and_explainability_by_value() -> None:
    rng = np.random.default_rng(1)
    D, picture = rng.random((1, 1, 5, 6)), rng.random((1, 3, 5, 6))
    d, edge = D[0, 0], lambda axis: np.abs(np.diff(picture[0], axis=axis + 1)).mean(axis=0)
    second = [np.diff(np.diff(d, axis=i), axis=j) for i in (0, 1) for j in (0, 1)]
    assert float(losses.second_order_smoothness(torch.from_numpy(D))) == pytest.approx(
        sum(np.abs(part).mean() for part in second)
    )
    first = sum((np.abs(np.diff(d, axis=axis)) * np.exp(-edge(axis))).mean() for axis in (0, 1))
    found = losses.edge_aware_smoothness(torch.from_numpy(D), torch.from_numpy(picture))
    assert float(found) == pytest.approx(first)
    logits = rng.normal(size=(1, 2, 3, 3))
    share = np.exp(logits[:, 1]) / np.exp(logits).sum(axis=1)
    assert float(losses.explainability_loss(torch.from_numpy(logits))) == pytest.approx(-np.log(share).mean())


def test_smoothness_of_flow_is_of_second_order() -> None:
    """Yin 2018: |second difference of F| exp(-|first difference of I|), the edge that the difference begins with."""
    rng = np.random.default_rng(2)
    F, picture = rng.random((2, 2, 5, 6)), rng.random((2, 3, 5, 6))
    total = 0.0
    for axis in (2, 3):
        bend = np.abs(np.diff(F, n=2, axis=axis))
        edge = np.abs(np.diff(picture, axis=axis)).mean(axis=1, keepdims=True)
        edge = np.take(edge, range(bend.shape[axis]), axis=axis)
        total += (bend * np.exp(-edge)).mean()
    found = losses.edge_aware_smoothness(torch.from_numpy(F), torch.from_numpy(picture), order=2)
    assert float(found) == pytest.approx(total)


def test_pixels_that_a_flow_takes_out_of_the_picture_are_not_seen() -> None:
    picture = torch.arange(20.0).reshape(1, 1, 4, 5)
    flow = torch.zeros(1, 2, 4, 5)
    flow[:, 0], flow[:, 1] = 1.0, -1.0
    made, seen = losses.sample_by_flow(picture, flow)
    assert seen[0, 0].tolist() == [[0, 0, 0, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 0]]
    np.testing.assert_allclose(made[0, 0, 1:, :4], picture[0, 0, :3, 1:])


@pytest.mark.parametrize(("length", "off", "fits"), [(0.0, 0.71, 1), (0.0, 0.73, 0), (20.0, 0.99, 1), (20.0, 1.01, 0)])
def test_flow_may_disagree_by_a_share_of_the_picture_or_of_its_length(length: float, off: float, fits: int) -> None:
    """3 of 416 pixels of the width, here 100: 0.72; a twentieth of a flow of 20: 1."""
    forward, backward = torch.zeros(1, 2, 4, 100), torch.zeros(1, 2, 4, 100)
    forward[:, 0], backward[:, 0] = length, off - length
    difference, near = losses.flow_disagreement(forward, backward)
    assert float(difference[..., :70].max()) == pytest.approx(off, abs=1e-5)
    assert near[0, 0, :, :70].unique().tolist() == [fits]


@pytest.mark.parametrize("consistency", [0.0, 0.7])
def test_the_loss_of_the_whole_flow_is_the_sum_of_its_parts(consistency: float) -> None:
    rng = np.random.default_rng(3)
    a, b = (torch.from_numpy(rng.random((1, 3, 12, 16))) for _ in range(2))
    there, back = (torch.from_numpy(0.1 * rng.normal(size=(1, 2, 12, 16))) for _ in range(2))
    mask = torch.from_numpy((rng.random((1, 1, 12, 16)) < 0.8).astype(float))
    made, seen = losses.sample_by_flow(b, there)
    difference, near = losses.flow_disagreement(there, back)
    valid = (mask * seen * near).numpy()
    assert 0.1 < valid.mean() < 0.8
    error = losses.photometric_error(a, made, 0.85).numpy()
    wanted = (error * valid).sum() / (3 * valid.sum())
    wanted += 0.2 * float(losses.edge_aware_smoothness(there / 16, a, order=2))
    wanted += consistency * (difference.numpy() / 16 * valid).sum() / valid.sum()
    assert float(losses.residual_flow_loss(a, b, there, back, mask, 0.85, consistency)) == pytest.approx(wanted)


def test_without_ssim_the_error_is_the_absolute_difference() -> None:
    a, b = torch.rand(2, 1, 3, 5, 5)
    assert torch.equal(losses.photometric_error(a, b, 0.0), (a - b).abs())
