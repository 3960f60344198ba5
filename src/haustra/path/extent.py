"""How much of the colon a recording shows, when the user did not say: where it begins, and the length of the way.

A part of a colon is shorter than a whole one. Colons differ, so a long way may be all of one or most of another: it
tells only together with a beginning in the cecum, which the user states or an insertion shows. A few seconds, a scope
that stands still, an insertion or a film of something else tell nothing, and nothing is claimed.
"""

from __future__ import annotations

import numpy as np

from haustra.path.estimate import DRAWS, Travel
from haustra.terms import Extent

# In the units of the motion network. Fifteen whole colons, plain and wide, that report nothing were 30 to 79 long
# (narrow ones are long: the unit is the calibre).
PART_BELOW = 24.0
# To tell anything a recording must be this long, its way this long, and this many times as long as it is uncertain.
SHORTEST_S = 5.0
SHORTEST_WAY = 1.0
CLEARLY = 2.0


def extent_of(travel: Travel, *, begins: bool, share: float = 1.0) -> Extent:
    """Unknown, part, unsure or likely whole.

    `begins`: the place of the first frame is known; `share` of the colon lies between it and the end.
    """
    ways = travel.draws(DRAWS, np.random.default_rng(0)).sum(axis=0)
    way = float(travel.step.sum())
    if travel.step_s.sum() < SHORTEST_S or way < SHORTEST_WAY or not ways.mean() > CLEARLY * ways.std():
        return Extent.UNKNOWN
    if way < share * PART_BELOW:
        return Extent.PART
    return Extent.LIKELY if begins else Extent.UNSURE
