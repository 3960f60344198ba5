"""The hand on the scope: how the tip moves through the colon, as smooth functions of time.

The tip is steered by five signals: arc position, offset from the centreline, tilt of the view (both in the plane of
the centreline's normal and binormal) and roll. Each is a cubic spline, so poses are smooth and exist between frames,
where motion blur needs them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter, gaussian_filter1d, map_coordinates, minimum_filter, minimum_filter1d
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray
from haustra.lab.simulate.episodes import Episode
from haustra.lab.simulate.operator_style import PLAIN_PACE, Pace
from haustra.lab.simulate.pace import plan_progress
from haustra.lab.simulate.slips import Slip
from haustra.lab.simulate.timeline import Timeline, bump, noise, ramp, stream

if TYPE_CHECKING:
    from haustra.lab.simulate.colon import Colon

CLEARANCE_MM = 3.5  # half the width of a scope's tip and a little more
WALL_TOUCH_MM = 2.5
FASTEST_MM_PER_S = 40.0
LOOK_AHEAD_MM = 30.0  # an operator keeps the lumen ahead in the middle of the picture


@dataclass(frozen=True)
class Operator:
    """Poses of the tip at any time of a recording."""

    arc: CubicSpline
    lateral_mm: CubicSpline
    tilt: CubicSpline
    roll: CubicSpline
    centre: CubicSpline
    axes: CubicSpline
    arc_range_mm: tuple[float, float]

    def arc_mm(self, time_s: NDArray[Any] | float) -> FloatArray:
        """Where the tip is along the centreline, inside the colon."""
        return np.clip(self.arc(time_s), *self.arc_range_mm)

    def poses(self, time_s: NDArray[Any] | Sequence[float]) -> FloatArray:
        """Camera-to-world (n, 4, 4) at the times given."""
        time_s = np.asarray(time_s, dtype=np.float64)
        return self._poses(time_s, self.arc(time_s))

    def poses_after(self, time_s: NDArray[Any] | Sequence[float], shutter_s: float) -> FloatArray:
        """Poses at the end of an exposure that starts at the times given.

        A recording shorter than a real withdrawal is a time-lapse: its exposures are those of a scope at a real speed.
        """
        time_s = np.asarray(time_s, dtype=np.float64)
        farthest = FASTEST_MM_PER_S * shutter_s
        step = np.clip(self.arc(time_s + shutter_s) - self.arc(time_s), -farthest, farthest)
        return self._poses(time_s + shutter_s, self.arc(time_s) + step)

    def _poses(self, time_s: FloatArray, arc: FloatArray) -> FloatArray:
        N, B, T = self._frames(arc)
        lateral = self.lateral_mm(time_s)
        position = self._centre(arc) + lateral[:, :1] * N + lateral[:, 1:] * B
        R = np.stack([N, -B, -T], axis=-1)
        R = self._towards_lumen(arc, position, R)
        tilt = self.tilt(time_s)
        # A tilt of z towards the side d turns about z x d; x of the camera is the normal, -y the binormal.
        turn = np.stack([tilt[:, 1], tilt[:, 0], np.zeros(len(tilt))], axis=-1)
        roll = np.stack([np.zeros(len(tilt)), np.zeros(len(tilt)), self.roll(time_s)], axis=-1)
        result = np.tile(np.eye(4), (len(arc), 1, 1))
        result[:, :3, :3] = R @ (Rotation.from_rotvec(turn) * Rotation.from_rotvec(roll)).as_matrix()
        result[:, :3, 3] = position
        return result

    def _centre(self, arc: FloatArray) -> FloatArray:
        """The centreline, going on straight beyond both ends."""
        inside = np.clip(arc, *self.arc_range_mm)
        return self.centre(inside) + (arc - inside)[:, None] * self._frames(inside)[2]

    def _frames(self, arc: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        axes = self.axes(np.clip(arc, *self.arc_range_mm))
        T = axes[:, 3:] / np.linalg.norm(axes[:, 3:], axis=-1, keepdims=True)
        N = axes[:, :3] - (axes[:, :3] * T).sum(axis=-1, keepdims=True) * T
        N /= np.linalg.norm(N, axis=-1, keepdims=True)
        return N, np.cross(T, N), T

    def _towards_lumen(self, arc: FloatArray, position: FloatArray, R: FloatArray) -> FloatArray:
        """Turn frames by the smallest rotation that points z to the centreline ahead."""
        ahead = self._centre(arc - LOOK_AHEAD_MM) - position
        ahead /= np.linalg.norm(ahead, axis=-1, keepdims=True)
        z = R[:, :, 2]
        axis, cosine = np.cross(z, ahead), (z * ahead).sum(axis=-1)
        sine = np.linalg.norm(axis, axis=-1)
        angle = np.arctan2(sine, cosine)
        scale = np.divide(angle, sine, out=np.ones_like(sine), where=sine > 1e-9)
        turned: FloatArray = Rotation.from_rotvec(axis * scale[:, None]).as_matrix() @ R
        return turned


def plan_operator(
    colon: Colon,
    seed: int,
    timeline: Timeline,
    episodes: Sequence[Episode] = (),
    still: Sequence[tuple[float, float]] = (),
    pace: Pace = PLAIN_PACE,
    slip: Slip | None = None,
) -> Operator:
    """Draw the whole movement of a recording; the scope rests in the intervals `still` (biopsies)."""
    knots = timeline.knots_s
    slow = [(e.start_s, e.end_s) for e in episodes if e.kind == "wall"]
    arc = plan_progress(colon.boundaries_mm, seed, timeline, still, slow, pace)
    if slip is not None:
        inside = (knots > timeline.start_s - 1e-9) & (knots < timeline.stop_s + 1e-9)
        arc[inside] = slip.apply(arc[inside], knots[inside], colon.boundaries_mm[0], colon.boundaries_mm[6])
    lateral, tilt, roll = _look_around(stream(seed, "look"), knots, still, pace)
    lateral_mm = _inside(colon, arc, lateral)
    for episode in episodes:
        if episode.kind == "wall":
            lateral_mm, tilt = _touch_wall(colon, episode, knots, arc, lateral_mm, tilt)
        elif episode.kind == "blur":
            tilt, roll = _throw_about(episode, knots, tilt, roll)
    along = np.arange(len(colon.centreline_mm), dtype=np.float64)
    return Operator(
        arc=CubicSpline(knots, arc),
        lateral_mm=CubicSpline(knots, lateral_mm),
        tilt=CubicSpline(knots, tilt),
        roll=CubicSpline(knots, roll),
        centre=CubicSpline(along, colon.centreline_mm),
        axes=CubicSpline(along, np.hstack([colon.normal, colon.tangent])),
        arc_range_mm=(0.0, along[-1]),
    )


def _inside(colon: Colon, arc: FloatArray, signal: FloatArray) -> FloatArray:
    """Offsets in mm from an unbounded signal: the tip stays inside the radius that is free all around."""
    share = signal / np.sqrt(1.0 + (signal**2).sum(axis=-1, keepdims=True))
    free = gaussian_filter1d(minimum_filter1d(colon.wall.free_radius_mm, 21), 6.0) - CLEARANCE_MM
    return share * np.interp(arc, np.arange(len(free)), np.maximum(free, 0.5))[:, None]


def _look_around(
    rng: np.random.Generator, knots: FloatArray, still: Sequence[tuple[float, float]], pace: Pace
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Wandering, inspection gestures, roll and tremor; each operator has a style of their own."""
    calm = rng.uniform(*pace.restless)
    wander = np.radians(6.0 * calm) * noise(rng, knots, 1.3, 2)
    lateral = 0.28 * calm * noise(rng, knots, 2.2, 2)
    roll = np.radians(12.0 * calm) * noise(rng, knots, 4.0, 1)[:, 0] + rng.uniform(-math.pi, math.pi)
    at = knots[0] + rng.exponential(3.0)
    while at < knots[-1]:
        angle, azimuth = np.radians(rng.uniform(18, 52)), rng.uniform(0, 2 * math.pi)
        end = at + 2 * math.degrees(angle) / rng.uniform(*pace.gesture_deg_per_s)
        side = np.array([math.cos(azimuth), math.sin(azimuth)])
        gesture = bump(knots, at, end)[:, None]
        wander = wander + angle * gesture * side
        lateral = lateral - 0.45 * gesture * side  # away from the wall that is looked at
        roll = roll + np.radians(rng.normal(0, 18)) * gesture[:, 0]
        at = end + rng.exponential(2.5 / calm)
    # In a biopsy the clock of these signals stands nearly still: the view rests and goes on smoothly afterwards.
    clock = _clock(knots, still)
    held = CubicSpline(knots, np.column_stack([lateral, wander, roll]))(clock)
    tremor = np.radians(0.1) * noise(rng, knots, 0.07, 3)
    return held[:, :2], held[:, 2:4] + tremor[:, :2], held[:, 4] + tremor[:, 2]


def _clock(knots: FloatArray, still: Sequence[tuple[float, float]]) -> FloatArray:
    rate = np.ones_like(knots)
    for start, end in still:
        rate = rate * (1 - 0.97 * ramp(knots, start, end, 0.5))
    return knots[0] + np.r_[0.0, np.cumsum((rate[1:] + rate[:-1]) / 2 * np.diff(knots))]


def _touch_wall(
    colon: Colon, episode: Episode, knots: FloatArray, arc: FloatArray, lateral_mm: FloatArray, tilt: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The tip slides along the wall on the side `azimuth` and looks into it."""
    degree = episode.degree(knots)[:, None]
    side = np.array([math.cos(episode.azimuth), math.sin(episode.azimuth)])
    reach = _reach(colon, arc, episode.azimuth) - (WALL_TOUCH_MM + 2.0 * episode.strength)
    reach = np.maximum(reach, 0.0)[:, None]
    # From the wall the lumen ahead lies inwards: the tip has to bend that much more to look into the wall.
    angle = math.radians(85.0 - 20.0 * episode.strength) + np.arctan2(reach, LOOK_AHEAD_MM)
    lateral_mm = lateral_mm * (1 - degree) + degree * reach * side
    return lateral_mm, tilt * (1 - 0.8 * degree) + angle * degree * side


def _reach(colon: Colon, arc: FloatArray, azimuth: float) -> FloatArray:
    """How far the tip, which has a width, can go to one side: folds are rounded off."""
    radius = colon.wall.radius_mm
    near = gaussian_filter(
        minimum_filter(radius, (7, 9), mode=("nearest", "wrap")), (2.5, 2.0), mode=("nearest", "wrap")
    )
    column = azimuth / (2 * math.pi) * radius.shape[1]
    at = np.stack([np.clip(arc, 0, len(radius) - 1), np.full_like(arc, column)])
    return np.asarray(map_coordinates(near, at, order=1, mode="grid-wrap"), dtype=np.float64)


def _throw_about(
    episode: Episode, knots: FloatArray, tilt: FloatArray, roll: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """A circling tip: unlike a swing it has no turning points where the picture would be sharp again."""
    degree = episode.degree(knots)
    reach = math.radians(9.0 + 6.0 * episode.strength)
    speed = math.radians(240.0 + 120.0 * episode.strength)
    phase = speed / reach * (knots - episode.start_s) + episode.azimuth
    tilt = tilt + (reach * degree)[:, None] * np.stack([np.cos(phase), np.sin(phase)], axis=-1)
    return tilt, roll + math.radians(10.0) * degree * np.sin(0.7 * phase)
