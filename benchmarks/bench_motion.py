"""CPU time of motion per pair: ours as shipped relative to the paper's networks as published, on one thread."""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.timing import cpu_ms
from haustra.core.errors import HaustraError
from haustra.core.onnx import shipped
from haustra.lab.training.flow.network import PwcNet
from haustra.lab.training.motion.config import CONFIGS
from haustra.lab.training.motion.export_motion import export_motion
from haustra.lab.training.motion.networks import MotionNet
from haustra.lab.training.motion.step import MotionModel
from haustra.motion import MotionEstimator

LIMITS = {"ours_over_paper": 1 / 15}
PAIRS = 16
PAPER_SIZE = 256


def run() -> dict[str, float]:
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        return _compare(_weights(Path(folder)))


def _weights(folder: Path) -> Path:
    """The shipped network, or an untrained one of the same size, which costs the same."""
    try:
        return shipped("motion")
    except HaustraError:
        export_motion(MotionModel(CONFIGS["simulated"]), folder, CONFIGS["simulated"])
        return folder / "motion.onnx"


def _compare(weights: Path) -> dict[str, float]:
    estimator = MotionEstimator(weights)
    a, b = _pairs(estimator.size)
    flow = estimator.flow(a, b)
    ours = cpu_ms(lambda: estimator.estimate(a, b), PAIRS)
    paper = _paper_ms()
    return {
        "flow_cpu_ms_a_pair": cpu_ms(lambda: estimator.flow(a, b), PAIRS),
        "motion_cpu_ms_a_pair": cpu_ms(lambda: estimator.estimate(a, b, flow), PAIRS),
        "flow_and_motion_cpu_ms_a_pair": ours,
        "paper_torch_eager_cpu_ms_a_pair": paper,
        "paper_over_ours": paper / ours,
        "ours_over_paper": ours / paper,
    }


def _paper_ms() -> float:
    """PWC-Net with the published widths and the motion network at 256x256, torch eager, one pair at a time."""
    flow_net, motion_net = PwcNet().eval(), MotionNet().eval()
    a, b = (torch.from_numpy(x[:1]).permute(0, 3, 1, 2).float() / 255 for x in _pairs(PAPER_SIZE))

    def pair() -> None:
        with torch.no_grad():
            motion_net(a, b, flow_net(a, b))

    return cpu_ms(pair, 1)


def _pairs(size: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    rng = np.random.default_rng(0)
    textures = [cv2.GaussianBlur(rng.integers(0, 255, (size, size, 3), np.uint8), (0, 0), 2) for _ in range(PAIRS)]
    a = np.stack(textures).astype(np.uint8)
    return a, np.roll(a, 2, axis=2)
