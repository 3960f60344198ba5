"""Where to look into a recording when it is not read whole: bursts of neighbouring frames, spread evenly."""

from __future__ import annotations

import numpy as np

from haustra.video.problems import Problems
from haustra.video.recording import Recording

# A reader that seeks goes half a second back (`stream_source`): a burst that begins a little further behind a key frame
# is decoded from that one.
SEEK_S = 0.6
ENOUGH_KEYS = 0.75  # of the bursts


def burst_starts(
    recording: Recording, bursts: int, burst_s: float, from_s: float = 0.0, to_s: float | None = None
) -> list[float]:
    """Where bursts begin: just behind key frames, which cost little to seek to, if there are enough of them."""
    length_s = min(recording.duration_s or burst_s * bursts, np.inf if to_s is None else to_s)
    behind = [time_s + SEEK_S for time_s, _ in recording.source.spread(bursts, Problems())]
    usable = [start_s for start_s in behind if from_s <= start_s <= length_s - burst_s]
    if len(usable) >= ENOUGH_KEYS * bursts:
        return usable
    count = min(bursts, max(int((length_s - from_s) / burst_s), 1))
    return [float(start_s) for start_s in np.linspace(from_s, max(length_s - burst_s, from_s), count)]
