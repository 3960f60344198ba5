"""Several training processes (torchrun) and the device of each; one process on a CPU needs none of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import distributed, nn

# The others wait while the first prepares frame pairs, which may take a night.
LONGEST_WAIT = timedelta(days=2)


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
    """Join the group that torchrun announces (gloo on CPU, nccl on CUDA) for the time of the outermost such block."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    rank = int(os.environ.get("RANK", "0"))
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if cuda else torch.device("cpu")
    joins = world > 1 and not distributed.is_initialized()
    if joins:
        distributed.init_process_group("nccl" if cuda else "gloo", timeout=LONGEST_WAIT)
    try:
        yield Place(rank, world, device)
    finally:
        if joins:
            distributed.destroy_process_group()


@contextmanager
def first_before_others(place: Place) -> Iterator[None]:
    """The first process runs the block alone; the others run it afterwards and find on disk what it has left."""
    if not place.first:
        distributed.barrier()
    yield
    if place.first and place.world > 1:
        distributed.barrier()


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


def of_first(value: float, place: Place) -> float:
    """The first process's value, everywhere: all processes must take the same turns and stop at the same step."""
    if place.world == 1:
        return value
    shared = torch.tensor([value], dtype=torch.float64, device=place.device)
    distributed.broadcast(shared, 0)
    return float(shared.item())
