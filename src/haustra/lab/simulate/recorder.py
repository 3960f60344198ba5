"""How a recorder keeps the pictures of a scope: bits, lines, fields; and the video file that comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.lab.simulate.timeline import stream

Picture = NDArray[np.uint8]
MOST_LINES = 2160


@dataclass(frozen=True)
class Recorder:
    """`lines`: pictures are enlarged to so many, None: kept as they are. `interlaced`: every second line of a frame is
    that of the next one, so fields lie a whole frame apart, farther than those of a real recorder (half a frame).
    `bits_per_pixel`: 8 to 20 Mbit/s at 1080p30 are 0.13 to 0.32.
    """

    bits_per_pixel: float
    lines: int | None = None
    interlaced: bool = False

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height of the video of pictures of this size; the shape of the picture stays, to a pixel."""
        if self.lines is None:
            return width, height
        if not height <= self.lines <= MOST_LINES or self.lines % 2:
            raise HaustraError(
                f"a recorder with {self.lines} lines: give an even number from {height}, the lines of the picture, to"
                f" {MOST_LINES}"
            )
        return 2 * round(width * self.lines / height / 2), self.lines


def weave_fields(first: Picture, second: Picture) -> Picture:
    """The even lines of one frame and the odd ones of the next."""
    mixed = first.copy()
    mixed[1::2] = second[1::2]
    return mixed


class VideoWriter:
    """H.264 by one thread, so that the bytes do not depend on the cores.

    Without a recorder the quality is that of hospital recorders, whatever bits that takes.
    """

    def __init__(
        self, target: Path, seed: int, size: tuple[int, int], rate_hz: float, recorder: Recorder | None
    ) -> None:
        self._recorder, self._size = recorder, size if recorder is None else recorder.size(*size)
        self._before: Picture | None = None  # in an interlaced recording a frame waits for the next one
        self._container = av.open(str(target), "w")
        rate = Fraction(rate_hz).limit_denominator(1001)
        self._stream = self._container.add_stream("libx264", rate=rate)
        self._stream.width, self._stream.height = self._size
        quality = {}
        if recorder is None:
            quality["crf"] = str(int(stream(seed, "video").integers(18, 24)))
        else:
            self._stream.bit_rate = round(recorder.bits_per_pixel * self._size[0] * self._size[1] * rate_hz)
        # 4:2:0 would mix the colours of the two fields.
        self._stream.pix_fmt = "yuv422p" if recorder is not None and recorder.interlaced else "yuv420p"
        self._stream.options = {"preset": "veryfast", "threads": "1", **quality}
        self._stream.thread_count = 1

    def __enter__(self) -> VideoWriter:
        return self

    def add(self, picture: Picture) -> None:
        """The next frame."""
        if self._recorder is None:
            self._encode(picture)
            return
        if picture.shape[1::-1] != self._size:
            picture = np.asarray(cv2.resize(picture, self._size, interpolation=cv2.INTER_CUBIC), np.uint8)
        if not self._recorder.interlaced:
            self._encode(picture)
            return
        if self._before is not None:
            self._encode(weave_fields(self._before, picture))
        self._before = picture

    def _encode(self, picture: Picture) -> None:
        self._container.mux(self._stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            self._encode(self._before)
        self._container.mux(self._stream.encode())
        self._container.close()
