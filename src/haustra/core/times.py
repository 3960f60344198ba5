"""Times as users write them (seconds, MM:SS or HH:MM:SS(.mmm)), the nearest of many, and what counts as neighbours."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError

# The longest step of a pair: neighbours at 15 Hz, or with up to two frames dropped between them.
LONGEST_STEP_S = 0.21

_TIME = re.compile(r"(?:(?:(?P<h>\d+):)?(?P<m>\d{1,2}):)?(?P<s>\d+(?:\.\d*)?)", re.ASCII)


def parse_time(text: str) -> float:
    """Seconds of a user's time; minutes and seconds after a colon are below 60."""
    match = _TIME.fullmatch(text.strip())
    if match:
        hours, minutes, seconds = int(match["h"] or 0), int(match["m"] or 0), float(match["s"])
        if match["m"] is None or (seconds < 60 and (match["h"] is None or minutes < 60)):
            return hours * 3600 + minutes * 60 + seconds
    raise HaustraError(f"'{text}' is not a time: write seconds, MM:SS or HH:MM:SS(.mmm)")


def format_time(time_s: float) -> str:
    """`MM:SS`, with hours in front when there are any."""
    whole = round(time_s)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"


def nearest(known_s: NDArray[np.float64], wanted_s: NDArray[np.float64]) -> NDArray[np.intp]:
    """Place among `known_s` (increasing, not empty) of the time nearest to each wanted one; the earlier of two."""
    after = np.searchsorted(known_s, wanted_s).clip(0, len(known_s) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(known_s[before] - wanted_s) <= np.abs(known_s[after] - wanted_s), before, after)


def runs(time_s: NDArray[np.float64], apart_s: float) -> list[NDArray[np.float64]]:
    """The times cut where two neighbours are more than `apart_s` apart."""
    return np.split(time_s, np.flatnonzero(np.diff(time_s) > apart_s) + 1) if len(time_s) else []
