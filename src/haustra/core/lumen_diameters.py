"""Inner diameter of the distended colon, segment by segment: one table for path, training and simulation.

About 48, 49, 42, 33, 27 and 36 mm from cecum to rectum, as quoted for CT colonography; the primary source could not be
verified. What could be checked agrees in the taper: CT of 119 adults without distension has medians of 46 mm
(ascending) and 29 mm (descending), and three insufflated colons measured by us have 56, 55, 44, 38, 32 and 44 mm.
Individuals differ by 15 to 19 % (standard deviation of the log diameter) at each place.
"""

from __future__ import annotations

# mm, in the order of SEGMENTS.
LUMEN_DIAMETER_MM = (48.0, 49.0, 42.0, 33.0, 27.0, 36.0)
