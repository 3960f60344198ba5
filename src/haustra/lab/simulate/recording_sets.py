"""The sets of recordings that the location estimate is fitted on and judged by, each from its own range of seeds.

Lengths and the time in each segment are drawn as in 48 real withdrawals (`operator_style.REAL_PACE`); every recording
has its own body, mucosa, lens and operator, and every second one a wall that moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haustra.core.errors import HaustraError
from haustra.lab.simulate.courses import CourseName
from haustra.lab.simulate.operator_style import REAL_PACE
from haustra.lab.simulate.seeds import SET_NAMES, SetName, set_seed
from haustra.lab.simulate.simulated_cohort import Member
from haustra.lab.simulate.simulated_recording import Settings
from haustra.lab.simulate.wide import WorldName

REAL_MEAN_S = 374.0  # of the 48 withdrawals: median 338 s, standard deviation of the logarithm 0.449


@dataclass(frozen=True)
class Kind:
    """Recordings of one kind in a set: how many, in which world, how long (seconds, real lengths clipped to it)."""

    name: str
    count: int
    seconds: tuple[float, float]
    world: WorldName = "wide"
    course: CourseName | None = None
    rate_hz: float = 15.0
    spoilt: float | None = None
    slip: tuple[float, float] | None = None
    size: tuple[int, int] = (320, 256)


TUNING = (
    Kind("plain", 5, (90, 180), world="plain"),
    Kind("wide", 8, (120, 240)),
    Kind("laid", 4, (120, 240), course="laid"),
    Kind("hurried", 5, (45, 60)),
    Kind("spoilt", 4, (90, 180), spoilt=0.5),
    Kind("30hz", 4, (60, 120), rate_hz=30.0),
)
HELDOUT = (
    Kind("wide", 12, (120, 600)),
    Kind("laid", 8, (120, 600), course="laid"),
    Kind("30hz", 6, (120, 300), rate_hz=30.0),
    Kind("hurried", 6, (60, 60)),
    Kind("spoilt", 5, (120, 300), spoilt=0.5),
    Kind("plain", 5, (120, 300), world="plain"),
)
SLIPS = (
    Kind("varied", 28, (80, 160), slip=(0.05, 0.20), size=(256, 256)),
    Kind("laid", 12, (80, 160), course="laid", slip=(0.05, 0.20), size=(256, 256)),
)
PLANS: dict[SetName, tuple[Kind, ...]] = {"tuning": TUNING, "heldout": HELDOUT, "slips": SLIPS}


def plan_set(name: str) -> list[Member]:
    """The members of a set, kinds in turn, so that the first of them are already a mixture."""
    known = next((n for n in SET_NAMES if n == name), None)
    if known is None or known not in PLANS:
        raise HaustraError(f"no set '{name}' to make: choose one of {', '.join(PLANS)}")
    turns = sorted((k / kind.count, place, k) for place, kind in enumerate(PLANS[known]) for k in range(kind.count))
    members = []
    for index, (_, place, k) in enumerate(turns):
        kind = PLANS[known][place]
        members.append(Member(f"{kind.name}-{k + 1:02d}", kind.name, _settings(kind, set_seed(known, index), k)))
    return members


def _settings(kind: Kind, seed: int, number: int) -> Settings:
    rng = np.random.default_rng([seed, 940])
    low, high = kind.seconds
    seconds = _between(rng, low, high)
    slip = None if kind.slip is None else round(float(rng.uniform(*kind.slip)), 3)
    width, height = kind.size
    return Settings(
        seed, round(seconds, 1), width, height, kind.rate_hz, wall_motion=number % 2 == 1, world=kind.world,
        course=kind.course, spoilt=kind.spoilt, slip=slip,
    )  # fmt: skip


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    """A real withdrawal's length when it lies in the range, else evenly in it: ranges below real lengths are few."""
    drawn = REAL_MEAN_S * REAL_PACE.duration_share(rng)
    return drawn if low <= drawn <= high else float(rng.uniform(low, high))
