"""Shards of an array of batch jobs: every N-th recording, chosen by `--shard i/N` or by the batch system."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from haustra.core.errors import HaustraError

SLURM, KUBERNETES = "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"
_SHARD = re.compile(r"(?P<number>\d+|auto)/(?P<count>\d+)", re.ASCII)
_T = TypeVar("_T")


@dataclass(frozen=True)
class Shard:
    """The `number`-th of `count` parts, counted from 1."""

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise HaustraError(f"there is no shard {self.number} of {self.count}: count from 1/{self.count}")

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def of(self, entries: Sequence[_T]) -> list[_T]:
        """Every `count`-th entry: neighbours in a list tend to have similar lengths, so shards do, too."""
        return list(entries[self.number - 1 :: self.count])


def find_shard(given: str | None, environment: Mapping[str, str]) -> Shard | None:
    """The shard that was given, else that of the batch system's array, else None: everything.

    `auto/N` takes the number from the batch system and the count from the user: Kubernetes tells only the former.
    """
    if given is None:
        return _slurm(environment) if SLURM in environment else _kubernetes(environment)
    match = _SHARD.fullmatch(given.strip())
    if match is None:
        raise HaustraError(f"'{given}' is not a shard: write i/N, such as 3/16, or auto/N in an array of batch jobs")
    count = int(match["count"])
    return Shard(_position(environment) + 1 if match["number"] == "auto" else int(match["number"]), count)


def _slurm(environment: Mapping[str, str]) -> Shard:
    count = _number(environment, "SLURM_ARRAY_TASK_COUNT")
    last = _number(environment, "SLURM_ARRAY_TASK_MAX", default=_number(environment, SLURM))
    position = _position(environment)
    first = _number(environment, "SLURM_ARRAY_TASK_MIN", default=0)
    step = _number(environment, "SLURM_ARRAY_TASK_STEP", default=1)
    if (last - first) // step + 1 > count:
        raise HaustraError(f"the indices of this Slurm array have holes ({count} tasks up to {last}): give --shard i/N")
    return Shard(position + 1, count)


def _kubernetes(environment: Mapping[str, str]) -> Shard | None:
    if KUBERNETES in environment:
        raise HaustraError(f"{KUBERNETES} is set, but Kubernetes does not say of how many: give --shard auto/N")
    return None


def _position(environment: Mapping[str, str]) -> int:
    """Position in the array, from 0."""
    if SLURM in environment:
        first = _number(environment, "SLURM_ARRAY_TASK_MIN", default=0)
        return (_number(environment, SLURM) - first) // _number(environment, "SLURM_ARRAY_TASK_STEP", default=1)
    if KUBERNETES in environment:
        return _number(environment, KUBERNETES)
    raise HaustraError(f"neither {SLURM} nor {KUBERNETES} is set: write --shard i/N with a number for i")


def _number(environment: Mapping[str, str], name: str, default: int | None = None) -> int:
    text = environment.get(name)
    if text is None and default is not None:
        return default
    if text is None or not text.isdecimal():
        raise HaustraError(f"{name} is {'not set' if text is None else repr(text)}: give --shard i/N")
    return int(text)
