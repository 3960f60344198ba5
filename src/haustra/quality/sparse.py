"""Which frames the network has to look at: every second one, and those between two that do not clearly say the same.

The network is the dearest part of `locate` after decoding. Neighbours at 15 Hz are a fifteenth of a second apart, and
what makes a frame useless (wall, water, blur of a fast turn) lasts longer than that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from haustra.quality.decide import Thresholds

NEAR_S = 0.15  # two samples at 15 Hz, and a little for time stamps that are rounded
CLEARLY_BELOW = 0.2  # of the threshold
CLEARLY_ABOVE = 0.8  # of the way from the threshold to one

Ask = Callable[[NDArray[np.intp]], NDArray[np.float32]]


def ask_sparsely(times_s: NDArray[np.float64], ask: Ask, thresholds: Thresholds) -> NDArray[np.float32]:
    """p_noninformative and p_forceps (2, n) of frames in the order of time; `ask` gives those of some positions.

    A frame that was not looked at has the mean of its neighbours. Frames with forceps, and all beside one, are looked
    at: a biopsy takes out a second on either side, so its ends matter.
    """
    chances = np.full((2, len(times_s)), np.nan, np.float32)
    first = np.arange(0, len(times_s), 2, dtype=np.intp)
    chances[:, first] = ask(first)
    between = np.arange(1, len(times_s), 2, dtype=np.intp)
    alike = _alike(times_s, chances, between, thresholds)
    chances[:, between[alike]] = 0.5 * (chances[:, between[alike] - 1] + chances[:, between[alike] + 1])
    rest = between[~alike]
    chances[:, rest] = ask(rest)
    return chances


def _alike(
    times_s: NDArray[np.float64],
    chances: NDArray[np.float32],
    between: NDArray[np.intp],
    thresholds: Thresholds,
) -> NDArray[np.bool_]:
    """Whether both neighbours of a position are near, without forceps, and both clearly good or both clearly not."""
    after = np.minimum(between + 1, len(times_s) - 1)
    near = (between + 1 < len(times_s)) & (times_s[after] - times_s[between - 1] <= NEAR_S)
    limit = thresholds.noninformative
    good = chances[0] < CLEARLY_BELOW * limit
    poor = chances[0] >= limit + CLEARLY_ABOVE * (1 - limit)
    free = chances[1] < CLEARLY_BELOW * thresholds.forceps
    both = [mask[between - 1] & mask[after] for mask in (good, poor, free)]
    return np.asarray(near & (both[0] | both[1]) & both[2], np.bool_)
