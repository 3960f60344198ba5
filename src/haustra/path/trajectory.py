"""The camera trajectory: motions of pairs chained into poses, with the gaps that removed frames leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.poses import FloatArray

# Up to here the pair across removed frames is worth estimating; the flow of a wider gap has nothing to hold on to.
ESTIMATED_GAP_S = 0.5
# A bridged gap goes on with the median speed around it, on both sides; what is this much further away counts a third.
# On eight simulated recordings with estimated motion (none of them a test recording) the error of the location index
# was 0.023 with 8 s and 0.028 with 4 s; the last two seconds alone gave 0.026 and a worse worst case.
RECENT_S = 8.0
BRIDGED_AT_MOST_S = 10.0


@dataclass(frozen=True)
class Trajectory:
    """Poses of the kept frames; `gap` says how each was reached: "" (a plain pair), "estimated" or "bridged"."""

    time_s: FloatArray
    T_w_c: FloatArray
    gap: tuple[str, ...]

    @property
    def positions(self) -> FloatArray:
        return self.T_w_c[:, :3, 3]


def chain(
    motions: NDArray[Any],
    time_s: NDArray[Any],
    *,
    across_gap: NDArray[Any] | None = None,
    still: NDArray[Any] | None = None,
) -> Trajectory:
    """Chain T_a_b of successive kept frames, shape (n - 1, 4, 4), into n poses: T_w_b = T_w_a @ T_a_b.

    A motion that is not finite could not be estimated: it is bridged by the robust speed around it. `across_gap` marks
    the pairs with removed frames between them; `still` is the share of each gap in which the scope is held in place,
    as it is while an instrument is out.
    """
    time_s = np.asarray(time_s, dtype=np.float64)
    motions = np.asarray(motions, dtype=np.float64).reshape(-1, 4, 4)
    if len(time_s) != len(motions) + 1:
        raise HaustraError(f"{len(time_s)} times for {len(motions)} motions: one more time than motions is needed")
    known = np.isfinite(motions).all(axis=(1, 2))
    wide = np.zeros(len(motions), dtype=bool) if across_gap is None else np.asarray(across_gap, dtype=bool)
    moving = np.ones(len(motions)) if still is None else 1.0 - np.asarray(still, dtype=np.float64)
    filled = motions.copy()
    for i in np.flatnonzero(~known).tolist():
        filled[i] = np.eye(4)
        filled[i, :3, 3] = moving[i] * _bridge(motions, time_s, known & ~wide, i)
    T_w_c = np.empty((len(time_s), 4, 4))
    T_w_c[:1] = np.eye(4)
    for k, T_a_b in enumerate(filled):
        T_w_c[k + 1] = T_w_c[k] @ T_a_b
    gap = np.where(known, np.where(wide, "estimated", ""), "bridged")
    return Trajectory(time_s, T_w_c, ("", *gap.tolist()))


def _bridge(motions: FloatArray, time_s: FloatArray, trusted: NDArray[np.bool_], i: int) -> FloatArray:
    """The way (3,) across gap i: straight on with the median velocity, in the camera's frame, of trusted pairs."""
    if not trusted.any():
        return np.zeros(3)
    duration = np.maximum(np.diff(time_s), 1e-9)
    away_s = np.maximum(time_s[i] - time_s[1:], time_s[:-1] - time_s[i + 1])[trusted]
    velocity = motions[trusted, :3, 3] / duration[trusted, None]
    usual = _weighted_median(velocity, np.exp((away_s.min() - away_s) / RECENT_S))
    return usual * min(float(duration[i]), BRIDGED_AT_MOST_S)


def _weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Of each column of values (n, k): half of the weight lies below; the mean of two where both are in the middle."""
    order = np.argsort(values, axis=0, kind="stable")
    below = np.cumsum(weights[order], axis=0) / weights.sum()
    middle = [np.argmax(below >= half, axis=0)[None] for half in (0.5 - 1e-9, 0.5 + 1e-9)]
    ranked = np.take_along_axis(values, order, axis=0)
    return 0.5 * sum(np.take_along_axis(ranked, place, axis=0)[0] for place in middle)
