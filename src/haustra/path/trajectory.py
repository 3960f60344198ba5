"""Dead reckoning: motions of successive pairs chained into poses; a missing one is bridged at constant velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray, Mask
from haustra.core.errors import HaustraError
from haustra.path.parameters import DEFAULTS, BridgeParameters


@dataclass(frozen=True)
class Trajectory:
    """Poses of frames and their times."""

    time_s: FloatArray
    T_w_c: FloatArray

    @property
    def positions(self) -> FloatArray:
        """Camera centres (n, 3)."""
        return self.T_w_c[:, :3, 3]


def chain(motions: NDArray[Any], time_s: NDArray[Any], parameters: BridgeParameters = DEFAULTS.bridge) -> Trajectory:
    """Chain T_a_b of successive frames, shape (n - 1, 4, 4), into n poses: T_w_b = T_w_a @ T_a_b.

    A motion that is not finite could not be estimated: it is bridged at the robust speed around it.
    """
    time_s = np.asarray(time_s, dtype=np.float64)
    motions = np.asarray(motions, dtype=np.float64).reshape(-1, 4, 4)
    if len(time_s) != len(motions) + 1:
        raise HaustraError(f"{len(time_s)} times for {len(motions)} motions: one more time than motions is needed")
    known = np.asarray(np.isfinite(motions).all(axis=(1, 2)), np.bool_)
    filled, gaps = motions.copy(), np.flatnonzero(~known)
    filled[gaps] = np.eye(4)
    filled[gaps, :3, 3] = _bridges(motions, time_s, known, gaps, parameters)
    T_w_c = np.empty((len(time_s), 4, 4))
    T_w_c[:1] = np.eye(4)
    for k, T_a_b in enumerate(filled):
        T_w_c[k + 1] = T_w_c[k] @ T_a_b
    return Trajectory(time_s, T_w_c)


def _bridges(
    motions: FloatArray,
    time_s: FloatArray,
    known: Mask,
    gaps: NDArray[np.intp],
    parameters: BridgeParameters,
) -> FloatArray:
    """Translation (g, 3) across each gap: the weighted median velocity, in the camera's frame, on both sides."""
    across = np.zeros((len(gaps), 3))
    if not known.any():
        return across
    duration_s = np.maximum(np.diff(time_s), 1e-9)
    velocity = motions[known, :3, 3] / duration_s[known, None]
    order = np.argsort(velocity, axis=0, kind="stable")
    ranked = np.take_along_axis(velocity, order, axis=0)
    start_s, end_s = time_s[:-1][known], time_s[1:][known]
    for translation, i in zip(across, gaps.tolist(), strict=True):
        away_s = np.maximum(time_s[i] - end_s, start_s - time_s[i + 1])
        weights = np.exp((away_s.min() - away_s) / parameters.decay_s)
        translation[:] = _weighted_median(ranked, weights[order]) * min(float(duration_s[i]), parameters.longest_s)
    return across


def _weighted_median(ranked: FloatArray, weights: FloatArray) -> FloatArray:
    """Of each sorted column (n, k): half of the weight lies below; the mean of two where both are in the middle."""
    below = np.cumsum(weights, axis=0)
    below /= below[-1]
    middle = [np.argmax(below >= half, axis=0)[None] for half in (0.5 - 1e-9, 0.5 + 1e-9)]
    return 0.5 * sum(np.take_along_axis(ranked, place, axis=0)[0] for place in middle)
