"""Every loss and CPE by value against a plain NumPy transcription of its equation, on random pictures.

The transcriptions loop over pairs and pixels, with their own projection and bilinear interpolation: nothing is shared
with the code under test.
"""

from __future__ import annotations

import colorsys
import math

import numpy as np
import pytest
import torch
from torch import Tensor

from haustra.core.arrays import FloatArray
from haustra.lab.training.motion import losses, supervision
from haustra.lab.training.motion.warp import Warp, make_warp, motion_matrix
from haustra.lab.training.quality.trainer import loss_terms

B, H, W, C = 3, 7, 9, 3
Z = H * W * C
K = np.array([[8.0, 0, (W - 1) / 2], [0, 8.0, (H - 1) / 2], [0, 0, 1]])


class Scene:
    """Random pictures, disparities, masks and motions of a batch, and the warps of the code under test."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.I_t, self.I_t1 = rng.random((2, B, C, H, W))
        for picture in (self.I_t, self.I_t1):
            picture[:, :, 2:4, 3:5] = 0.9 + 0.02 * rng.random((B, C, 2, 2))  # highlights
            picture[:, :, 5:, 6:] = 0.2 + 0.005 * rng.random((B, C, 2, 3))  # dark grey
        self.D_t, self.D_t1 = 0.5 + rng.random((2, B, 1, H, W))
        self.P_t, self.P_t1 = rng.random((2, B, 1, H, W))
        self.forward, self.backward = rng.normal(0, 0.08, (2, B, 6))
        ones = torch.ones(B, 1, H, W, dtype=torch.float64)
        arguments = torch.from_numpy(K), ones, ones
        self.to_t = make_warp(_t(self.D_t), motion_matrix(_t(self.forward)), *arguments)
        self.to_t1 = make_warp(_t(self.D_t1), motion_matrix(_t(self.backward)), *arguments)

    @property
    def pictures(self) -> tuple[Tensor, Tensor]:
        return _t(self.I_t), _t(self.I_t1)

    @property
    def warps(self) -> tuple[Warp, Warp]:
        return self.to_t, self.to_t1


def _t(array: FloatArray) -> Tensor:
    return torch.from_numpy(array)


def _Q(s: FloatArray) -> FloatArray:
    """equ: new_image_coords: R = Rx Ry Rz, and T."""
    (sx, sy, sz), (cx, cy, cz) = np.sin(s[3:]), np.cos(s[3:])
    Rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    Ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    Rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    Q = np.eye(4)
    Q[:3, :3], Q[:3, 3] = Rx @ Ry @ Rz, s[:3]
    return Q


def _warped(picture_a: FloatArray, D_b: FloatArray, s_ba: FloatArray) -> tuple[FloatArray, FloatArray]:
    """b from a, pixel by pixel (equ: world_coords, equ: new_image_coords): picture (C, H, W) and M (H, W)."""
    Q = _Q(s_ba)
    result, valid = np.zeros_like(picture_a), np.zeros((H, W))
    for y in range(H):
        for x in range(W):
            p_w = np.linalg.inv(K) @ [x, y, 1] / D_b[0, y, x]
            u, v, w = K @ (Q[:3, :3] @ p_w + Q[:3, 3])
            u, v = u / w, v / w
            valid[y, x] = 0 <= u <= W - 1 and 0 <= v <= H - 1
            u, v = min(max(u, 0), W - 1), min(max(v, 0), H - 1)
            u0, v0 = min(int(u), W - 2), min(int(v), H - 2)
            for i, j in ((0, 0), (1, 0), (0, 1), (1, 1)):
                weight = (u - u0 if i else 1 - u + u0) * (v - v0 if j else 1 - v + v0)
                result[:, y, x] += weight * picture_a[:, v0 + j, u0 + i]
    return result, valid


def _corrected(scene: Scene, n: int, P_t: FloatArray, P_t1: FloatArray) -> tuple[float, float, float, float]:
    """Both sums of loss_cp and the numbers of valid pixels, of pair n."""
    made, valid = _warped(scene.I_t1[n], scene.D_t[n], scene.forward[n])
    made_P, _ = _warped(P_t1[n], scene.D_t[n], scene.forward[n])
    sum_t = float((valid * (P_t[n] * scene.I_t[n] - made_P * made) ** 2).sum())
    made1, valid1 = _warped(scene.I_t[n], scene.D_t1[n], scene.backward[n])
    made1_P, _ = _warped(P_t[n], scene.D_t1[n], scene.backward[n])
    sum_t1 = float((valid1 * (P_t1[n] * scene.I_t1[n] - made1_P * made1) ** 2).sum())
    return sum_t, sum_t1, float(valid.sum()), float(valid1.sum())


def _threshold_P(pictures: FloatArray, target: losses.SpecularTarget = "unsaturated") -> FloatArray:
    """The threshold-based mask (text before fig:specular_mask): 0 where unsaturated (ours: and bright)."""
    result = np.ones((B, 1, H, W))
    for n, y, x in np.ndindex(B, H, W):
        _, saturation, value = colorsys.rgb_to_hsv(*pictures[n, :, y, x])
        result[n, 0, y, x] = not (saturation < 0.1 and (target == "unsaturated" or value > 0.5))
    return result


@pytest.fixture(params=[0, 1])
def scene(request: pytest.FixtureRequest) -> Scene:
    return Scene(request.param)


def test_loss_p(scene: Scene) -> None:
    """Section "Loss function", (A): the sum over the picture over Z, both directions, 0 outside; batch mean."""
    expected = 0.0
    for n in range(B):
        made, inside = _warped(scene.I_t1[n], scene.D_t[n], scene.forward[n])
        made1, inside1 = _warped(scene.I_t[n], scene.D_t1[n], scene.backward[n])
        assert inside.mean() < 1, "some pixels have no source"
        expected += ((scene.I_t[n] - inside * made) ** 2).sum() / Z / B
        expected += ((scene.I_t1[n] - inside1 * made1) ** 2).sum() / Z / B
    assert float(losses.loss_p(*scene.pictures, *scene.warps)) == pytest.approx(expected, rel=1e-9)


def test_loss_cp_over_all_pixels_is_the_papers(scene: Scene) -> None:
    """Section "Loss function", (B): 1/Z."""
    masks = _t(scene.P_t), _t(scene.P_t1)
    expected = sum(sum(_corrected(scene, n, scene.P_t, scene.P_t1)[:2]) / Z / B for n in range(B))
    assert float(losses.loss_cp(*scene.pictures, *masks, *scene.warps)) == pytest.approx(expected, rel=1e-9)


def test_loss_cp_over_valid_pixels_divides_by_their_number(scene: Scene) -> None:
    masks = _t(scene.P_t), _t(scene.P_t1)
    rows = np.array([_corrected(scene, n, scene.P_t, scene.P_t1) for n in range(B)]).sum(axis=0)
    expected = rows[0] / (C * rows[2]) + rows[1] / (C * rows[3])
    found = losses.loss_cp(*scene.pictures, *masks, *scene.warps, mean_over="valid")
    assert float(found) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("target", ["unsaturated", "unsaturated-bright"])
def test_cpe_of_each_pair(scene: Scene, target: losses.SpecularTarget) -> None:
    """sec:evaluation_strategy, (B): threshold-based P, 1/Z, for each pair."""
    P_t, P_t1 = _threshold_P(scene.I_t, target), _threshold_P(scene.I_t1, target)
    assert 0 < P_t.mean() < 1
    expected = [sum(_corrected(scene, n, P_t, P_t1)[:2]) / Z for n in range(B)]
    np.testing.assert_allclose(losses.cpe(*scene.pictures, *scene.warps, target).numpy(), expected, rtol=1e-9)


def test_loss_ce(scene: Scene) -> None:
    """Section "Loss function", (B): cross entropy, mean over the pixels of one picture."""
    P = _threshold_P(scene.I_t)
    expected = -np.mean([math.log(q) if p else math.log(1 - q) for p, q in zip(P.flat, scene.P_t.flat, strict=True)])
    assert float(losses.loss_ce(_t(P), _t(scene.P_t))) == pytest.approx(expected, rel=1e-9)


def test_loss_mc(scene: Scene) -> None:
    """equ: consistency_loss: the Frobenius norm, mean over the batch."""
    norms = []
    for forward, backward in zip(scene.forward, scene.backward, strict=True):
        difference = _Q(forward) - np.linalg.inv(_Q(backward))
        norms.append(math.sqrt(sum(float(value) ** 2 for value in difference.flat)))
    expected = sum(norms) / B
    assert float(losses.loss_mc(_t(scene.forward), _t(scene.backward))) == pytest.approx(expected, rel=1e-9)


def test_first_order_smoothness(scene: Scene) -> None:
    """Ours: |d D/mean(D)| * exp(-|d I|) along x and y, each a mean over its neighbours and the batch."""
    along_x, along_y = [], []
    for n in range(B):
        D, picture = scene.D_t[n, 0] / scene.D_t[n, 0].mean(), scene.I_t[n]
        for y, x in np.ndindex(H, W):
            if x + 1 < W:
                edge = np.abs(picture[:, y, x + 1] - picture[:, y, x]).mean()
                along_x.append(abs(D[y, x + 1] - D[y, x]) * math.exp(-edge))
            if y + 1 < H:
                edge = np.abs(picture[:, y + 1, x] - picture[:, y, x]).mean()
                along_y.append(abs(D[y + 1, x] - D[y, x]) * math.exp(-edge))
    expected = np.mean(along_x) + np.mean(along_y)
    found = losses.loss_smo(_t(scene.D_t), _t(scene.I_t), "first-order")
    assert float(found) == pytest.approx(float(expected), rel=1e-9)


def test_losses_with_truth(scene: Scene) -> None:
    """supervision.py: relative above 0.005 of the scene and 0.01 rad; direction weighted by how well it can be seen."""
    translation, direction, rotation = [], [], []
    for s, true in zip(scene.forward, scene.backward, strict=True):
        length = math.sqrt(sum(true[:3] ** 2))
        translation.append(math.dist(s[:3], true[:3]) / (length + 0.005))
        cosine = float(s[:3] @ true[:3]) / (math.sqrt(sum(s[:3] ** 2)) * length)
        direction.append(length / (length + 0.005) * (1 - cosine))
        rotation.append(math.dist(s[3:], true[3:]) / (math.sqrt(sum(true[3:] ** 2)) + 0.01))
    arguments = _t(scene.forward), _t(scene.backward)
    assert float(supervision.loss_translation(*arguments)) == pytest.approx(np.mean(translation), rel=1e-6)
    assert float(supervision.loss_direction(*arguments)) == pytest.approx(np.mean(direction), rel=1e-6)
    assert float(supervision.loss_rotation(*arguments)) == pytest.approx(np.mean(rotation), rel=1e-6)


def test_loss_of_known_depth(scene: Scene) -> None:
    """supervision.py: |log disparity - log(30 mm / depth)| over pixels whose depth is known, in 0.05 to 10."""
    depth_mm = 1000 * scene.P_t * (scene.P_t1 > 0.3)
    errors = [
        abs(math.log(D) - math.log(max(30 / max(z, 3.0), 0.05)))
        for D, z in zip(scene.D_t.flat, depth_mm.flat, strict=True)
        if z > 0
    ]
    found = supervision.loss_disparity(_t(scene.D_t), _t(depth_mm))
    assert float(found) == pytest.approx(float(np.mean(errors)), rel=1e-9)
    assert float(supervision.loss_disparity(_t(scene.D_t), _t(0 * depth_mm))) == 0, "nothing is known"
    far = np.zeros_like(scene.D_t)  # no disparity at all counts as a thousandth; 60 mm have one of a half
    found = supervision.loss_disparity(_t(far), _t(np.full_like(depth_mm, 60.0)))
    assert float(found) == pytest.approx(math.log(0.5) - math.log(1e-3), rel=1e-6)


def test_loss_of_frame_quality() -> None:
    """Binary cross entropy of each task over the pictures whose answer is known."""
    rng = np.random.default_rng(0)
    logits, answers = rng.normal(size=(6, 2)), rng.integers(0, 2, (6, 2)).astype(np.float64)
    answers[1, 0] = answers[4, 1] = np.nan
    for task, found in enumerate(loss_terms(_t(logits), _t(answers))):
        terms = [
            -math.log(1 / (1 + math.exp(-x))) if y else -math.log(1 - 1 / (1 + math.exp(-x)))
            for x, y in zip(logits[:, task], answers[:, task], strict=True)
            if not math.isnan(y)
        ]
        assert float(found) == pytest.approx(np.mean(terms))


def test_a_highlight_is_below_a_tenth_of_saturation_and_ours_above_half_of_brightness() -> None:
    """On the limits a pixel is tissue. 1/16 of 5/8 is a saturation of 0.1 to the last bit."""
    bright, half = 0.625, 0.5
    pixels = [
        (bright, bright, 0.5625), (bright, bright, np.nextafter(0.5625, 1)),
        (half, half, half), (np.nextafter(half, 1), half, half), (0.0, 0.0, 0.0),
    ]  # fmt: skip
    picture = torch.tensor(pixels, dtype=torch.float64).T.reshape(1, 3, 1, 5)
    assert losses.specular_target(picture, "unsaturated").flatten().tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert losses.specular_target(picture, "unsaturated-bright").flatten().tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]


def test_the_mean_over_valid_pixels_fades_below_a_tenth_of_them() -> None:
    value = torch.arange(1.0, 21.0, dtype=torch.float64).reshape(1, 1, 4, 5)
    for valid, expected in ((20, 10.5), (4, 2.5), (2, 1.5), (1, 0.5), (0, 0.0)):
        mask = (value <= valid).to(value.dtype)
        assert float(losses.masked_mean(value, mask)) == pytest.approx(expected)
    assert float(losses.masked_mean(value, (value <= 2).to(value.dtype), minimum=0.5)) == pytest.approx(0.3)


def test_losses_are_finite_where_their_equations_are_not() -> None:
    zeros, ones = torch.zeros(1, 1, 2, 2, dtype=torch.float64), torch.ones(1, 1, 2, 2, dtype=torch.float64)
    assert float(losses.loss_ce(ones, zeros)) == pytest.approx(-math.log(1e-6))
    assert float(losses.loss_ce(zeros, ones)) == pytest.approx(-math.log(1e-6))
    assert float(losses.loss_smo(zeros, torch.rand(1, 3, 2, 2, dtype=torch.float64), "first-order")) == 0.0
    still = torch.zeros(2, 6, dtype=torch.float64, requires_grad=True)
    loss = losses.loss_mc(still, still)
    (slope,) = torch.autograd.grad(loss, still)
    assert float(loss.detach()) == pytest.approx(1e-6)
    assert bool(slope.isfinite().all())
