"""Checkpoints, logs, export and cards that every trainer shares."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from haustra.core.errors import HaustraError
from haustra.core.onnx import onnx_runtime
from haustra.lab.training.card import ModelCard, write_card
from haustra.lab.training.checkpoint import load_checkpoint, load_weights, save_checkpoint, save_weights, step_rng
from haustra.lab.training.logs import CsvLog, RunningTerms
from haustra.lab.training.onnx_export import export_onnx


def _net(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())


def _steps(net: nn.Module, optimizer: torch.optim.Optimizer, steps: range) -> None:
    for step in steps:
        batch = torch.from_numpy(step_rng(7, step).normal(size=(2, 3, 8, 8)).astype(np.float32))
        optimizer.zero_grad()
        net(batch).square().sum().backward()
        optimizer.step()


def test_resumed_run_equals_unbroken_run(tmp_path: Path) -> None:
    whole, optimizer = _net(), None
    optimizer = torch.optim.Adam(whole.parameters(), lr=0.01)
    _steps(whole, optimizer, range(3))
    save_checkpoint(tmp_path / "c.safetensors", {"net": whole}, optimizer, 3, {"best": 0.5})
    _steps(whole, optimizer, range(3, 6))

    resumed = _net(seed=1)
    optimizer = torch.optim.Adam(resumed.parameters(), lr=0.3)
    state = load_checkpoint(tmp_path / "c.safetensors", {"net": resumed}, optimizer)
    assert (state.step, state.extra) == (3, {"best": 0.5})
    assert optimizer.param_groups[0]["lr"] == 0.01
    _steps(resumed, optimizer, range(state.step, 6))
    for a, b in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(a, b)


def test_weights_of_another_network_are_refused_in_one_line(tmp_path: Path) -> None:
    save_weights(tmp_path / "w.safetensors", {"net": nn.Conv2d(3, 5, 3)})
    with pytest.raises(HaustraError, match="does not fit the net network") as error:
        load_weights(tmp_path / "w.safetensors", {"net": nn.Conv2d(3, 4, 3)})
    assert "\n" not in str(error.value)
    (tmp_path / "bad.safetensors").write_bytes(b"no")
    with pytest.raises(HaustraError, match="not a safetensors file"):
        load_weights(tmp_path / "bad.safetensors", {})


def test_csv_log_has_no_row_twice_after_a_resume(tmp_path: Path) -> None:
    log = CsvLog(tmp_path / "log.csv", ["loss"])
    for step in (10, 20, 30):
        log.write(step, {"loss": step / 10})
    CsvLog(tmp_path / "log.csv", ["loss"], resume_step=20).write(30, {"loss": 9.0})
    assert (tmp_path / "log.csv").read_text().splitlines() == ["step,loss", "10,1", "20,2", "30,9"]


def test_running_terms() -> None:
    terms = RunningTerms()
    terms.add({"a": 1.0})
    terms.add({"a": 3.0})
    assert terms.means() == {"a": 2.0}
    assert terms.note() == "a 2"
    terms.reset()
    assert terms.means() == {}


def test_export_carries_metadata_and_any_batch(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    net = _net()
    difference = export_onnx(
        net, [torch.rand(2, 3, 8, 8)], path, inputs=["x"], outputs=["y"], metadata={"size": 8, "recipe": "test"}
    )
    assert difference < 1e-5
    assert json.loads(onnx.load(str(path)).metadata_props[0].value) == {"size": 8, "recipe": "test"}
    session = onnx_runtime().InferenceSession(str(path))
    assert session.run(None, {"x": np.zeros((5, 3, 8, 8), np.float32)})[0].shape == (5, 4)


class _OneSided(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 4, 3, stride=2), nn.Conv2d(4, 4, 5, stride=2, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(nn.functional.pad(x, (0, 1, 0, 1)))
        return self.second(nn.functional.pad(x, (0, 1, 1, 0)))


def test_export_makes_paddings_part_of_their_convolutions(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    difference = export_onnx(_OneSided(), [torch.rand(2, 3, 16, 16)], path, inputs=["x"], outputs=["y"], metadata={})
    assert difference < 1e-5
    nodes = onnx.load(str(path)).graph.node
    assert [node.op_type for node in nodes] == ["Conv", "Conv"]
    pads = [list(a.ints) for node in nodes for a in node.attribute if a.name == "pads"]
    assert pads == [[0, 0, 1, 1], [2, 1, 1, 2]]


class _Wrong(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * float(x.sum())  # a constant in the exported graph: another batch gives another answer


def test_export_that_differs_from_torch_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    with pytest.raises(HaustraError, match="differs"):
        export_onnx(_Wrong(), [torch.rand(2, 3) + 1], path, inputs=["x"], outputs=["y"], metadata={})
    assert list(tmp_path.iterdir()) == []


def test_card_is_written_as_json_and_page(tmp_path: Path) -> None:
    card = ModelCard("motion", "Camera motion.", "paper", "haustra train", "5 colons", 1, 10, {"cpe": 0.01}, "None.")
    write_card(card, tmp_path / "motion.onnx")
    assert json.loads((tmp_path / "motion.json").read_text())["scores"] == {"cpe": 0.01}
    assert "| cpe | 0.01 |" in (tmp_path / "motion.md").read_text()
