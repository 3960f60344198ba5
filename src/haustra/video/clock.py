"""Times of frames from their stamps, and which frames fall on the sampling grid. No I/O here."""

from __future__ import annotations

import math
from collections import deque

# Containers round stamps (Matroska to 1 ms): a frame this much before a grid time still belongs to it.
GRID_TOLERANCE_S = 0.002
# Stamps that go back further than this are a restarted clock, not jitter.
RESTART_S = 1.0
# More than any codec keeps back to put frames in order.
REORDERED = 64


class Clock:
    """Turns stamps (seconds, or None where missing) into times since the first frame that never go back.

    A missing stamp, or one that does not go forward, is replaced by the time before plus one frame of the average
    rate. A clock that starts again (the recorder paused, files were joined) continues from where it was.
    """

    def __init__(self, origin_s: float, frame_rate: float) -> None:
        self._offset_s = -origin_s
        self._frame_rate = frame_rate
        self._anchor_s, self._since_anchor = 0.0, 0
        self.previous_s: float | None = None
        self.restarts = 0

    def time_of(self, stamp_s: float | None) -> float:
        previous = self.previous_s
        # Nanoseconds: stamps are fractions, and a frame at 1 s must not be just before 1 s.
        time = None if stamp_s is None else round(stamp_s + self._offset_s, 9)
        if time is None or (previous is not None and time <= previous):
            following = 0.0 if previous is None else self._following()
            if time is not None and previous is not None and time < previous - RESTART_S:
                self.restarts += 1
                self._offset_s += following - time
            time = following
        else:
            self._anchor_s, self._since_anchor = time, 0
        self.previous_s = time
        return time

    def _following(self) -> float:
        """Counted from the last good stamp, so that rounding does not add up."""
        self._since_anchor += 1
        return round(self._anchor_s + self._since_anchor / self._frame_rate, 9)


def on_grid(previous_s: float | None, time_s: float, rate_hz: float) -> bool:
    """Whether the frame is the first at or after some grid time k / rate_hz.

    It needs nothing but the time of the frame before, so the choice does not depend on where reading began. A source
    slower than the grid gives each of its frames once.
    """
    if previous_s is None:
        return True
    return _cell(time_s, rate_hz) > _cell(previous_s, rate_hz)


class OffGrid:
    """Tells from the times of packets, which come in the order of decoding, whose frames `on_grid` will not take.

    A frame is off the grid when one before it lies in the same cell. Of the packets that come later none can change
    that, so the answer is sure before anything is decoded; where it is not, the frame counts as wanted.
    """

    def __init__(self, rate_hz: float) -> None:
        self._rate_hz = rate_hz
        self._seen: deque[float] = deque(maxlen=REORDERED)

    def __call__(self, time_s: float) -> bool:
        before_s = max((seen_s for seen_s in self._seen if seen_s < time_s), default=None)
        self._seen.append(time_s)
        return not on_grid(before_s, time_s, self._rate_hz)


def _cell(time_s: float, rate_hz: float) -> int:
    return math.floor((time_s + GRID_TOLERANCE_S) * rate_hz)
