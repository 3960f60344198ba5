"""What fine-tuning starts from: the shipped networks, exported ones, or another run's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from haustra.errors import HaustraError
from haustra.motion import MotionEstimator
from haustra.onnx_models import open_model, shipped
from haustra.training.motion.config import motion_config
from haustra.training.motion.start import load_start
from haustra.training.motion.step import MotionModel


def test_the_shipped_networks_come_back_as_they_are() -> None:
    model = MotionModel(motion_config("fast"))
    load_start("shipped", model)
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 255, (2, 2, 128, 128, 3), np.uint8)
    flow = rng.normal(0, 1, (2, 128, 128, 2)).astype(np.float32)
    pictures = [torch.from_numpy(x).permute(0, 3, 1, 2).float() / 255 for x in (a, b)]
    with torch.no_grad():
        motion = model.motion(*pictures, torch.from_numpy(flow).permute(0, 3, 1, 2)).numpy()
        disparity = model.disparity(pictures[0])[0].numpy()
    np.testing.assert_allclose(motion, MotionEstimator().estimate(a, b, flow), atol=1e-5)
    exported = open_model(shipped("disparity"), task="disparity").run(pictures[0].numpy())[0]
    np.testing.assert_allclose(disparity, exported, atol=1e-4)


def test_weights_that_do_not_fit_are_told() -> None:
    with pytest.raises(HaustraError, match="does not fit"):
        load_start("shipped", MotionModel(motion_config("fast", "no-flow")))


def test_files_that_are_no_weights_are_told(tmp_path: Path) -> None:
    model = MotionModel(motion_config("fast"))
    broken = tmp_path / "motion.onnx"
    broken.write_bytes(b"\x08\x99 not a network")
    with pytest.raises(HaustraError, match="not an ONNX file"):
        load_start(broken, model)
    with pytest.raises(HaustraError, match="no such file"):
        load_start(tmp_path / "other.onnx", model)
    with pytest.raises(HaustraError, match="no such file"):
        load_start(tmp_path / "best.safetensors", model)
