"""Export of trained networks to ONNX with metadata, checked against torch before the file is kept."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from haustra.core.errors import HaustraError
from haustra.core.files import replacing
from haustra.core.onnx import METADATA_KEY, onnx_runtime

if TYPE_CHECKING:
    import onnx

OPSET = 17


def export_onnx(
    module: nn.Module,
    examples: Sequence[torch.Tensor],
    path: Path,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
    metadata: Mapping[str, Any],
    free_size: bool = False,
    opset: int = OPSET,
    tolerance: float = 1e-4,
) -> float:
    """Write `module` with dynamic batch size and `metadata`; return the largest difference from torch.

    `free_size`: height and width are dynamic as well. The difference is relative to the largest output; above
    `tolerance` nothing is written and an error is raised.
    """
    module = module.eval().cpu()
    examples = [example.detach().cpu() for example in examples]
    axes = {0: "batch", 2: "height", 3: "width"} if free_size else {0: "batch"}
    with replacing(path) as temporary:
        with warnings.catch_warnings(), torch.no_grad():
            # The newer exporter needs another package and gives the same graph for these plain networks.
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                tuple(examples),
                str(temporary),
                dynamo=False,
                input_names=list(inputs),
                output_names=list(outputs),
                dynamic_axes=dict.fromkeys((*inputs, *outputs), axes),
                opset_version=opset,
            )
        _write_metadata(temporary, metadata)
        fold_pads(temporary)
        difference = compare_with_onnx(module, examples, temporary)
        if not difference <= tolerance:
            raise HaustraError(f"the exported {path.name} differs from the trained network by {difference:.2g}")
    return difference


def compare_with_onnx(module: nn.Module, examples: Sequence[torch.Tensor], path: Path) -> float:
    """Largest difference of the outputs relative to the largest value; also for another batch size than exported."""
    session = onnx_runtime().InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    worst = 0.0
    for repeat in (1, 3):
        batch = [torch.cat([example] * repeat) for example in examples]
        with torch.no_grad():
            expected = module(*batch)
        expected = expected if isinstance(expected, tuple) else (expected,)
        found = session.run(None, {name: value.numpy() for name, value in zip(names, batch, strict=True)})
        for want, have in zip(expected, found, strict=True):
            scale = max(float(want.abs().max()), 1e-6)
            worst = max(worst, float(np.abs(want.numpy() - have).max()) / scale)
    return worst


def read_graph(path: Path) -> onnx.GraphProto:
    """The graph of an exported network, with its weights."""
    import onnx
    from google.protobuf.message import DecodeError

    try:
        return onnx.load(path, load_external_data=False).graph
    except FileNotFoundError as error:
        raise HaustraError(f"no such file: {path}") from error
    except (OSError, DecodeError) as error:
        raise HaustraError(f"{path} is not an ONNX file that can be read") from error


def fold_pads(path: Path) -> None:
    """Fold paddings into the convolution that follows. The exporter computes them in the graph, where ONNX Runtime does
    not see that they are constant: each then costs a copy of the whole map (a fifth of EfficientNet's time)."""
    import onnx

    model = onnx.load(str(path))
    if not any(node.op_type == "Pad" for node in model.graph.node):
        return
    folded = _with_constants(path)
    readers = {name: node for node in folded.graph.node for name in node.input}
    values = {value.name: onnx.numpy_helper.to_array(value) for value in folded.graph.initializer}
    for pad in [node for node in folded.graph.node if node.op_type == "Pad"]:
        convolution, pads = readers[pad.output[0]], values.get(pad.input[1])
        if convolution.op_type != "Conv" or pads is None or len(pads) != 8:
            continue
        attribute = next(a for a in convolution.attribute if a.name == "pads")
        both = np.array(attribute.ints) + pads[[2, 3, 6, 7]]
        attribute.ints[:] = both.tolist()
        convolution.input[0] = pad.input[0]
        folded.graph.node.remove(pad)
    used = {name for node in folded.graph.node for name in node.input}
    for value in [value for value in folded.graph.initializer if value.name not in used]:
        folded.graph.initializer.remove(value)
    del folded.opset_import[:]
    folded.opset_import.extend(model.opset_import)
    onnx.save(folded, str(path))


def _with_constants(path: Path) -> Any:
    """The model with constants folded."""
    import onnx

    onnxruntime = onnx_runtime()
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(Path(folder) / "model.onnx")
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


def _write_metadata(path: Path, metadata: Mapping[str, Any]) -> None:
    import onnx

    model = onnx.load(str(path))
    entry = model.metadata_props.add()
    entry.key, entry.value = METADATA_KEY, json.dumps(dict(metadata))
    onnx.save(model, str(path))
