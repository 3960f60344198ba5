"""How far a recording is located, from the chunks that its run has left on disk: whoever runs it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from haustra.quality.samples import CHUNK_S
from haustra.results.folder import WORK
from haustra.video.recording import RATE_HZ


@dataclass(frozen=True)
class JobProgress:
    """`share` of the recording that was looked at; frames a second and seconds left where they can be told yet."""

    share: float | None
    frames_per_s: float | None = None
    left_s: float | None = None

    def as_dict(self) -> dict[str, float | None]:
        return {"share": self.share, "frames_per_s": self.frames_per_s, "left_s": self.left_s}


class JobMeter:
    """Watches one run from when it began here: what an earlier run had done says nothing of the rate."""

    def __init__(self, folder: Path, length_s: float | None) -> None:
        self._work, self._length_s = folder / WORK, length_s
        self._first: tuple[float, int] | None = None
        self._last: tuple[float, int] | None = None

    def read(self) -> JobProgress:
        done = sum(1 for _ in self._work.glob("chunk-*.npz")) if self._work.is_dir() else 0
        now = time.monotonic()
        self._first = self._first or (now, done)
        if self._last is None or done != self._last[1]:
            self._last = (now, done)
        if self._length_s is None or self._length_s <= 0:
            return JobProgress(None)
        share = min(done * CHUNK_S / self._length_s, 1.0)
        began, had = self._first
        at, have = self._last
        if have <= had or at <= began:
            return JobProgress(share)
        per_s = (have - had) * CHUNK_S / (at - began)  # seconds of the recording
        left_s = max((self._length_s - have * CHUNK_S) / per_s - (now - at), 0.0)
        return JobProgress(share, per_s * RATE_HZ, left_s)
