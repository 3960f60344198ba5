"""Several training processes (torchrun) and the device of each; one process on a CPU needs none of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import distributed, nn


@dataclass(frozen=True)
class Place:
    """Which process this is, of how many, and where its tensors live."""

    rank: int
    world: int
    device: torch.device

    @property
    def first(self) -> bool:
        return self.rank == 0


@contextmanager
def training_place() -> Iterator[Place]:
    """Join the group that torchrun announces (gloo on CPU, nccl on CUDA) for the time of the block."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    rank = int(os.environ.get("RANK", "0"))
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if cuda else torch.device("cpu")
    if world > 1:
        distributed.init_process_group("nccl" if cuda else "gloo")
    try:
        yield Place(rank, world, device)
    finally:
        if world > 1:
            distributed.destroy_process_group()


def average_gradients(module: nn.Module, place: Place) -> None:
    """Mean of the gradients over all processes; every process must have computed its own."""
    if place.world == 1:
        return
    gradients = [parameter.grad for parameter in module.parameters() if parameter.grad is not None]
    flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
    distributed.all_reduce(flat)
    flat /= place.world
    start = 0
    for gradient in gradients:
        gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
        start += gradient.numel()


def agree(flag: bool, place: Place) -> bool:
    """True everywhere when it is true in the first process: all processes must stop at the same step."""
    if place.world == 1:
        return flag
    value = torch.tensor([int(flag)], device=place.device)
    distributed.broadcast(value, 0)
    return bool(value.item())
