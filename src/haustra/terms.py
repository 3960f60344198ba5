"""Words that the stages share, each typed once: segments, reasons, what a place rests on, extent, defaults."""

from __future__ import annotations

from enum import StrEnum

# In the order of the withdrawal; segment numbers 1..6 are places in this tuple, counted from 1.
SEGMENTS = ("cecum", "ascending", "transverse", "descending", "sigmoid", "rectum")

# What is used unless the user names another: a camera preset, a colon template, a frame classifier.
GENERIC = "generic"
DEFAULT_TEMPLATE = "paper-set2"
DEFAULT_QUALITY = "lite"


class Reason(StrEnum):
    """Why a frame was dropped. In this order: the first that holds is the reason given."""

    KEPT = ""
    BLACK = "black"
    WHITE = "white"
    FROZEN = "frozen"
    FORCEPS = "forceps"
    NON_INFORMATIVE = "non-informative"
    BIOPSY = "biopsy"  # within a second of a frame that shows forceps


# The scope is held in place while an instrument is out.
INSTRUMENT = (Reason.FORCEPS, Reason.BIOPSY)


class Naming(StrEnum):
    """How segments are named."""

    TEMPLATE = "template"  # the location index cut by the template: the paper's way
    TIME = "time"  # the clock and the durations of real withdrawals
    DECODER = "decoder"  # location, time, bends of the path and landmarks together


class Basis(StrEnum):
    """What the place of a frame rests on: how its motion from the frame before was found."""

    SEEN = "seen"  # both frames are kept
    POOR = "poor"  # one of them was dropped: its motion counts by its uncertainty
    UNSEEN = "unseen"  # nothing was measured: how operators move


class Extent(StrEnum):
    """How much of the colon a recording shows."""

    GIVEN = "given"  # the user said from where to where
    LIKELY = "likely"  # it begins in the cecum, and its way is as long as a colon's
    UNSURE = "unsure"  # as long a way, but nobody said and nothing shows that it begins in the cecum
    PART = "part"
    UNKNOWN = "unknown"  # too little to tell anything

    @property
    def has_places(self) -> bool:
        """Whether the location index is a place in the colon; else it is progress through the recording."""
        return self in (Extent.GIVEN, Extent.LIKELY)
