"""How much of the colon a recording shows, when the user did not say: the length of the way tells.

A part of a colon is shorter than a whole one. Colons differ, so a way between the two limits could be either, and is
called that. A few seconds, a scope that stands still, an insertion or a film of something else
tell nothing, and nothing is claimed.
"""

from __future__ import annotations

import numpy as np

from haustra.path.estimate import DRAWS, Travel
from haustra.terms import Extent

# In the units of the motion network. Whole colons, simulated and foreign, were 27 to 76 long (narrow ones are long: the
# unit is the calibre), so 60 may be all of one or most of another: only what is longer than all of them by far is
# surely whole, and the user can say that it is.
PART_BELOW = 18.0
SURE_ABOVE = 100.0
# To tell anything a recording must be this long, its way this long, and this many times as long as it is uncertain.
SHORTEST_S = 5.0
SHORTEST_WAY = 1.0
CLEARLY = 2.0


def extent_of(travel: Travel) -> Extent:
    """Unknown, part, unsure or whole."""
    ways = travel.draws(DRAWS, np.random.default_rng(0)).sum(axis=0)
    way = float(travel.step.sum())
    if travel.step_s.sum() < SHORTEST_S or way < SHORTEST_WAY or not ways.mean() > CLEARLY * ways.std():
        return Extent.UNKNOWN
    return Extent.PART if way < PART_BELOW else Extent.UNSURE if way < SURE_ABOVE else Extent.WHOLE
