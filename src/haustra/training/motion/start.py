"""Weights to fine-tune: the shipped networks, exported ones, or those of another run."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from google.protobuf.message import DecodeError
from onnx import numpy_helper

from haustra.errors import HaustraError
from haustra.onnx_models import shipped
from haustra.training.checkpoint import load_weights
from haustra.training.motion.step import MotionModel

SHIPPED = "shipped"


def load_start(start: str | Path, model: MotionModel) -> None:
    """`start`: "shipped", a motion.onnx with its disparity.onnx beside it, or best.safetensors of another run."""
    path = shipped("motion") if str(start) == SHIPPED else Path(start)
    if path.suffix != ".onnx":
        load_weights(path, {"model": model})
        return
    for network, file in ((model.motion, path), (model.disparity, path.with_name("disparity.onnx"))):
        try:
            network.load_state_dict(_weights(file))
        except RuntimeError as error:
            reason = str(error).splitlines()[-1].strip()
            raise HaustraError(f"{file} does not fit the networks of this configuration: {reason}") from error


def _weights(path: Path) -> dict[str, torch.Tensor]:
    """The export keeps the names of the parameters; the motion network lies one level deeper."""
    try:
        graph = onnx.load(path, load_external_data=False).graph
    except FileNotFoundError as error:
        raise HaustraError(f"no such file: {path}") from error
    except (OSError, DecodeError) as error:
        raise HaustraError(f"{path} is not an ONNX file that can be read") from error
    return {
        tensor.name.removeprefix("network."): torch.from_numpy(numpy_helper.to_array(tensor).copy())
        for tensor in graph.initializer
    }
