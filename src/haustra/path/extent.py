"""How much of the colon a recording shows, when the user did not say: the length of the way in calibres tells.

A whole colon is some seventy lumen radii long; a part of it is shorter. Colons differ, so a way between the two limits
could be either, and is called that. A few seconds, a scope that stands still, an insertion or a film of something else
tell nothing, and nothing is claimed.
"""

from __future__ import annotations

import numpy as np

from haustra.path.estimate import DRAWS, Travel
from haustra.terms import Extent

# In the units of the motion network. Whole colons, simulated and foreign, lie around WHOLE_WAY with a spread of about
# 0.3 of it: less than two spreads below is a part, less than one may be either.
WHOLE_WAY = 40.0
PART_BELOW = 0.5 * WHOLE_WAY
SURE_ABOVE = 0.75 * WHOLE_WAY
# To tell anything a recording must be this long, and its way this many times as long as it is uncertain.
SHORTEST_S = 5.0
CLEARLY = 2.0


def extent_of(travel: Travel, *, in_calibres: bool) -> Extent:
    """Unknown, part, unsure or whole; a method that does not measure in calibres cannot tell a part."""
    ways = travel.draws(DRAWS, np.random.default_rng(0)).sum(axis=0)
    if travel.step_s.sum() < SHORTEST_S or not ways.mean() > CLEARLY * ways.std():
        return Extent.UNKNOWN
    if not in_calibres:
        return Extent.WHOLE
    way = float(travel.step.sum())
    return Extent.PART if way < PART_BELOW else Extent.UNSURE if way < SURE_ABOVE else Extent.WHOLE
