"""Stage 6 over what was seen: where the withdrawal begins, its trajectory, and the location index of every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haustra.chunks import Observations
from haustra.errors import HaustraError
from haustra.motion import motion_to_T_a_b
from haustra.path.location import fill_dropped, location_index
from haustra.path.trajectory import Trajectory, chain
from haustra.path.turning import TurningPoint, withdrawal_start
from haustra.poses import FloatArray
from haustra.terms import INSTRUMENT, Gap, Reason
from haustra.times import format_time

# Below this confidence the reader is asked to check the start of the withdrawal.
SURE_START = 0.6
MANY_DROPPED = 0.8


@dataclass(frozen=True)
class Withdrawal:
    """The withdrawal, frame by frame: `index` and `std` for every sample, `trajectory` for the kept ones.

    `turn` is None when the user gave its start.
    """

    seen: Observations
    trajectory: Trajectory
    index: FloatArray
    std: FloatArray
    turn: TurningPoint | None
    warnings: tuple[str, ...]

    @property
    def start_s(self) -> float:
        return float(self.seen.time_s[0])

    @property
    def end_s(self) -> float:
        return float(self.seen.time_s[-1])


def follow_withdrawal(seen: Observations, start_s: float | None) -> Withdrawal:
    """From the start of the withdrawal (None: search for it) to the last informative frame."""
    if not seen.kept.any():
        raise HaustraError("no frame is informative: nothing can be located (see `haustra quality`)")
    turn = None if start_s is not None else _turn(seen)
    first_s = seen.time_s[0] if turn is None else turn.time_s
    kept_from = np.flatnonzero(seen.kept & (seen.time_s >= first_s))
    used = seen.rows(slice(int(np.searchsorted(seen.time_s, first_s)), int(kept_from[-1]) + 1))
    trajectory = _trajectory(used)
    location = location_index(trajectory.positions, gap=trajectory.gap)
    index, std = fill_dropped(used.time_s, used.kept, location.index, location.std)
    warnings = (*location.warnings, *_warnings(used, turn, trajectory))
    return Withdrawal(used, trajectory, index, std, turn, warnings)


def _turn(seen: Observations) -> TurningPoint:
    """Forward motion of the camera, +z of its own frame, tells insertion from withdrawal."""
    kept = np.flatnonzero(seen.kept)
    return withdrawal_start(seen.time_s[kept], _poses(seen.motion[kept])[:, 2, 3])


def _trajectory(seen: Observations) -> Trajectory:
    kept = np.flatnonzero(seen.kept)
    T_a_b = _poses(seen.motion[kept[1:]])
    return chain(T_a_b, seen.time_s[kept], across_gap=np.diff(kept) > 1, still=_held(seen.reason, kept))


def _poses(motion: FloatArray) -> FloatArray:
    """T_a_b (n, 4, 4), NaN where no motion was estimated."""
    known = np.isfinite(motion).all(axis=1)
    T_a_b = np.full((len(motion), 4, 4), np.nan)
    T_a_b[known] = motion_to_T_a_b(motion[known])
    return T_a_b


def _held(reason: Sequence[Reason], kept: NDArray[np.intp]) -> FloatArray:
    """Share of the removed frames between kept ones that an instrument took: the scope is held in place meanwhile."""
    instrument = np.cumsum([name in INSTRUMENT for name in reason])
    removed = np.diff(kept) - 1
    return np.diff(instrument[kept]) / np.maximum(removed, 1)


def _warnings(seen: Observations, turn: TurningPoint | None, trajectory: Trajectory) -> list[str]:
    """What the reader should know before trusting the rest."""
    warnings = []
    if turn is not None and turn.confidence < SURE_START:
        warnings.append(
            f"the start of the withdrawal was taken to be {format_time(turn.time_s)} with a confidence of only "
            f"{turn.confidence:.0%}: check it and give --withdrawal-start"
        )
    dropped = 1 - float(seen.kept.mean())
    if dropped > MANY_DROPPED:
        warnings.append(f"{dropped:.0%} of the frames were dropped: the path rests on few")
    bridged = trajectory.gap.count(Gap.BRIDGED)
    if bridged:
        warnings.append(f"{bridged} gaps of more than half a second were bridged at the speed around them")
    return warnings
