"""Warnings of stage 6: what a reader should know before trusting the locations."""

from __future__ import annotations

from haustra.core.arrays import Mask
from haustra.core.times import format_time
from haustra.core.vocabulary import Extent
from haustra.path.parameters import PathParameters
from haustra.path.withdrawal_start import StartEstimate

_OF_EXTENT = {
    Extent.UNKNOWN: (
        "too little is seen of a withdrawal (a few seconds, a scope at rest, an insertion, or no colonoscopy): "
        "no location can be given"
    ),
    Extent.PART: (
        "part of a colon: the path is too short for a whole withdrawal, so no segments are named and the location "
        "index is progress through this recording; give --from and --to if you know where it begins and ends"
    ),
    Extent.UNSURE: (
        "this may be part of a colon: nothing shows that it begins in the cecum, so no segments are named and the "
        "location index is progress through this recording; give --withdrawal-start if it does, or --from and --to"
    ),
    Extent.LIKELY: (
        "taken for a whole colon: its path is as long as one from the cecum on; give --from and --to if it is a part"
    ),
}


def path_warnings(kept: Mask, start: StartEstimate | None, extent: Extent, parameters: PathParameters) -> list[str]:
    """On the start where it was searched for, on the extent, and on frames that were dropped."""
    warnings = []
    if start is not None and start.confidence < parameters.start.sure:
        warnings.append(
            f"the start of the withdrawal was taken to be {format_time(start.time_s)} with a confidence of only "
            f"{start.confidence:.0%}: check it and give --withdrawal-start"
        )
    if extent in _OF_EXTENT:
        warnings.append(_OF_EXTENT[extent])
    dropped = 1 - float(kept.mean())
    if dropped > parameters.withdrawal.many_dropped:
        warnings.append(f"{dropped:.0%} of the frames were dropped: the path rests on few")
    return warnings
