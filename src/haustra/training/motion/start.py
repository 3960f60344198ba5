"""Weights to fine-tune: the shipped networks, exported ones, or those of another run."""

from __future__ import annotations

from pathlib import Path

import torch
from onnx import numpy_helper

from haustra.onnx_models import open_model, shipped
from haustra.training.checkpoint import load_weights, put_weights
from haustra.training.export import read_graph
from haustra.training.motion.batch import Batch
from haustra.training.motion.step import MotionModel

SHIPPED = "shipped"
HEADS = ("uncertainty.", "calibre.")


def load_start(start: str | Path, model: MotionModel) -> bool:
    """`start`: "shipped", a motion.onnx with its disparity.onnx beside it, or best.safetensors of another run.

    Returns whether these networks learnt their scale from truth.
    """
    path = shipped("motion") if str(start) == SHIPPED else Path(start)
    if path.suffix != ".onnx":
        load_weights(path, {"model": model})
        return False
    for name, file in (("motion", path), ("disparity", path.with_name("disparity.onnx"))):
        network = getattr(model, name)
        kept = {f"{name}.{key}": value for key, value in network.named_buffers()}
        put_weights(file, {**kept, **_fitting_heads(_weights(file, name), network)}, {name: network})
    return open_model(path, task="motion").metadata["recipe"] == "simulated"


@torch.no_grad()
def match_scale(model: MotionModel, batch: Batch) -> None:
    """Truth fixes the scale of disparity; without it disparity is divided by its mean (see `MotionModel.scenes`), and
    translation has to be multiplied by the same. Left to the losses, a part of the rotation is lost on the way."""
    mean = model.measure_unit(batch)
    assert model.motion.head.bias is not None
    model.motion.head.weight[:3] *= mean
    model.motion.head.bias[:3] *= mean


def _fitting_heads(weights: dict[str, torch.Tensor], network: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The heads for uncertainty are what a file may lack, or have too much: then ours stay, or none."""
    own = {f"motion.{name}": value for name, value in network.state_dict().items() if name.startswith(HEADS)}
    of_heads = tuple(f"motion.{head}" for head in HEADS)
    return own | {name: value for name, value in weights.items() if not name.startswith(of_heads) or name in own}


def _weights(path: Path, network: str) -> dict[str, torch.Tensor]:
    """Under the names of a checkpoint. The export keeps those of the parameters; motion lies one level deeper, and may
    have the disparity network beside it."""
    prefix = "network." if network == "motion" else ""
    return {
        f"{network}.{tensor.name.removeprefix(prefix)}": torch.from_numpy(numpy_helper.to_array(tensor).copy())
        for tensor in read_graph(path).initializer
        if tensor.name.startswith(prefix)
    }
