"""Non-informative episodes: when they come, of which kind, and the rule that labels a finished frame.

The kinds are those of the paper (fig:image_examples, c to g) and water. A plan says what is done to the scope. The
label comes from the rendered distance and motion and from the finished picture, so that the ramp into an episode keeps
the label it deserves and an accidental view of nothing is labelled too; only water is labelled by its planned degree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.lab.simulate.timeline import Timeline, ramp, stream
from haustra.quality.labelled import KINDS

PLANNED = tuple(kind for kind in KINDS if kind != "outside")
USUAL_WEIGHT = (0.36, 0.25, 0.09, 0.10, 0.20)
# Share of the withdrawal spent in episodes: a little below the 30-60 % wanted, since accidental views add to it.
COVERED = (0.26, 0.43)
COVERED_INSERTION = (0.42, 0.52)
MOST_SPOILT = 0.6  # informative stretches between the episodes need room
SHORTEST_S, LONGEST_S, GAP_S = 0.3, 6.0, 0.35


@dataclass(frozen=True)
class Episode:
    """One planned episode; `azimuth` and `strength` are used by its kind as it needs them."""

    kind: str
    start_s: float
    end_s: float
    edge_s: float
    strength: float
    azimuth: float

    def degree(self, time_s: NDArray[Any] | float) -> FloatArray:
        return ramp(time_s, self.start_s, self.end_s, self.edge_s)


@dataclass(frozen=True)
class Appearance:
    """What the label of a frame is decided from, measured on its rendered truth and its finished picture."""

    water: float
    near_mm: float
    blur: float
    dark: float
    bright: float


def judge(look: Appearance) -> str:
    """The reason why a frame is non-informative, or "" when it is informative.

    `near_mm` is the median distance to the wall, `blur` the median smear as a share of the picture width, `dark` and
    `bright` the shares of the picture without any detail left, `water` the degree to which a film covers the lens.
    """
    if look.water > 0.5:
        return "water"
    if look.dark > 0.85:
        return "underexposed"
    if look.bright > 0.4:
        return "overexposed"
    if look.blur > 0.02:
        return "blur"
    return "wall" if look.near_mm < 11.0 else ""


def plan_episodes(
    seed: int, timeline: Timeline, busy: Sequence[tuple[float, float]] = (), spoilt: float | None = None
) -> tuple[Episode, ...]:
    """Draw the episodes of a recording; none touches the `busy` intervals (biopsies).

    `spoilt` is the share of the withdrawal that they cover, None for the usual.
    """
    if spoilt is not None and not 0 <= spoilt <= MOST_SPOILT:
        raise HaustraError(f"a share of {spoilt:g} cannot be spoilt: give 0 to {MOST_SPOILT:g}")
    rng = stream(seed, "episodes")
    weights = rng.dirichlet(np.array(USUAL_WEIGHT) * 12.0)
    episodes: list[Episode] = []
    withdrawal = COVERED if spoilt is None else (spoilt, spoilt)
    spans = [(timeline.enter_s, timeline.start_s, COVERED_INSERTION), (timeline.start_s, timeline.stop_s, withdrawal)]
    for start, end, covered in spans:
        share = float(rng.uniform(*covered))
        for free_start, free_end in _free(start, end, busy):
            episodes += _fill(rng, free_start, free_end, share, weights)
    return tuple(episodes)


def _free(start: float, end: float, busy: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """What is left of a span without the busy intervals, with a margin for the ramps."""
    free, at = [], start
    for busy_start, busy_end in sorted(busy):
        if busy_end > start and busy_start < end:
            free.append((at, busy_start))
            at = busy_end
    free.append((at, end))
    return [(a, b) for a, b in free if b - a > SHORTEST_S + 2 * GAP_S]


def _fill(rng: np.random.Generator, start: float, end: float, share: float, weights: FloatArray) -> list[Episode]:
    """Episodes that cover `share` of a span, many short ones and few long ones, with informative stretches between."""
    span = end - start
    lengths: list[float] = []
    while sum(lengths) + 0.5 * SHORTEST_S < share * span:
        longest = min(LONGEST_S, share * span - sum(lengths) + 0.2)
        lengths.append(float(np.clip(rng.lognormal(math.log(0.9), 0.75), SHORTEST_S, max(longest, SHORTEST_S))))
    while lengths and span - sum(lengths) < GAP_S * (len(lengths) + 1):
        lengths.pop()
    slack = span - sum(lengths) - GAP_S * (len(lengths) + 1)
    gaps = GAP_S + slack * rng.dirichlet(np.full(len(lengths) + 1, 0.7))
    episodes, at = [], start
    for length, gap in zip(lengths, gaps, strict=False):
        at += float(gap)
        kind = str(rng.choice(PLANNED, p=weights))
        edge = float(rng.uniform(0.1, 0.3)) if kind != "wall" else float(rng.uniform(0.2, GAP_S))
        episodes.append(Episode(kind, at, at + length, edge, float(rng.uniform()), float(rng.uniform(0, 2 * math.pi))))
        at += length
    return episodes


def exposure_bias(episodes: Sequence[Episode], time_s: float) -> float:
    """Stops that the exposure is wrong by at a moment: the light fails, or the gain runs away."""
    bias = 0.0
    for episode in episodes:
        if episode.kind == "underexposed":
            bias -= (4.5 + 2.0 * episode.strength) * float(episode.degree(time_s))
        elif episode.kind == "overexposed":
            bias += (3.2 + 1.5 * episode.strength) * float(episode.degree(time_s))
    return bias
