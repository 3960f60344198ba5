"""Which seeds belong to whom: colons to train on and colons to test on are never the same.

A recording or a cohort draws its colon from a seed below `TRAINING`, a shard of training pairs from one above it. Both
once counted from the user's seed, 100,000 and 100,003 apart, and met: see docs/motion.md.
"""

from __future__ import annotations

from haustra.errors import HaustraError

TRAINING = 2**60
COLONS_PER_SEED = 2**20


def training_seed(seed: int, index: int) -> int:
    """Seed of the world of shard `index` of the training pairs with `seed`."""
    if not 0 <= seed < COLONS_PER_SEED or not 0 <= index < COLONS_PER_SEED:
        raise HaustraError(f"seed {seed}, colon {index}: both must be from 0 to {COLONS_PER_SEED - 1}")
    return TRAINING + seed * COLONS_PER_SEED + index


def check_recording_seed(seed: int) -> None:
    """A recording may be a test recording: its seed must not be one that networks are trained with."""
    if not 0 <= seed < TRAINING:
        raise HaustraError(f"the seed is {seed}: give a whole number from 0 to {TRAINING - 1}")
