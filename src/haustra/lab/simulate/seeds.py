"""Which seeds belong to whom: what is trained on, tuned on, held out and kept for the proof never share a colon.

Seeds below `TRAINING` are free: single recordings and cohorts draw their colons from them. Above it every purpose has a
range of its own, and the functions here are the only way into one. Recordings and training pairs once counted from the
user's seed, 100,000 and 100,003 apart, and met: see docs/concepts/simulator.md.
"""

from __future__ import annotations

from typing import Literal, get_args

from haustra.core.errors import HaustraError

TRAINING = 2**60
COLONS_PER_SEED = 2**20
SETS = 2**61
SEEDS_PER_SET = 2**32
# tuning: parameters are fitted on it. heldout: judges what was fitted. slips: recordings with a made slip in a gap.
# proof: located once, after every parameter is frozen (benchmarks.proof).
SetName = Literal["tuning", "heldout", "slips", "proof"]
SET_NAMES: tuple[SetName, ...] = get_args(SetName)


def training_seed(seed: int, index: int) -> int:
    """Seed of the world of shard `index` of the training pairs with `seed`."""
    if not 0 <= seed < COLONS_PER_SEED or not 0 <= index < COLONS_PER_SEED:
        raise HaustraError(f"seed {seed}, colon {index}: both must be from 0 to {COLONS_PER_SEED - 1}")
    return TRAINING + seed * COLONS_PER_SEED + index


def set_seed(name: SetName, index: int) -> int:
    """Seed of recording `index` of a set."""
    if not 0 <= index < SEEDS_PER_SET:
        raise HaustraError(f"recording {index} of a set: give a number from 0 to {SEEDS_PER_SET - 1}")
    return SETS + SET_NAMES.index(name) * SEEDS_PER_SET + index


def set_of(seed: int) -> SetName | None:
    """The set whose range holds the seed, None for any other seed."""
    place = (seed - SETS) // SEEDS_PER_SET
    return SET_NAMES[place] if 0 <= place < len(SET_NAMES) else None


def check_free_seed(seed: int) -> None:
    """A seed that a user gives must not be one of those that are reserved."""
    if not 0 <= seed < TRAINING:
        raise HaustraError(f"the seed is {seed}: give a whole number from 0 to {TRAINING - 1}")


def check_recording_seed(seed: int) -> None:
    """A recording may be a test recording: its seed must not be one that networks are trained with."""
    if set_of(seed) is None:
        check_free_seed(seed)
