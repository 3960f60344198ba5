"""Times as users write them (seconds, MM:SS or HH:MM:SS(.mmm)), the nearest of many, and what counts as neighbours."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError

# The longest step of a pair: neighbours at 15 Hz, or with up to two frames dropped between them.
LONGEST_STEP_S = 0.21
# No recording is longer than two days.
MOST_S = 172_800

_TIME = re.compile(r"(?:(?:(?P<h>\d{1,9}):)?(?P<m>\d{1,2}):)?(?P<s>\d{1,30}(?:\.\d{0,30})?)", re.ASCII)


def parse_time(text: str) -> float:
    """Seconds of a user's time; minutes and seconds after a colon are below 60."""
    match = _TIME.fullmatch(text.strip())
    if match:
        hours, minutes, seconds = int(match["h"] or 0), int(match["m"] or 0), float(match["s"])
        if match["m"] is None or (seconds < 60 and (match["h"] is None or minutes < 60)):
            return checked_seconds(hours * 3600 + minutes * 60 + seconds)
    raise _not_a_time(text[:60])


def seconds_of(given: Any) -> float:
    """Seconds from a number, or from text as a user writes it."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    return checked_seconds(given) if number else parse_time(str(given))


def checked_seconds(seconds: float) -> float:
    """A HaustraError unless it can be a time in a recording."""
    if not 0 <= seconds <= MOST_S:
        raise _not_a_time(str(seconds)[:20])
    return float(seconds)


def _not_a_time(text: str) -> HaustraError:
    return HaustraError(f"'{text}' is not a time: write seconds, MM:SS or HH:MM:SS(.mmm), two days at most")


def format_time(time_s: float) -> str:
    """`MM:SS`, with hours in front when there are any."""
    whole = round(time_s)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"


def exact_time(time_s: float) -> str:
    """As `format_time`, with the milliseconds that there are."""
    whole, thousandths = divmod(round(1000 * time_s), 1000)
    return format_time(whole) + f".{thousandths:03d}".rstrip("0").rstrip(".")


def nearest(known_s: FloatArray, wanted_s: FloatArray) -> NDArray[np.intp]:
    """Place among `known_s` (increasing, not empty) of the time nearest to each wanted one; the earlier of two."""
    after = np.searchsorted(known_s, wanted_s).clip(0, len(known_s) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(known_s[before] - wanted_s) <= np.abs(known_s[after] - wanted_s), before, after)


def runs(time_s: FloatArray, apart_s: float) -> list[FloatArray]:
    """The times cut where two neighbours are more than `apart_s` apart."""
    return np.split(time_s, np.flatnonzero(np.diff(time_s) > apart_s) + 1) if len(time_s) else []
