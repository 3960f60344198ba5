"""What the network doubts: steps that are too large for it.

Beyond about 0.2 of its units (a fifth of the calibre) from picture to picture the network finds next to nothing, and
says so: what it states is then more than what it found. Such a step is far off, its neighbours are off with it, and in
a withdrawal it is a pull.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from haustra.path.steady import PairVelocities
from haustra.poses import FloatArray

# All were set on simulated recordings that report nothing: withdrawals of 35 s and of 120 s, plain and wide, and with
# most frames spoilt. The error that a step has in common with its neighbours, by what is stated for it, and how long it
# is alike.
STATED = 0.5
DOUBT_S = 4.0
# Up to this share of what was found is stated for every step; what goes beyond it is doubt. In withdrawals of 35 s the
# error of a seen step is 0.03 without doubt, in units of the network, and 0.2 where twice as much is stated as found.
USUAL_SHARE = 0.7
# How much further than found the camera was drawn back in a doubted step, by its doubt; the doubt of one step that
# counts; and the error of that, in common, too.
PULL = 2.0
MOST_PULLED = 0.2
PULL_ERROR = 2.0


def stated_errors(pairs: PairVelocities) -> FloatArray:
    """Deviation of each step (n,) that it has in common with its neighbours; 0 in gaps."""
    return STATED * _stated(pairs)


def pull_errors(pairs: PairVelocities) -> FloatArray:
    """The same of what a doubted step is drawn back further."""
    return PULL_ERROR * doubts(pairs)


def pulled(pairs: PairVelocities) -> PairVelocities:
    """The pairs of a withdrawal: where a step is doubted, the camera was drawn back further than was found."""
    measured = pairs.measured.copy()
    measured[:, 2] -= PULL * np.minimum(doubts(pairs), MOST_PULLED) / pairs.step_s
    return replace(pairs, measured=measured)


def doubts(pairs: PairVelocities) -> FloatArray:
    """Of each step (n,) as a length: how much more is stated than goes with what was found; 0 in gaps."""
    found = np.linalg.norm(pairs.measured[:, :3], axis=1) * pairs.step_s
    return np.maximum(_stated(pairs) - USUAL_SHARE * np.nan_to_num(found), 0.0)


def _stated(pairs: PairVelocities) -> FloatArray:
    """Of each step (n,): what is stated for its length; 0 in gaps, and where nothing is."""
    if pairs.stated is None:
        return np.zeros(len(pairs.step_s))
    stated = np.linalg.norm(pairs.stated[:, :3], axis=1) * pairs.step_s
    return np.where(pairs.seen & np.isfinite(stated), stated, 0.0)


def lasting(step_s: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Noise (n, count) of unit spread that is forgotten within DOUBT_S."""
    kept = _kept(step_s)
    noise = rng.standard_normal((len(step_s), count))
    noise[1:] *= np.sqrt(1.0 - kept**2)
    for before, now in pairwise(noise):  # scipy's filter brings all of its statistics, half a second of imports
        now += kept * before
    return noise


def lasting_with_sum(step_s: FloatArray, weight: FloatArray) -> FloatArray:
    """Covariance (n,) of this noise with its sum by `weight` (n,)."""
    kept = _kept(step_s)
    before, after = weight.copy(), weight.copy()
    for k in range(1, len(weight)):
        before[k] += kept * before[k - 1]
        after[-k - 1] += kept * after[-k]
    return before + after - weight


def _kept(step_s: FloatArray) -> float:
    return float(np.exp(-np.median(step_s) / DOUBT_S))
