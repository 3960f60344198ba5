"""Stages 6 and 7 over what was seen: trajectory, start of the withdrawal, location index, segments, table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy import Template, segments_of
from haustra.anatomy.withdrawal import WithdrawalFigures, withdrawal_figures
from haustra.errors import HaustraError
from haustra.motion import motion_to_T_a_b
from haustra.observe import Observations
from haustra.path import Trajectory, chain, location_index
from haustra.path.turning import TurningPoint, withdrawal_start
from haustra.poses import FloatArray
from haustra.quality.decide import BIOPSY, FORCEPS
from haustra.table import fill_dropped, frames_table, place_columns, pose_columns
from haustra.times import format_time

# Below this the reader is told to look for the start of the withdrawal himself.
SURE_START = 0.6
MANY_DROPPED = 0.8


@dataclass(frozen=True)
class Located:
    """The withdrawal, frame by frame. `turn` is None when the user told its start."""

    table: pl.DataFrame
    trajectory: Trajectory
    turn: TurningPoint | None
    figures: WithdrawalFigures
    warnings: tuple[str, ...]

    @property
    def start_s(self) -> float:
        return float(self.table["time_s"][0])

    @property
    def end_s(self) -> float:
        return float(self.table["time_s"][-1])


def place_observations(seen: Observations, template: Template, start_s: float | None) -> Located:
    """The place of every frame from the start of the withdrawal (None: search for it) to the last informative frame."""
    if not seen.kept.any():
        raise HaustraError("no frame is informative: nothing can be located (see `haustra quality`)")
    turn = None if start_s is not None else _turn(seen)
    first_s = seen.time_s[0] if turn is None else turn.time_s
    kept_from = np.flatnonzero(seen.kept & (seen.time_s >= first_s))
    used = _rows(seen, slice(int(np.searchsorted(seen.time_s, first_s)), int(kept_from[-1]) + 1))
    trajectory = _trajectory(used)
    location = location_index(trajectory.positions, gap=trajectory.gap)
    index, std = fill_dropped(used.time_s, used.kept, location.index, location.std)
    table = _table(used, trajectory, index, std, template)
    poor = ~used.kept & ~np.isin(used.reason, (FORCEPS, BIOPSY))
    figures = withdrawal_figures(used.time_s, index, segments_of(index, template), poor)
    return Located(table, trajectory, turn, figures, (*location.warnings, *_warnings(used, turn, trajectory)))


def _rows(seen: Observations, rows: slice) -> Observations:
    return Observations(
        seen.time_s[rows],
        seen.p_noninformative[rows],
        seen.p_forceps[rows],
        seen.kept[rows],
        seen.reason[rows],
        seen.motion[rows],
    )


def _turn(seen: Observations) -> TurningPoint:
    """Forward motion of the camera, +z of its own frame, tells the way in from the way out."""
    kept = np.flatnonzero(seen.kept)
    motion = seen.motion[kept]
    forward = np.full(len(kept), np.nan)
    known = np.isfinite(motion).all(axis=1)
    forward[known] = motion_to_T_a_b(motion[known])[:, 2, 3]
    return withdrawal_start(seen.time_s[kept], forward)


def _trajectory(seen: Observations) -> Trajectory:
    kept = np.flatnonzero(seen.kept)
    motion = seen.motion[kept[1:]]
    known = np.isfinite(motion).all(axis=1)
    T_a_b = np.full((len(motion), 4, 4), np.nan)
    T_a_b[known] = motion_to_T_a_b(motion[known])
    return chain(T_a_b, seen.time_s[kept], across_gap=np.diff(kept) > 1, still=_held(seen.reason, kept))


def _held(reason: Sequence[str], kept: NDArray[np.intp]) -> FloatArray:
    """Share of the removed frames between kept ones that an instrument took: the scope is held in place meanwhile."""
    instrument = np.cumsum([name in (FORCEPS, BIOPSY) for name in reason])
    removed = np.diff(kept) - 1
    return np.diff(instrument[kept]) / np.maximum(removed, 1)


def _table(
    seen: Observations, trajectory: Trajectory, index: FloatArray, std: FloatArray, template: Template
) -> pl.DataFrame:
    poses = np.full((len(seen.time_s), 4, 4), np.nan)
    poses[seen.kept] = trajectory.T_w_c
    gap: NDArray[Any] = np.full(len(seen.time_s), "", dtype=object)
    gap[seen.kept] = trajectory.gap
    return frames_table(
        {
            "frame": np.arange(len(seen.time_s)),
            "time_s": seen.time_s,
            "p_noninformative": seen.p_noninformative,
            "p_forceps": seen.p_forceps,
            "kept": seen.kept,
            "reason": list(seen.reason),
            **pose_columns(poses),
            "gap": gap.tolist(),
            **place_columns(index, std, template),
        }
    )


def _warnings(seen: Observations, turn: TurningPoint | None, trajectory: Trajectory) -> list[str]:
    """What the reader should know before he trusts the rest."""
    warnings = []
    if turn is not None and turn.confidence < SURE_START:
        warnings.append(
            f"the start of the withdrawal was taken to be {format_time(turn.time_s)} with a confidence of only "
            f"{turn.confidence:.0%}: check it and give --withdrawal-start"
        )
    dropped = 1 - float(seen.kept.mean())
    if dropped > MANY_DROPPED:
        warnings.append(f"{dropped:.0%} of the frames were dropped: the path rests on few")
    bridged = trajectory.gap.count("bridged")
    if bridged:
        warnings.append(f"{bridged} gaps of more than half a second were bridged at the speed around them")
    return warnings
