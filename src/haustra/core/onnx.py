"""Trained networks as ONNX files: what each one is stands inside the file, and is checked when it is opened."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError

METADATA_KEY = "haustra"
# Pictures a network is given at once: few enough for its activations to stay in the cache. Which pictures share a batch
# does not change their results.
BATCH = 8


class OnnxModel:
    """An ONNX Runtime session with its `metadata`; arrays in, arrays out, in the order of the file."""

    def __init__(self, session: Any, metadata: dict[str, Any]) -> None:
        self._session = session
        self._inputs = [value.name for value in session.get_inputs()]
        self.outputs = [str(value.name) for value in session.get_outputs()]
        self.metadata = metadata

    def run(self, *arrays: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        feed = dict(zip(self._inputs, (np.ascontiguousarray(a, np.float32) for a in arrays), strict=True))
        return list(self._session.run(None, feed))


def onnx_runtime() -> ModuleType:
    """ONNX Runtime with its telemetry off: nothing about a recording leaves the machine. No other import is allowed.

    From 1.29 on it looks up a host and keeps records under the home folder as soon as it is imported, unless the
    variable is set before; Windows builds know the call instead.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    onnxruntime = importlib.import_module("onnxruntime")
    onnxruntime.disable_telemetry_events()
    return onnxruntime


def batches(items: Sequence[Any] | NDArray[Any]) -> list[Any]:
    """`items` in slices of at most BATCH."""
    return [items[start : start + BATCH] for start in range(0, len(items), BATCH)]


def shipped(name: str) -> Path:
    """The model `name` that comes with the package."""
    with as_file(files("haustra") / "weights" / f"{name}.onnx") as path:
        if not path.is_file():
            raise HaustraError(f"this installation has no model '{name}': give a file made by `haustra train`")
        return path


def open_model(path: Path, *, task: str, threads: int = 1) -> OnnxModel:
    """Open `path` for inference on `threads` cores; it must have been made by us for `task`."""
    onnxruntime = onnx_runtime()
    if not path.is_file():
        raise HaustraError(f"no such model file: {path}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises many types for a file that is not a model
        raise HaustraError(f"{path} is not an ONNX model that can be opened here") from error
    metadata = _metadata(path, session)
    if metadata.get("task") != task:
        raise HaustraError(f"{path} is a model for '{metadata.get('task')}', here one for '{task}' is needed")
    return OnnxModel(session, metadata)


def _metadata(path: Path, session: Any) -> dict[str, Any]:
    text = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
    if text is None:
        raise HaustraError(f"{path} was not made by `haustra train`: it does not say what it is")
    return dict(json.loads(text))
