"""Words that several stages share, each defined once: boundaries, reasons, labelling methods, defaults."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from haustra.core.segments import FLEXURES as FLEXURES
from haustra.core.segments import SEGMENTS as SEGMENTS

# Used unless the user chooses another: camera preset, colon template, frame classifier.
GENERIC = "generic"
AUTO = "auto"  # the camera: found from the recording
DEFAULT_TEMPLATE = "paper-set2"
DEFAULT_QUALITY = "lite"
NO_QUALITY = "none"  # no frame classifier: nothing is dropped

# What can be asked for by name: frame classifiers, and methods of optical flow (the first is the default).
QUALITY_NAMES = (DEFAULT_QUALITY, "inception_v3")
FLOW_NAMES = ("dis", "lk", "farneback", "pwcnet")


@dataclass(frozen=True)
class Boundary:
    """Between two neighbouring segments; `number` counts from 1 in the order of a withdrawal."""

    number: int
    left: str
    entered: str

    @property
    def names(self) -> tuple[str, ...]:
        """What a user may call it: the flexure that ends here, if there is one, and the segment that begins."""
        return (*(flexure for flexure, segment in FLEXURES.items() if segment == self.entered), self.entered)


BOUNDARIES = tuple(Boundary(number, *segments) for number, segments in enumerate(pairwise(SEGMENTS), 1))

# Arrays hold segment numbers: 1 for the first segment and so on, 0 for none.
_NUMBERS = {name: number for number, name in enumerate(SEGMENTS, 1)}


# In place of a segment, where a user wants none named that is less probable than a level.
UNSURE = "unsure"


def segment_number(name: str | None) -> int:
    """The number of a segment; 0 for anything that is not one."""
    return _NUMBERS.get(name or "", 0)


def segment_name(number: int) -> str:
    """The name of a segment; empty for 0."""
    return SEGMENTS[number - 1] if number else ""


class Reason(StrEnum):
    """Why a frame was dropped. The first that applies, in this order, is the one given."""

    KEPT = ""
    BLACK = "black"
    WHITE = "white"
    FROZEN = "frozen"
    FORCEPS = "forceps"
    NON_INFORMATIVE = "non-informative"
    BIOPSY = "biopsy"  # within a second of a frame that shows forceps


# These frames show nothing: they have no motion, and the next frame is compared with the last that shows something.
BLANK = (Reason.BLACK, Reason.WHITE, Reason.FROZEN)
# The scope is held still while an instrument is out.
INSTRUMENT = (Reason.FORCEPS, Reason.BIOPSY)


class Naming(StrEnum):
    """How segments are labelled."""

    TEMPLATE = "template"  # the location index cut by the colon template, as in the paper
    TIME = "time"  # elapsed time and the durations of real withdrawals
    DECODER = "decoder"  # location, time, shape of the path, views of the cecum and landmarks together


class IndexMethod(StrEnum):
    """How the location index is made."""

    OURS = "ours"  # one estimate from all motions, dropped frames included, with its uncertainty
    PAPER = "paper"  # kept frames chained, spline, projection


class Basis(StrEnum):
    """What the location of a frame rests on: how the motion from the frame before it was obtained."""

    SEEN = "seen"  # both frames are kept
    POOR = "poor"  # at least one was dropped; its motion counts by its uncertainty
    UNSEEN = "unseen"  # not measured; filled from the motion prior (--index paper: bridged or interpolated)


class Extent(StrEnum):
    """How much of the colon a recording shows."""

    GIVEN = "given"  # the user said where it begins and ends
    LIKELY = "likely"  # it begins in the cecum and its path is as long as a colon's
    UNSURE = "unsure"  # the path is long enough, but nothing shows that it begins in the cecum
    PART = "part"
    UNKNOWN = "unknown"  # too little to tell

    @property
    def has_places(self) -> bool:
        """Whether the location index is a place in the colon; otherwise it is progress through the recording."""
        return self in (Extent.GIVEN, Extent.LIKELY)
