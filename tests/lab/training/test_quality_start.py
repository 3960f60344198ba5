"""What fine-tuning a frame classifier starts from: the shipped network, an exported one, or another run's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from haustra.core.errors import HaustraError
from haustra.core.onnx import shipped
from haustra.lab.training.quality.config import CONFIGS
from haustra.lab.training.quality.finish import export, torch_classifier
from haustra.lab.training.quality.networks import Lite, PaperPair
from haustra.lab.training.quality.start import load_start
from haustra.quality import QualityModel


def test_the_shipped_network_comes_back_as_it_is(tmp_path: Path) -> None:
    model = QualityModel("lite")
    pictures = np.random.default_rng(5).integers(0, 256, (3, model.size, model.size, 3), np.uint8)
    network = Lite(0.0, 0).eval()
    load_start(Path("shipped"), network)
    expected, found = model.classify(pictures), torch_classifier(network)(pictures)
    np.testing.assert_allclose(found.noninformative, expected.noninformative, rtol=1e-2)
    np.testing.assert_allclose(found.forceps, expected.forceps, rtol=1e-2)
    export(network, CONFIGS["lite"], model.thresholds, tmp_path / "again.onnx")
    again = QualityModel(tmp_path / "again.onnx").classify(pictures)
    np.testing.assert_allclose(again.noninformative, expected.noninformative, rtol=1e-2)


def test_it_learns_from_there() -> None:
    network = Lite(0.0, 5)
    load_start(Path("shipped"), network)
    network(torch.zeros(1, 96, 96, 3)).sum().backward()
    learning = [parameter for parameter in network.parameters() if parameter.requires_grad]
    assert learning
    assert all(parameter.grad is not None for parameter in learning)


def test_files_that_do_not_fit_are_told(tmp_path: Path) -> None:
    with pytest.raises(HaustraError, match="--network lite"):
        load_start(Path("shipped"), PaperPair(0.0))
    with pytest.raises(HaustraError, match="does not fit"):
        load_start(shipped("motion"), Lite(0.0, 0))
    with pytest.raises(HaustraError, match="no such file"):
        load_start(tmp_path / "none.onnx", Lite(0.0, 0))
