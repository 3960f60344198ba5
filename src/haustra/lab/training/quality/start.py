"""Weights to fine-tune: the shipped network, an exported one, or those of another run."""

from __future__ import annotations

import math
from pathlib import Path

import torch
from onnx import GraphProto, numpy_helper
from torch import nn

from haustra.core.errors import HaustraError
from haustra.core.onnx import shipped
from haustra.lab.training.checkpoint import load_weights
from haustra.lab.training.onnx_export import read_graph
from haustra.lab.training.quality.networks import Lite, QualityNetwork

SHIPPED = "shipped"


def load_start(start: Path, network: QualityNetwork) -> None:
    """`start`: "shipped", a quality_lite.onnx, or checkpoint.safetensors of another run."""
    path = shipped("quality_lite") if str(start) == SHIPPED else start
    if path.suffix != ".onnx":
        load_weights(path, {"model": network})
        return
    if not isinstance(network, Lite):
        raise HaustraError(f"{path.name} holds the small network: it goes with --network lite alone")
    _put(path, read_graph(path), network)


@torch.no_grad()
def _put(path: Path, graph: GraphProto, network: Lite) -> None:
    """The export fused every batch norm into the convolution before it: the fused weights are kept, and the norm starts
    as identity plus the remaining bias."""
    values = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
    convolutions = [node for node in graph.node if node.op_type == "Conv"]
    names = [node.name.removeprefix("/network/").removesuffix("/Conv").replace("/", ".") for node in convolutions]
    inputs = {name: list(node.input)[1:] for name, node in zip(names, convolutions, strict=True)}
    for name, convolution in network.named_modules():
        if not isinstance(convolution, nn.Conv2d):
            continue
        found = [values[key] for key in inputs.get(name, ()) if key in values]
        if len(found) != 2 or found[0].shape != convolution.weight.shape:
            raise HaustraError(f"{path} does not fit the small network: '{name}' is missing or has another shape")
        convolution.weight.copy_(found[0])
        bias = _norm_after(network, name).bias if convolution.bias is None else convolution.bias
        bias.copy_(found[1])


def _norm_after(network: Lite, name: str) -> nn.BatchNorm2d:
    """The batch norm after a convolution, reset to identity."""
    owner, _, own = name.rpartition(".")
    norms = {"_conv_stem": "_bn0", "_conv_head": "_bn1", "_expand_conv": "_bn0", "_depthwise_conv": "_bn1"}
    norm = network.get_submodule(f"{owner}.{norms.get(own, '_bn2')}")
    assert isinstance(norm, nn.BatchNorm2d)
    norm.reset_running_stats()  # mean 0, variance 1
    norm.weight.fill_(math.sqrt(1.0 + norm.eps))
    return norm
