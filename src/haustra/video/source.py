"""What a recording is read from: a file that PyAV decodes (`stream_source`) or a picture folder (`folder_source`)."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from haustra.video.problems import Problems

Decoded = tuple[float, Any]  # seconds since the first frame, av.VideoFrame


@dataclass(frozen=True)
class Properties:
    """What is known after the first frame, without reading on. Sizes are as stored: before turning and stretching."""

    width: int
    height: int
    rotation: int
    pixel_aspect: Fraction
    frame_rate: float
    duration_s: float | None
    start_time_s: float
    codec: str
    continuous: bool = True  # False: neighbours may lie far apart in time

    @property
    def display(self) -> tuple[int, int]:
        """Width and height as shown: square pixels, upright."""
        width = max(1, round(self.width * self.pixel_aspect))
        return (self.height, width) if self.rotation % 180 else (width, self.height)


class Source(Protocol):
    """Where the frames of a recording come from."""

    properties: Properties

    def decode(
        self, start_s: float, threads: int, problems: Problems, rate_hz: float | None = None, offset_s: float = 0.0
    ) -> Generator[Decoded]:
        """Frames in order to the end of the file, from at least one frame before `start_s` (or from the first).

        Frames that `on_grid` does not take at `rate_hz` may be left out; `offset_s` is when the file begins on the
        clock of that grid.
        """

    def spread(self, count: int, problems: Problems) -> Generator[Decoded]:
        """At most `count` different frames spread over the recording, found by seeking: cheap, not exact in time."""

    def stamps(self) -> Iterator[float | None]:
        """The stamp of every frame in the file in seconds since the first, in file order, without decoding."""
