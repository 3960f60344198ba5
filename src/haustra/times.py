"""Times as users write them: seconds, MM:SS or HH:MM:SS(.mmm)."""

from __future__ import annotations

import re

from haustra.errors import HaustraError

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
