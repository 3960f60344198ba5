"""Trained networks as ONNX files: what each one is stands inside the file, and is checked when it is opened."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar, get_args, get_type_hints

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from haustra.core.apart import answer, read_apart
from haustra.core.errors import HaustraError, first_line
from haustra.core.records import decode_record

METADATA_KEY = "haustra"
# Pictures a network is given at once: few enough for its activations to stay in the cache. Which pictures share a batch
# does not change their results.
BATCH = 8
MOST_BYTES = 1 << 30
# No output of a sound network is further from zero.
LARGEST_OUTPUT = 1e6
Shape = tuple[int, ...]


class NetworkCard(Struct, frozen=True):
    """What a network says of itself inside its file; each task has its own, with the shapes of inputs and outputs."""

    task: str

    def inputs(self) -> list[Shape]:
        """Shapes of the inputs, without the batch."""
        raise NotImplementedError

    def outputs(self) -> dict[str, Shape]:
        """The same of the outputs that come first, by name."""
        raise NotImplementedError


C = TypeVar("C", bound=NetworkCard)


class OnnxModel(Generic[C]):
    """An ONNX Runtime session with its card; arrays in, arrays out, in the order of the file."""

    def __init__(self, path: Path, session: Any, card: C) -> None:
        self._path, self._session = path, session
        self._inputs = [value.name for value in session.get_inputs()]
        self.outputs = [str(value.name) for value in session.get_outputs()]
        self.card = card

    def run(self, *arrays: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        try:
            feed = dict(zip(self._inputs, (np.ascontiguousarray(a, np.float32) for a in arrays), strict=True))
            return list(self._session.run(None, feed))
        except Exception as error:  # ONNX Runtime raises many types
            raise HaustraError(f"{self._path} cannot be run: {first_line(error)}") from error


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


def open_model(path: Path, kind: type[C], *, threads: int = 1) -> OnnxModel[C]:
    """Open `path` for inference on `threads` cores; it must have been made by us for the task of this kind of card.

    A file that does not come with the package is tried in a process of its own first (`core.apart`).
    """
    if not path.is_file():
        raise HaustraError(f"no such model file: {path}")
    if path.absolute().parent != Path(str(files("haustra") / "weights")):
        found = path.stat()
        _try_apart(path, kind, found.st_size, found.st_mtime_ns)
    return _opened(path, kind, threads)


@cache
def _try_apart(path: Path, kind: type[NetworkCard], *_: int) -> None:
    """Once for a state of the file."""
    read_apart(__name__, path, MOST_BYTES, [kind.__module__, kind.__qualname__])


def _opened(path: Path, kind: type[C], threads: int) -> OnnxModel[C]:
    onnxruntime = onnx_runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what it says comes as an error, too
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        text = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
    except Exception as error:  # ONNX Runtime raises many types for a file that is not a model
        raise HaustraError(f"{path} is not an ONNX model that can be opened here") from error
    if text is None:
        raise HaustraError(f"{path} was not made by `haustra train`: it does not say what it is")
    task = decode_record(text, NetworkCard, path).task
    wanted = get_args(get_type_hints(kind)["task"])[0]
    if task != wanted:
        raise HaustraError(f"{path} is a model for '{task}', here one for '{wanted}' is needed")
    return OnnxModel(path, session, decode_record(text, kind, path))


def _tried(path: Path, kind: type[NetworkCard]) -> dict[str, Any]:
    """Run once on two grey inputs: names, shapes and sizes of the outputs must be those of its card."""
    model = _opened(path, kind, threads=1)
    wanted = model.card.outputs()
    found = model.run(*(np.full((2, *shape), 0.5, np.float32) for shape in model.card.inputs()))
    if model.outputs[: len(wanted)] != list(wanted):
        raise HaustraError(f"{path} has the outputs {', '.join(model.outputs)}: needed is {', '.join(wanted)}")
    for (name, shape), values in zip(wanted.items(), found, strict=False):
        if values.shape != (2, *shape) or not (np.abs(values) <= LARGEST_OUTPUT).all():
            raise HaustraError(f"{path}: the output {name} is not {'x'.join(map(str, shape))} sound numbers")
    return {}


if __name__ == "__main__":
    source, module, name = sys.argv[1:]
    answer(lambda: _tried(Path(source), getattr(importlib.import_module(module), name)))
