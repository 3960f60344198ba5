"""What fine-tuning starts from: the shipped networks, exported ones, or another run's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from haustra.core.errors import HaustraError
from haustra.core.onnx import open_model, shipped
from haustra.lab.training.motion.config import motion_config
from haustra.lab.training.motion.pair_batch import make_batch
from haustra.lab.training.motion.pairs import PairSet
from haustra.lab.training.motion.start import load_start, match_scale
from haustra.lab.training.motion.step import MotionModel
from haustra.motion import MotionEstimator
from haustra.motion.estimator import DisparityCard


def test_the_shipped_networks_come_back_as_they_are() -> None:
    model = MotionModel(motion_config("targets"))
    load_start("shipped", model)
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 255, (2, 2, 128, 128, 3), np.uint8)
    flow = rng.normal(0, 1, (2, 128, 128, 2)).astype(np.float32)
    pictures = [torch.from_numpy(x).permute(0, 3, 1, 2).float() / 255 for x in (a, b)]
    with torch.no_grad():
        motion = model.motion(*pictures, torch.from_numpy(flow).permute(0, 3, 1, 2)).numpy()
        disparity = model.disparity(pictures[0])[0].numpy()
    np.testing.assert_allclose(motion, MotionEstimator().estimate(a, b, flow), atol=1e-5)
    exported = open_model(shipped("disparity"), DisparityCard).run(pictures[0].numpy())[0]
    np.testing.assert_allclose(disparity, exported, atol=1e-4)


def test_weights_that_do_not_fit_are_told() -> None:
    with pytest.raises(HaustraError, match="does not fit"):
        load_start("shipped", MotionModel(motion_config("targets", "no-flow")))


def test_files_that_are_no_weights_are_told(tmp_path: Path) -> None:
    model = MotionModel(motion_config("targets"))
    broken = tmp_path / "motion.onnx"
    broken.write_bytes(b"\x08\x99 not a network")
    with pytest.raises(HaustraError, match="not an ONNX file"):
        load_start(broken, model)
    with pytest.raises(HaustraError, match="no such file"):
        load_start(tmp_path / "other.onnx", model)
    with pytest.raises(HaustraError, match="no such file"):
        load_start(tmp_path / "best.safetensors", model)


def test_without_truth_the_first_warp_is_still_the_same(pairs: PairSet) -> None:
    """Translation times disparity is what moves a pixel; disparity is divided by its mean where no truth fixes it."""
    batch = make_batch(pairs.read(np.arange(min(len(pairs), 6))))
    shipped_model, model = MotionModel(motion_config("simulated")), MotionModel(motion_config("adapt"))
    assert load_start("shipped", shipped_model)
    assert load_start("shipped", model)
    match_scale(model, batch)
    with torch.no_grad():
        before, after = shipped_model.motions(batch)[0], model.motions(batch)[0]
        scenes = [network.scenes(batch)[0].chunk(2)[0] for network in (shipped_model, model)]
    assert scenes[1].mean() == pytest.approx(1.0, abs=0.2)
    assert not torch.allclose(before[:, :3], after[:, :3], rtol=0.05)
    moved = [t[:, :3, None, None] * scene for t, scene in zip((before, after), scenes, strict=True)]
    torch.testing.assert_close(moved[1], moved[0], rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(after[:, 3:], before[:, 3:])
