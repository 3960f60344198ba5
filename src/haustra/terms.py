"""Words that the stages share, each typed once: segments, why a frame was dropped, how a gap was crossed, defaults."""

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
    """How segments are told."""

    TEMPLATE = "template"  # the location index cut by the template: the paper's way
    TIME = "time"  # the clock and the durations of real withdrawals
    DECODER = "decoder"  # location, time, bends of the path and landmarks together


class Gap(StrEnum):
    """How the pose of a kept frame was reached from the kept frame before it."""

    NONE = ""  # they are neighbours
    ESTIMATED = "estimated"  # by their pair, across removed frames
    BRIDGED = "bridged"  # at the speed around the gap
