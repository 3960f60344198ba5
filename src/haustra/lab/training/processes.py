"""Distributed training (torchrun) and the device of each process; a single CPU process needs none of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import distributed, nn

# The others wait while the first prepares frame pairs, which may take hours.
LONGEST_WAIT = timedelta(days=2)


@dataclass(frozen=True)
class Place:
    """Rank of this process, world size, and its device."""

    rank: int
    world: int
    device: torch.device

    @property
    def first(self) -> bool:
        return self.rank == 0


@contextmanager
def training_place() -> Iterator[Place]:
    """Join torchrun's process group (gloo on CPU, nccl on CUDA) for the duration of the outermost such block."""
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
    """The first process runs the block alone; the others run it afterwards and find its files on disk."""
    if not place.first:
        distributed.barrier()
    yield
    if place.first and place.world > 1:
        distributed.barrier()


def average_gradients(module: nn.Module, place: Place) -> None:
    """Average the gradients over all processes."""
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
    """The first process's value in all processes, which must take the same decisions."""
    if place.world == 1:
        return value
    shared = torch.tensor([value], dtype=torch.float64, device=place.device)
    distributed.broadcast(shared, 0)
    return float(shared.item())
