"""The sets of recordings that the location estimate is fitted on, judged and proved by, each with its own seeds.

Lengths and the time in each segment are drawn as in 48 real withdrawals (`operator_style.REAL_PACE`); every recording
has its own body, mucosa, lens and operator, and every second one a wall that moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from haustra.core.errors import HaustraError
from haustra.lab.simulate.courses import CourseName
from haustra.lab.simulate.operator_style import REAL_PACE
from haustra.lab.simulate.recorder import Recorder
from haustra.lab.simulate.seeds import SET_NAMES, SetName, set_seed
from haustra.lab.simulate.simulated_cohort import Member
from haustra.lab.simulate.simulated_recording import Settings
from haustra.lab.simulate.wide import WorldName

REAL_MEAN_S = 374.0  # of the 48 withdrawals: median 338 s, standard deviation of the logarithm 0.449


@dataclass(frozen=True)
class Kind:
    """Recordings of one kind in a set: how many, in which world, how long (seconds, real lengths clipped to it).

    Frame rates come in turn. `insertion`: seconds of it, at least and at most; `part`: what share of the withdrawal's
    time is recorded.
    """

    name: str
    count: int
    seconds: tuple[float, float]
    world: WorldName = "wide"
    course: CourseName | None = None
    rates_hz: tuple[float, ...] = (15.0,)
    spoilt: float | None = None
    slip: tuple[float, float] | None = None
    insertion: tuple[float, float] | None = None
    part: tuple[float, float] | None = None
    size: tuple[int, int] = (320, 256)


TUNING = (
    Kind("plain", 5, (90, 180), world="plain"),
    Kind("wide", 8, (120, 240)),
    Kind("laid", 4, (120, 240), course="laid"),
    Kind("hurried", 5, (45, 60)),
    Kind("spoilt", 4, (90, 180), spoilt=0.5),
    Kind("30hz", 4, (60, 120), rates_hz=(30.0,)),
)
HELDOUT = (
    Kind("wide", 12, (120, 600)),
    Kind("laid", 8, (120, 600), course="laid"),
    Kind("30hz", 6, (120, 300), rates_hz=(30.0,)),
    Kind("hurried", 6, (60, 60)),
    Kind("spoilt", 5, (120, 300), spoilt=0.5),
    Kind("plain", 5, (120, 300), world="plain"),
)
SLIPS = (
    Kind("varied", 28, (80, 160), slip=(0.05, 0.20), size=(256, 256)),
    Kind("laid", 12, (80, 160), course="laid", slip=(0.05, 0.20), size=(256, 256)),
)
# Withdrawals of real length are the first four kinds: 24 of them, 8 at 25 to 60 frames a second.
PROOF = (
    Kind("varied", 8, (180, 720)),
    Kind("laid", 8, (180, 720), course="laid"),
    Kind("fast", 4, (180, 720), rates_hz=(25.0, 30.0, 50.0, 30.0)),
    Kind("laid-fast", 4, (180, 720), course="laid", rates_hz=(30.0, 25.0, 25.0, 60.0)),
    Kind("hurried", 8, (45, 75)),
    Kind("insertion", 8, (180, 420), insertion=(60, 180)),
    Kind("partial", 8, (180, 600), part=(0.15, 0.6)),
)
PLANS: dict[SetName, tuple[Kind, ...]] = {"tuning": TUNING, "heldout": HELDOUT, "slips": SLIPS, "proof": PROOF}
# Recorders of the proof, in turn: lines, and whether they are interlaced. Bits a pixel are drawn.
RECORDERS: tuple[tuple[int | None, bool], ...] = (
    (None, False),
    (720, False),
    (576, True),
    (None, False),
    (1080, False),
)
BITS_PER_PIXEL = (0.1, 0.3)


def plan_set(name: str) -> list[Member]:
    """The members of a set, kinds in turn, so that the first of them are already a mixture."""
    known = next((n for n in SET_NAMES if n == name), None)
    if known is None:
        raise HaustraError(f"no set '{name}' to make: choose one of {', '.join(PLANS)}")
    turns = sorted((k / kind.count, place, k) for place, kind in enumerate(PLANS[known]) for k in range(kind.count))
    members = []
    for index, (_, place, k) in enumerate(turns):
        kind = PLANS[known][place]
        settings = _settings(kind, set_seed(known, index), k)
        if known == "proof":
            settings = replace(settings, recorder=_recorder(settings.seed, index))
        members.append(Member(f"{kind.name}-{k + 1:02d}", kind.name, settings))
    return members


def _settings(kind: Kind, seed: int, number: int) -> Settings:
    rng = np.random.default_rng([seed, 940])
    low, high = kind.seconds
    seconds = _between(rng, low, high)
    slip = None if kind.slip is None else round(float(rng.uniform(*kind.slip)), 3)
    insertion_s = 0.0 if kind.insertion is None else round(float(rng.uniform(*kind.insertion)), 1)
    width, height = kind.size
    return Settings(
        seed, round(seconds, 1), width, height, kind.rates_hz[number % len(kind.rates_hz)], insertion_s,
        wall_motion=number % 2 == 1, world=kind.world, course=kind.course, spoilt=kind.spoilt, slip=slip,
        part=None if kind.part is None else _part(rng, kind.part),
    )  # fmt: skip


def _part(rng: np.random.Generator, shares: tuple[float, float]) -> tuple[float, float]:
    """A stretch of the withdrawal's time, anywhere in it."""
    share = float(rng.uniform(*shares))
    first = float(rng.uniform(0.0, 1.0 - share))
    return round(first, 3), round(first + share, 3)


def _recorder(seed: int, index: int) -> Recorder:
    lines, interlaced = RECORDERS[index % len(RECORDERS)]
    bits = float(np.random.default_rng([seed, 941]).uniform(*BITS_PER_PIXEL))
    return Recorder(round(bits, 3), lines, interlaced)


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    """A real withdrawal's length when it lies in the range, else evenly in it: ranges below real lengths are few."""
    drawn = REAL_MEAN_S * REAL_PACE.duration_share(rng)
    return drawn if low <= drawn <= high else float(rng.uniform(low, high))
