"""Measurements of the smoother: the camera's six velocities between successive samples, with their noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from haustra.core.arrays import FloatArray, Mask
from haustra.core.vocabulary import BLANK, INSTRUMENT, Reason
from haustra.motion import motion_to_T_a_b
from haustra.path.parameters import VelocityParameters
from haustra.results.observations import Observations


@dataclass(frozen=True)
class PairVelocities:
    """Velocities of n pairs of successive samples: translation (calibres/s) and rotation (rad/s) in the camera's frame.

    Pairs that were not measured are NaN. `predicted_std` is the network's own standard deviation; `noise_std` is the
    part of it that is taken as independent from pair to pair (see `_noise`).
    """

    step_s: FloatArray  # (n,)
    measured: FloatArray  # (n, 6)
    noise_std: FloatArray  # (n, 6)
    predicted_std: FloatArray  # (n, 6); NaN where the network predicts none
    clear: Mask  # (n,) both samples are kept, and the pair was measured
    instrument: Mask  # (n,) an instrument is out, so the scope is held
    lumen: FloatArray  # (n + 1, 3) where the lumen lies in the samples beside gaps (as in the observations); else NaN


def pair_velocities(seen: Observations, parameters: VelocityParameters) -> PairVelocities:
    """The velocities between n samples, n - 1 pairs."""
    step_s = np.maximum(np.diff(seen.time_s), 1e-6)
    at = _span_ends(seen.reason)
    measured, std = _spread(*_motions(seen), at, seen.time_s)
    clear = seen.kept[1:] & seen.kept[:-1] & np.isfinite(measured).all(axis=1)
    instrument = np.array([reason in INSTRUMENT for reason in seen.reason], np.bool_)
    held = (instrument[1:] | instrument[:-1]) & ~clear
    noise_std = _noise(measured, std, clear, parameters)
    return PairVelocities(step_s, measured, noise_std, std, clear, held, _beside_dropped(seen.lumen, seen.kept))


def _beside_dropped(lumen: FloatArray, kept: Mask) -> FloatArray:
    """The lumen in kept samples next to dropped ones, on either side of a gap; NaN in all others."""
    around = np.concatenate([kept[:1], kept, kept[-1:]])
    beside = kept & ~(around[:-2] & around[2:])
    return np.where(beside[:, None], lumen, np.nan)


def _span_ends(reason: tuple[Reason, ...]) -> NDArray[np.intp]:
    """For each pair of samples the sample whose motion covers it: the next one that has a picture."""
    shows = np.array([name not in BLANK for name in reason], np.bool_)
    after = np.where(shows, np.arange(len(shows)), len(shows))
    return np.minimum(np.minimum.accumulate(after[::-1])[::-1][1:], len(shows) - 1)


def _motions(seen: Observations) -> tuple[FloatArray, FloatArray]:
    """Translation and rotation vector (n, 6) that led to each sample, and their standard deviations; NaN: none."""
    known = np.asarray(np.isfinite(seen.motion).all(axis=1), np.bool_)
    moved, std = np.full((2, len(known), 6), np.nan)
    T_a_b = motion_to_T_a_b(seen.motion[known])
    moved[known, :3] = T_a_b[:, :3, 3]
    moved[known, 3:] = Rotation.from_matrix(T_a_b[:, :3, :3]).as_rotvec()
    std[known] = seen.motion_std[known]
    return moved, std


def _spread(
    moved: FloatArray, std: FloatArray, at: NDArray[np.intp], time_s: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Spread a motion evenly over the pairs that it covers; each of k pairs has sqrt(k) times its noise."""
    new = np.diff(at, prepend=-1) > 0
    begins = np.maximum.accumulate(np.where(new, np.arange(len(at)), 0))
    span_s = np.maximum(time_s[at] - time_s[begins], 1e-6)[:, None]
    return moved[at] / span_s, std[at] / span_s * np.sqrt(at - begins)[:, None]


def _noise(measured: FloatArray, std: FloatArray, clear: Mask, parameters: VelocityParameters) -> FloatArray:
    """The predicted standard deviations, capped at the usual ones, which also stand in where none is predicted.

    The prediction grows with the motion and is mostly one error of scale in common: treated as independent noise it
    would shrink fast motions towards the mean. The rest of it is part of the travel's uncertainty
    (`path.step_uncertainty`).
    """
    if not clear.any():
        return std
    share = np.where(clear[:, None], parameters.clear_noise, parameters.low_quality_noise)
    return np.fmin(std, share * np.maximum(measured[clear].std(axis=0), 1e-9))
