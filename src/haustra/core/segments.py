"""The segments of the colon in the order of a withdrawal: one row each, with all that the package knows of it.

A further segment is a row here and its drawing in `anatomy.colon_map`. What has to be measured or trained anew is data:
templates, durations, the bend network.

- Inner diameter of the distended colon: about 48, 49, 42, 33, 27 and 36 mm from cecum to rectum, as quoted for CT
  colonography; the primary source could not be verified. What could be checked agrees in the taper: CT of 119 adults
  without distension has medians of 46 mm (ascending) and 29 mm (descending), and three insufflated colons measured by
  us have 56, 55, 44, 38, 32 and 44 mm. Individuals differ by 15 to 19 % (standard deviation of the log diameter).
- Middle: location index of the middle of the segment (the paper's table tbl_compare_template, Set 3).
- Colours: Paul Tol's "bright" scheme, made for readers who see colours differently. In the order of the colon its hues
  run from blue to purple, so neighbours stay apart in the three common kinds of colour blindness and in a grey print.
- SNOMED CT codes: those of DICOM's context group of the large intestine.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Segment:
    """`flexure` is the one that the withdrawal leaves when it enters the segment; empty where there is none."""

    name: str
    flexure: str
    lumen_diameter_mm: float
    middle: float
    colour: str
    snomed: tuple[str, str]  # code and meaning


COLON = (
    Segment("cecum", "", 48.0, 0.034, "#4477aa", ("32713005", "Cecum")),
    Segment("ascending", "", 49.0, 0.138, "#66ccee", ("9040008", "Ascending colon")),
    Segment("transverse", "hepatic", 42.0, 0.332, "#228833", ("485005", "Transverse colon")),
    Segment("descending", "splenic", 33.0, 0.556, "#ccbb44", ("32622004", "Descending colon")),
    Segment("sigmoid", "", 27.0, 0.780, "#ee6677", ("60184004", "Sigmoid colon")),
    Segment("rectum", "", 36.0, 0.951, "#aa3377", ("34402009", "Rectum")),
)

SEGMENTS = tuple(segment.name for segment in COLON)
LUMEN_DIAMETER_MM = tuple(segment.lumen_diameter_mm for segment in COLON)
MIDDLES = tuple(segment.middle for segment in COLON)
SEGMENT_COLOURS = {segment.name: segment.colour for segment in COLON}
# The segment that the withdrawal enters when it leaves a flexure: a flexure belongs to the segment before it.
FLEXURES = {segment.flexure: segment.name for segment in COLON if segment.flexure}
