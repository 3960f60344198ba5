"""Trained networks leave as ONNX files that say what they are, checked against torch before they are kept."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from haustra.errors import HaustraError
from haustra.files import replacing
from haustra.onnx_models import METADATA_KEY

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
    """Write `module` with a free batch size and `metadata` inside; return the largest difference from torch.

    `free_size`: height and width are free as well.

    The difference is relative to the largest output; above `tolerance` nothing is written and an error says so.
    """
    module = module.eval().cpu()
    examples = [example.detach().cpu() for example in examples]
    axes = {0: "batch", 2: "height", 3: "width"} if free_size else {0: "batch"}
    with replacing(path) as temporary:
        with warnings.catch_warnings(), torch.no_grad():
            # The newer exporter needs one more package and gives the same graph for these plain networks.
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
        difference = compare_with_onnx(module, examples, temporary)
        if not difference <= tolerance:
            raise HaustraError(f"the exported {path.name} differs from the trained network by {difference:.2g}")
    return difference


def compare_with_onnx(module: nn.Module, examples: Sequence[torch.Tensor], path: Path) -> float:
    """Largest difference of the outputs, relative to the largest value; also with another batch size than exported."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
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


def _write_metadata(path: Path, metadata: Mapping[str, Any]) -> None:
    import onnx

    model = onnx.load(str(path))
    entry = model.metadata_props.add()
    entry.key, entry.value = METADATA_KEY, json.dumps(dict(metadata))
    onnx.save(model, str(path))
