"""Weights to fine-tune: the shipped networks, exported ones, or those of another run."""

from __future__ import annotations

from pathlib import Path

import torch
from onnx import numpy_helper

from haustra.core.onnx import open_model, shipped
from haustra.lab.training.checkpoint import load_weights, put_weights
from haustra.lab.training.motion.config import CONFIGS
from haustra.lab.training.motion.pair_batch import Batch
from haustra.lab.training.motion.step import MotionModel
from haustra.lab.training.onnx_export import read_graph
from haustra.motion.estimator import MotionCard

SHIPPED = "shipped"
HEADS = ("uncertainty.", "calibre.")


def load_start(start: str | Path, model: MotionModel) -> bool:
    """`start`: "shipped", a motion.onnx next to its disparity.onnx, or best.safetensors of another run.

    Returns whether the scale of these networks was learnt from ground truth.
    """
    path = shipped("motion") if str(start) == SHIPPED else Path(start)
    if path.suffix != ".onnx":
        load_weights(path, {"model": model})
        return False
    for name, file in (("motion", path), ("disparity", path.with_name("disparity.onnx"))):
        network = getattr(model, name)
        kept = {f"{name}.{key}": value for key, value in network.named_buffers()}
        put_weights(file, {**kept, **_fitting_heads(_weights(file, name), network)}, {name: network})
    recipe = open_model(path, MotionCard).card.recipe
    return recipe in CONFIGS and CONFIGS[recipe].uncertainty  # one that was adapted has kept the scale


@torch.no_grad()
def match_scale(model: MotionModel, batch: Batch) -> None:
    """Match translation to normalised disparity: without ground truth, disparity is divided by its mean (see
    `MotionModel.scenes`), so translation is multiplied by it. Left to the losses, part of the rotation is unlearnt."""
    mean = model.measure_unit(batch)
    assert model.motion.head.bias is not None
    model.motion.head.weight[:3] *= mean
    model.motion.head.bias[:3] *= mean


def _fitting_heads(weights: dict[str, torch.Tensor], network: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Weights without the uncertainty heads where only one side has them."""
    own = {f"motion.{name}": value for name, value in network.state_dict().items() if name.startswith(HEADS)}
    of_heads = tuple(f"motion.{head}" for head in HEADS)
    return own | {name: value for name, value in weights.items() if not name.startswith(of_heads) or name in own}


def _weights(path: Path, network: str) -> dict[str, torch.Tensor]:
    """Weights of an exported network under checkpoint names; in motion.onnx they are nested one level deeper and may
    include the disparity network."""
    prefix = "network." if network == "motion" else ""
    return {
        f"{network}.{tensor.name.removeprefix(prefix)}": torch.from_numpy(numpy_helper.to_array(tensor).copy())
        for tensor in read_graph(path).initializer
        if tensor.name.startswith(prefix)
    }
