"""The overlay video: the recording, small enough for any browser, with a panel that says where the camera is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import av
import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.frame_places import has_segments
from haustra.core.errors import HaustraError
from haustra.core.files import replacing
from haustra.core.progress import Progress, silent
from haustra.core.times import nearest
from haustra.report import panel as panels

if TYPE_CHECKING:
    from haustra.anatomy import Template
    from haustra.video import Box, Recording

HEIGHT: Final = 720
MIN_WIDTH: Final = 480
# A capsule or a simulation may be 160 pixels small: beside the panel it would be a stamp.
MIN_PICTURE: Final = 384
RATE_HZ: Final = 15
KEYFRAME_EVERY: Final = 15
TIME_BASE: Final = Fraction(1, 90_000)
# Always as many: x264 makes other bytes with another number of them.
ENCODER_THREADS: Final = 4
ENCODER: Final = {"preset": "ultrafast", "crf": "26"}
FRAME_COLOUR: Final = (122, 128, 134)


def write_overlay(
    recording: Recording,
    table: pl.DataFrame,
    out: Path,
    *,
    template: Template,
    start_s: float,
    end_s: float | None = None,
    crop: Box | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> float:
    """Write the overlay as H.264 with a key frame every second; the time of its first picture is given back.

    Pictures keep the time stamps of the recording, so the video stays in step where the frame rate varies.
    """
    width, height = fitted(recording, crop, HEIGHT - panels.HEIGHT, MIN_PICTURE)
    canvas = _Canvas(table, template, width, height)
    frames = recording.frames(
        rate_hz=RATE_HZ, start_s=start_s, end_s=end_s, size=(width, height), crop=crop, threads=threads
    )
    first_s: float | None = None
    with replacing(out) as temporary, _encoder(temporary, canvas.size) as encode:
        for done, frame in enumerate(frames, start=1):
            first_s = frame.time_s if first_s is None else first_s
            encode(canvas.draw(frame.time_s, frame.image), frame.time_s - first_s)
            progress(done)
        if first_s is None:
            raise HaustraError(f"no frame between {start_s} s and {end_s} s in {recording.path}: nothing to overlay")
    return first_s


def fitted(recording: Recording, crop: Box | None, height: int, at_least: int = 0) -> tuple[int, int]:
    """Width and height, both even, of the picture at most `height` high; scaled up only below `at_least`."""
    source_width, source_height = (crop.width, crop.height) if crop else (recording.width, recording.height)
    height = min(height, max(source_height, at_least)) // 2 * 2 or 2
    return max(round(source_width * height / source_height / 2) * 2, 2), height


class _Canvas:
    """The picture with the panel below; a narrow picture stands in the middle."""

    def __init__(self, table: pl.DataFrame, template: Template, width: int, height: int) -> None:
        full = max(width, MIN_WIDTH)
        self.size = (full, height + panels.HEIGHT)
        self._image: NDArray[np.uint8] = np.zeros((height + panels.HEIGHT, full, 3), dtype=np.uint8)
        left = (full - width) // 2
        self._picture = self._image[:height, left : left + width]
        self._bottom = self._image[height:]
        self._panel = panels.Panel(full, template.boundaries if has_segments(table) else None)
        self._rows = table
        self._times = table["time_s"].to_numpy()

    def draw(self, time_s: float, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        row = self._row(time_s)
        self._picture[:] = picture
        if row is not None:
            caption = panels.caption_of(row)
            if caption.status:
                _frame(self._picture)
            self._bottom[:] = self._panel.draw(caption)
        return self._image

    def _row(self, time_s: float) -> dict[str, Any] | None:
        if not len(self._times):
            return None
        return self._rows.row(int(nearest(self._times, np.array(time_s))), named=True)


def _frame(picture: NDArray[np.uint8]) -> None:
    """A thin grey frame: this picture was not used."""
    for edge in (picture[:3], picture[-3:], picture[:, :3], picture[:, -3:]):
        edge[:] = FRAME_COLOUR


@contextmanager
def _encoder(file: Path, size: tuple[int, int]) -> Iterator[Any]:
    with av.open(str(file), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        stream: Any = container.add_stream("libx264", rate=RATE_HZ, options=ENCODER)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        context = stream.codec_context
        context.gop_size, context.time_base, context.thread_count = KEYFRAME_EVERY, TIME_BASE, ENCODER_THREADS

        def encode(image: NDArray[np.uint8], time_s: float) -> None:
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = round(time_s / TIME_BASE), TIME_BASE
            container.mux(stream.encode(frame))

        yield encode
        container.mux(stream.encode(None))
