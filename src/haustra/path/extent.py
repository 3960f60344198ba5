"""Threshold decision: does a recording show a whole colon or a part? By path length, and by where it begins.

A part of a colon is shorter than a whole one. Colons differ, so a long path may be all of one or most of another: the
length decides only together with a beginning in the cecum, which the user states or an insertion shows. A few seconds,
a scope at rest, an insertion or a film of something else decide nothing.
"""

from __future__ import annotations

import numpy as np

from haustra.core.vocabulary import Extent
from haustra.path.parameters import PathParameters
from haustra.path.travel import Travel


def extent_of(travel: Travel, parameters: PathParameters, *, start_known: bool, share: float = 1.0) -> Extent:
    """Unknown, part, unsure or likely whole.

    `start_known`: the place of the first frame is known; `share` of the colon lies between it and the end.
    """
    limits = parameters.extent
    lengths = travel.draws(parameters.location.draws, np.random.default_rng(0)).sum(axis=0)
    length = float(travel.step.sum())
    certain = lengths.mean() > limits.signal_to_noise * lengths.std()
    if travel.step_s.sum() < limits.shortest_s or length < limits.shortest_path or not certain:
        return Extent.UNKNOWN
    if length < share * limits.part_below:
        return Extent.PART
    return Extent.LIKELY if start_known else Extent.UNSURE
