"""A checkpoint whose header is not what was written is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from haustra.core.errors import HaustraError

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    "change",
    [
        {"step": "x"}, {"step": -1}, {"groups": [{}]}, {"groups": []}, {"scalars": {"x": 1}}, {"scalars": {"x.y": 1}},
        {"extra": None}, {"groups": [{"params": [[]]}]},
    ],
)  # fmt: skip
def test_a_header_of_others_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file

    from haustra.lab.training.checkpoint import load_checkpoint, save_checkpoint

    network = torch.nn.Linear(2, 1)
    optimizer = torch.optim.AdamW(network.parameters())
    network(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    path = tmp_path / "checkpoint.safetensors"
    save_checkpoint(path, {"network": network}, optimizer, 3, {"best": float("inf")})
    assert load_checkpoint(path, {"network": network}, optimizer).step == 3
    with safe_open(path, framework="pt") as file:
        header = json.loads(file.metadata()["haustra"])
    save_file(load_file(path), path, metadata={"haustra": json.dumps(header | change)})
    with pytest.raises(HaustraError, match=r"checkpoint\.safetensors"):
        load_checkpoint(path, {"network": network}, optimizer)
