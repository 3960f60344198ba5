"""Amount of rendering, training and evaluation: `small` takes minutes, `full` takes hours."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

# A cohort whose colons no shipped network was trained on (their seeds start at 0 and 100,003).
COHORT_SEED = 41


@dataclass(frozen=True)
class Scale:
    """Recordings of `side` pixels: `train`, `validation` and `test` are of Set 1, `stills` of the classifier's test.

    `steps` of `batch` pairs is the budget of every network, `width` the rivals' share of their published layer widths;
    the rows of learnt methods are trained with all `seeds`, the ablations with the first.
    """

    name: str
    side: int
    train: int
    validation: int
    test: int
    set2: int
    set3: int
    motion_s: float
    place_s: float
    stills: int
    stills_s: float
    steps: int
    batch: int
    width: float
    lr: float
    seeds: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "seeds": list(self.seeds)}

    @property
    def budget(self) -> str:
        """Note below tables of trained networks."""
        return f"seed {self.seeds[0]}, {self.steps} steps of {self.batch} pairs on {self.train} recordings"


# 24 s at 128 px was tried for `small`: at 4 mm per frame the location is worse than the time index.
SCALES = {
    "small": Scale(
        "small", side=160, train=3, validation=1, test=3, set2=4, set3=10, motion_s=60.0, place_s=90.0,
        stills=4, stills_s=60.0, steps=60, batch=8, width=0.125, lr=5e-4, seeds=(0,),
    ),
    "full": Scale(
        "full", side=256, train=10, validation=3, test=3, set2=18, set3=10, motion_s=90.0, place_s=180.0,
        stills=10, stills_s=300.0, steps=2000, batch=8, width=0.25, lr=5e-4, seeds=(0, 1, 2),
    ),
}  # fmt: skip
