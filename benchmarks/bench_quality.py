"""CPU time of frame classification: the shipped network relative to the paper's two Inception-v3, in one run."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import torch

from benchmarks.timing import cpu_ms
from haustra.core.errors import HaustraError
from haustra.core.onnx import open_model
from haustra.lab.training.quality.config import CONFIGS
from haustra.lab.training.quality.finish import export
from haustra.lab.training.quality.networks import Lite, PaperPair
from haustra.quality import QualityModel, Thresholds, prefilter, thinned
from haustra.quality.quality_model import QualityCard

LIMITS = {"ours_over_paper": 1 / 15, "weights_mb": 25.0}
FRAMES, PAPER_FRAMES = 48, 4


def run() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        ours = _ours(Path(folder))
        paper = Path(folder) / "paper.onnx"
        # The cost does not depend on the weights.
        export(PaperPair(0.4), CONFIGS["inception_v3"], Thresholds(0.5, 0.5), paper)
        pictures = np.random.default_rng(0).integers(0, 256, (FRAMES, ours.size, ours.size, 3), np.uint8)
        large = np.random.default_rng(0).integers(0, 256, (PAPER_FRAMES, 256, 256, 3), np.uint8)
        ours_ms = cpu_ms(lambda: ours.classify(pictures), FRAMES)
        pair = open_model(paper, QualityCard)
        paper_ms = cpu_ms(lambda: [pair.run(large[i : i + 1]) for i in range(PAPER_FRAMES)], PAPER_FRAMES)
        before = thinned(pictures[0])
        return {
            "ours_cpu_ms_a_frame": ours_ms,
            "paper_two_inception_v3_cpu_ms_a_frame": paper_ms,
            "paper_over_ours": paper_ms / ours_ms,
            "ours_over_paper": ours_ms / paper_ms,
            "prefilter_cpu_ms_a_frame": cpu_ms(lambda: [prefilter(thinned(one), before) for one in pictures], FRAMES),
            "weights_mb": ours.path.stat().st_size / 1e6,
        }


def _ours(folder: Path) -> QualityModel:
    """The shipped network, or an untrained one of the same size, which costs the same."""
    try:
        return QualityModel("lite")
    except HaustraError:
        torch.manual_seed(0)
        export(Lite(0.0, 0), CONFIGS["lite"], Thresholds(0.5, 0.5), folder / "lite.onnx")
        return QualityModel(folder / "lite.onnx")
