"""Checkpoints of a training run: safetensors only, written atomically, enough to resume at the same step.

Batches are drawn from `step_rng(seed, step, rank)`, not from a generator with state: a resumed run sees the same
batches as an uninterrupted one, and no generator state has to be saved.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from msgspec import Meta
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from haustra.core.errors import HaustraError, first_line
from haustra.core.files import replacing
from haustra.core.records import as_record

CHECKPOINT_NAME = "checkpoint.safetensors"


@dataclass(frozen=True)
class Resumed:
    """Where a run resumes: the step of the checkpoint, and the trainer's own values."""

    step: int
    extra: dict[str, Any]


@dataclass(frozen=True)
class _Header:
    """What a checkpoint says beside its tensors."""

    step: Annotated[int, Meta(ge=0)]
    groups: list[dict[str, Any]]
    scalars: dict[str, Any]
    extra: dict[str, Any]


def step_rng(seed: int, step: int, rank: int = 0) -> np.random.Generator:
    """Random generator of one step of one process."""
    return np.random.default_rng((seed, step, rank))


def save_checkpoint(
    path: Path,
    modules: Mapping[str, nn.Module],
    optimizer: torch.optim.Optimizer,
    step: int,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Write weights, optimiser state, step and `extra` (anything JSON holds) to one file."""
    tensors = {f"{name}.{key}": value for name, module in modules.items() for key, value in module.state_dict().items()}
    state = optimizer.state_dict()
    scalars: dict[str, Any] = {}
    for index, values in state["state"].items():
        for key, value in values.items():
            if isinstance(value, torch.Tensor):
                tensors[f"optimizer.{index}.{key}"] = value
            else:
                scalars[f"{index}.{key}"] = value
    header = {"step": step, "groups": state["param_groups"], "scalars": scalars, "extra": dict(extra or {})}
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as temporary:
        save_file(contiguous, temporary, metadata={"haustra": json.dumps(header)})


def load_checkpoint(path: Path, modules: Mapping[str, nn.Module], optimizer: torch.optim.Optimizer) -> Resumed:
    """Restore modules and optimiser from a checkpoint."""
    tensors, metadata = _read(path)
    if "haustra" not in metadata:
        raise HaustraError(f"{path} has weights but no training state: it cannot be resumed")
    try:
        header = as_record(json.loads(metadata["haustra"]), _Header, path)
        state = _optimizer_state(tensors, header.scalars)
        put_weights(path, tensors, modules)
        optimizer.load_state_dict({"state": state, "param_groups": header.groups})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise HaustraError(f"{path} has no training state of this optimiser: {first_line(error)}") from error
    return Resumed(header.step, header.extra)


def _optimizer_state(tensors: Mapping[str, torch.Tensor], scalars: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
    """By the number of the parameter."""
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, index, key = name.split(".", 2)
            state.setdefault(int(index), {})[key] = tensor
    for name, value in scalars.items():
        index, key = name.split(".", 1)
        state.setdefault(int(index), {})[key] = value
    return state


def save_weights(path: Path, modules: Mapping[str, nn.Module]) -> None:
    """Weights alone, under the same names as in a checkpoint."""
    tensors = {
        f"{name}.{key}": value.detach().cpu().contiguous()
        for name, module in modules.items()
        for key, value in module.state_dict().items()
    }
    with replacing(path) as temporary:
        save_file(tensors, temporary)


def load_weights(path: Path, modules: Mapping[str, nn.Module]) -> None:
    """Load weights from `save_weights` or from a checkpoint (without its optimiser), for fine-tuning."""
    put_weights(path, _read(path)[0], modules)


def _read(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except FileNotFoundError as error:
        raise HaustraError(f"no such file: {path}") from error
    except (OSError, SafetensorError) as error:
        raise HaustraError(f"{path} is not a safetensors file: {error}") from error


def put_weights(path: Path, tensors: Mapping[str, torch.Tensor], modules: Mapping[str, nn.Module]) -> None:
    """Load `tensors` of the file `path`, named as by `save_weights`, into `modules`."""
    for name, module in modules.items():
        prefix = f"{name}."
        own = {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}
        try:
            module.load_state_dict(own)
        except RuntimeError as error:
            reason = str(error).splitlines()[1 if "\n" in str(error) else 0].strip()
            raise HaustraError(f"{path} does not fit the {name} network of this configuration: {reason}") from error
