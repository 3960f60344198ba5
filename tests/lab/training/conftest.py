"""A few simulated frame pairs, made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from haustra.lab.training.motion.pairs import PairSet, find_shards
from haustra.lab.training.motion.simulated_pairs import PairPlan, make_pairs


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def pairs_folder(once: Callable[..., Path]) -> Path:
    return once("pairs", lambda folder: make_pairs(folder, PairPlan(2, clips=4, seed=3), quiet=True))


@pytest.fixture(scope="session")
def pairs(pairs_folder: Path) -> PairSet:
    return PairSet(find_shards(pairs_folder))
