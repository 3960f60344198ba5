"""Sparse classification: the network sees every other frame, and those between two that do not clearly agree.

After decoding, the network costs most of `locate`. At 15 Hz neighbours are a fifteenth of a second apart, and what
makes a frame useless (wall, water, motion blur) lasts longer than that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Float32Array, FloatArray, Mask
from haustra.quality.decide import Thresholds

NEAR_S = 0.15  # two samples at 15 Hz, and a little for time stamps that are rounded
CLEARLY_BELOW = 0.2  # of the threshold
CLEARLY_ABOVE = 0.8  # of the distance from the threshold to one

Classify = Callable[[NDArray[np.intp]], Float32Array]


def classify_sparsely(times_s: FloatArray, classify: Classify, thresholds: Thresholds) -> Float32Array:
    """p_noninformative and p_forceps (2, n) of frames in the order of time; `classify` gives those of some positions.

    A frame that was not classified has the mean of its neighbours. Frames with forceps, and all beside one, are
    classified: a biopsy takes out a second on either side, so its ends matter.
    """
    scores = np.full((2, len(times_s)), np.nan, np.float32)
    first = np.arange(0, len(times_s), 2, dtype=np.intp)
    scores[:, first] = classify(first)
    between = np.arange(1, len(times_s), 2, dtype=np.intp)
    agree = _neighbours_agree(times_s, scores, between, thresholds)
    scores[:, between[agree]] = 0.5 * (scores[:, between[agree] - 1] + scores[:, between[agree] + 1])
    rest = between[~agree]
    scores[:, rest] = classify(rest)
    return scores


def _neighbours_agree(
    times_s: FloatArray, scores: Float32Array, between: NDArray[np.intp], thresholds: Thresholds
) -> Mask:
    """Whether both neighbours are near, without forceps, and both clearly informative or both clearly not."""
    after = np.minimum(between + 1, len(times_s) - 1)
    near = (between + 1 < len(times_s)) & (times_s[after] - times_s[between - 1] <= NEAR_S)
    limit = thresholds.noninformative
    informative = scores[0] < CLEARLY_BELOW * limit
    not_informative = scores[0] >= limit + CLEARLY_ABOVE * (1 - limit)
    no_forceps = scores[1] < CLEARLY_BELOW * thresholds.forceps
    both = [mask[between - 1] & mask[after] for mask in (informative, not_informative, no_forceps)]
    return np.asarray(near & (both[0] | both[1]) & both[2], np.bool_)
