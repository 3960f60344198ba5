"""`haustra train flow-file`: convert the published PyTorch weights of PWC-Net (Sun 2018) for `--flow`.

The weights are licensed for non-commercial use and are not shipped.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import torch

from haustra.core.errors import HaustraError
from haustra.lab.training.card import ModelCard, this_command, write_card
from haustra.lab.training.flow.network import PwcNet
from haustra.lab.training.onnx_export import export_onnx

EXAMPLE_SIDE = 128


def convert_flow_file(source: Path, out: Path) -> Path:
    """Write `pwcnet.onnx` and its card into `out`, checked against torch."""
    network = PwcNet()
    try:
        network.load_published(read_state(source))
    except (RuntimeError, AttributeError, KeyError) as error:
        raise HaustraError(f"{source} does not hold the published PWC-Net: {_first_line(error)}") from error
    target = out / "pwcnet.onnx"
    picture = torch.rand(1, 3, EXAMPLE_SIDE, EXAMPLE_SIDE)
    export_onnx(
        network,
        [picture, picture.roll(2, dims=3)],
        target,
        inputs=["image_a", "image_b"],
        outputs=["flow_ab"],
        metadata={"task": "flow", "size": EXAMPLE_SIDE, "width": 1.0},
        free_size=True,
    )
    card = ModelCard(
        "pwcnet",
        "Dense optical flow of a frame pair (PWC-Net).",
        "published weights",
        this_command(),
        "FlyingChairs and FlyingThings3D, by the authors of the network",
        0,
        0,
        {},
        "Never saw a colon in training. Not a medical device.",
        {"source": source.name},
        "that of the published file: non-commercial (CC BY-NC-SA 4.0)",
    )
    write_card(card, target)
    return target


def read_state(source: Path) -> dict[str, Any]:
    """The parameters in a PyTorch file, bare or under `state_dict`."""
    if not source.is_file():
        raise HaustraError(f"no such file: {source}")
    try:
        found = torch.load(source, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError) as error:
        raise HaustraError(f"{source} is not a PyTorch file of weights: {_first_line(error)}") from error
    state = found.get("state_dict", found) if isinstance(found, dict) else {}
    return dict(state)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
