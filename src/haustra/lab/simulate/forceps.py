"""Biopsies: when they happen, and the instrument as a solid body seen through the lens.

The instrument is a set of round cones in camera coordinates (mm). It is sphere-traced along the rays of the lens, so
it bends with the fisheye as a real one does, and hides behind folds by the depth of the scene.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from haustra.core.arrays import FloatArray
from haustra.lab.simulate.timeline import Timeline, bump, ramp, stream

METAL, COIL, SHEATH = 0, 1, 2
SHARE = (0.018, 0.042)  # of the frames, about 3 % in the mean
MOVE_S = 0.45  # the time an instrument takes to come into view


@dataclass(frozen=True)
class Biopsy:
    """One use of an instrument; it is in view for most of start..end, and the scope rests meanwhile."""

    start_s: float
    end_s: float
    snare: bool
    reach_mm: float
    turn: float
    sway: float

    def out(self, time_s: float) -> float:
        """How far the instrument is out of its channel, 0 to 1; the jaws bite once, with a pull."""
        move = min(MOVE_S, 0.3 * (self.end_s - self.start_s))
        bite = self.start_s + 0.62 * (self.end_s - self.start_s)
        pull = 0.16 * float(bump(np.array(time_s), bite, bite + 0.25 * (self.end_s - self.start_s)))
        return float(ramp(time_s, self.start_s + move, self.end_s - move, move)) * (1 - pull)

    def opening(self, time_s: float) -> float:
        """Jaws (or loop): open on the way in, closed from the bite on."""
        share = (time_s - self.start_s) / (self.end_s - self.start_s)
        return float(ramp(share, 0.3, 0.58, 0.12))


@dataclass(frozen=True)
class Instrument:
    """The working channel of a scope and the looks of what comes out of it; the same for a whole recording."""

    exit_mm: tuple[float, float]
    radius_mm: float
    sheath: tuple[float, float, float]
    coiled: bool

    def cones(self, biopsy: Biopsy, time_s: float) -> FloatArray:
        """Round cones (n, 9): two ends, two radii, material, in camera coordinates; empty while inside the channel."""
        out = biopsy.out(time_s)
        if out <= 0:
            return np.zeros((0, 9))
        base = np.array([*self.exit_mm, -1.0])
        sway = 0.5 * math.sin(1.7 * time_s + biopsy.sway)
        # It crosses the view a little, so that the head is seen beside the shaft and not behind it.
        aim = np.array([-0.35 * base[0] + 1.5 * math.cos(biopsy.sway) + sway, -4.0 + 0.3 * sway, 17.0])
        axis = (aim - base) / np.linalg.norm(aim - base)
        length = out * biopsy.reach_mm
        side = np.cross(axis, [math.cos(biopsy.turn), math.sin(biopsy.turn), 0.0])
        side /= np.linalg.norm(side)
        middle = base + axis * 0.5 * length + side * 0.02 * length
        head = base + axis * length
        tube = SHEATH if biopsy.snare or not self.coiled else COIL
        r = self.radius_mm
        cones = [_cone(base, middle, r, r, tube), _cone(middle, head, r, r, tube)]
        build = self._loop if biopsy.snare else self._jaws
        return np.array(cones + build(head, axis, side, biopsy.opening(time_s)))

    def _jaws(self, head: FloatArray, axis: FloatArray, side: FloatArray, opening: float) -> list[list[float]]:
        """A sleeve and two bent jaws, each of two pieces."""
        r = self.radius_mm
        hinge = head + 1.6 * axis
        cones = [_cone(head, hinge, 1.06 * r, 0.8 * r, METAL)]
        for sign in (-1.0, 1.0):
            angle = sign * math.radians(6.0 + 44.0 * opening)
            inward = angle - sign * math.radians(26.0 + 10.0 * opening)
            knee = hinge + 2.6 * (math.cos(angle) * axis + math.sin(angle) * side)
            tip = knee + 2.2 * (math.cos(inward) * axis + math.sin(inward) * side)
            cones += [_cone(hinge, knee, 0.6 * r, 0.85 * r, METAL), _cone(knee, tip, 0.85 * r, 0.4 * r, METAL)]
        return cones

    def _loop(self, head: FloatArray, axis: FloatArray, side: FloatArray, opening: float) -> list[list[float]]:
        """The wire loop of a snare, narrow when it is pulled in."""
        turn = np.linspace(0.0, 2 * np.pi, 19)
        length, width = 4.0 + 8.0 * opening, 0.4 + 3.6 * opening
        along = 0.5 * length * (1 - np.cos(turn))
        across = width * np.sin(turn) * (0.55 + 0.45 * along / length)
        points = head + along[:, None] * axis + across[:, None] * side
        return [_cone(a, b, 0.2, 0.2, METAL) for a, b in pairwise(points)]


def _cone(a: FloatArray, b: FloatArray, ra: float, rb: float, material: int) -> list[float]:
    return [*a, *b, ra, rb, float(material)]


def make_instrument(seed: int) -> Instrument:
    """Channel and instrument of a recording: it enters at the lower edge, mostly right of the middle."""
    rng = np.random.default_rng([seed, 900])
    angle = math.radians(rng.uniform(48.0, 122.0))
    distance = rng.uniform(5.2, 6.6)
    colours = ((0.05, 0.16, 0.55), (0.75, 0.30, 0.04), (0.06, 0.42, 0.18), (0.72, 0.72, 0.70), (0.60, 0.55, 0.08))
    sheath = colours[int(rng.integers(len(colours)))]
    exit_mm = (distance * math.cos(angle), distance * math.sin(angle))
    return Instrument(exit_mm, float(rng.uniform(0.62, 0.85)), sheath, bool(rng.random() < 0.75))


def plan_biopsies(seed: int, timeline: Timeline) -> tuple[Biopsy, ...]:
    """One to four biopsies in the withdrawal, about 3 % of its frames together."""
    rng = stream(seed, "biopsies")
    duration = timeline.stop_s - timeline.start_s
    total = float(rng.uniform(*SHARE)) * duration
    count = int(np.clip(round(total / rng.uniform(2.0, 7.0)), 1, 4))
    length = max(total / count, 0.4)
    slot = duration * 0.9 / count
    biopsies = []
    for k in range(count):
        start = timeline.start_s + 0.05 * duration + k * slot + rng.uniform(0.0, max(slot - length - 1.0, 0.01))
        snare = bool(rng.random() < 0.22)
        reach, turn, sway = rng.uniform(11.0, 20.0), rng.uniform(0, math.pi), rng.uniform(0, 2 * math.pi)
        biopsies.append(Biopsy(start, start + length, snare, float(reach), float(turn), float(sway)))
    return tuple(biopsies)
