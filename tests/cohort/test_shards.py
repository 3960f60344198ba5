"""Shards of an array: who takes which recordings."""

from __future__ import annotations

import pytest

from haustra.cohort.shards import Shard, find_shard
from haustra.core.errors import HaustraError


@pytest.mark.parametrize("count", [1, 2, 4, 7, 30])
def test_shards_share_everything_out_once(count: int) -> None:
    entries = list(range(23))
    parts = [Shard(number, count).of(entries) for number in range(1, count + 1)]
    assert sorted(entry for part in parts for entry in part) == entries
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def slurm(task: int, first: int, last: int, step: int = 1, count: int | None = None) -> dict[str, str]:
    names = ("ID", "MIN", "MAX", "STEP", "COUNT")
    values = (task, first, last, step, (last - first) // step + 1 if count is None else count)
    return {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in zip(names, values, strict=True)}


@pytest.mark.parametrize(
    ("given", "environment", "wanted"),
    [
        (None, {}, None),
        ("3/16", {}, Shard(3, 16)),
        ("3/16", slurm(1, 1, 4), Shard(3, 16)),
        (None, slurm(0, 0, 3), Shard(1, 4)),
        (None, slurm(4, 1, 4), Shard(4, 4)),
        (None, slurm(20, 10, 40, step=10), Shard(2, 4)),
        ("auto/8", {"JOB_COMPLETION_INDEX": "7"}, Shard(8, 8)),
        ("auto/4", slurm(2, 1, 4), Shard(2, 4)),
    ],
)
def test_the_shard_is_given_or_told_by_the_batch_system(
    given: str | None, environment: dict[str, str], wanted: Shard | None
) -> None:
    assert find_shard(given, environment) == wanted


@pytest.mark.parametrize(
    ("given", "environment", "complaint"),
    [
        ("0/4", {}, "no shard 0 of 4"),
        ("5/4", {}, "no shard 5 of 4"),
        ("half", {}, "'half' is not a shard"),
        ("auto/4", {}, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX"),
        (None, {"JOB_COMPLETION_INDEX": "0"}, "give --shard auto/N"),
        (None, slurm(7, 3, 7, count=2), "have holes"),
        (None, {"SLURM_ARRAY_TASK_ID": "1"}, "SLURM_ARRAY_TASK_COUNT is not set"),
    ],
)
def test_what_cannot_be_a_shard_is_one_line(given: str | None, environment: dict[str, str], complaint: str) -> None:
    with pytest.raises(HaustraError, match=complaint):
        find_shard(given, environment)
