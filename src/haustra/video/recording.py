"""A recording: what is known about it, and its frames as a stream that never holds more than a few of them."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from functools import cached_property
from itertools import islice
from pathlib import Path

from haustra.core.addresses import VideoPaths, names_of, paths_of, shown_name
from haustra.core.arrays import Image
from haustra.core.errors import HaustraError
from haustra.core.pictures import numbered_pictures
from haustra.core.times import format_time
from haustra.video.clock import on_grid
from haustra.video.convert import Converter, Size
from haustra.video.deinterlace import deinterlaced, is_interlaced
from haustra.video.dicom import DicomVideo, is_dicom
from haustra.video.folder_source import FolderSource
from haustra.video.joined_source import JoinedSource, Part
from haustra.video.problems import Problems
from haustra.video.source import Decoded, Source
from haustra.video.stream_source import StreamSource
from haustra.video.types import Box, Frame

RATE_HZ = 15.0
# Where there are fewer key frames to seek to, this much from the start is decoded for `stills` instead.
ENOUGH_STILLS = 8
STILLS_WITHIN_S = 60.0
COMB_STILLS = 8


class Recording:
    """An opened recording; sizes are those of the frame as shown (upright, square pixels).

    `duration_s` is what the file states, None where it states nothing. Frames of an interlaced recording come
    deinterlaced. `path` is the first file of a recording in `parts`, which is empty for one in a single file, and
    `name` stands for it in every output.
    """

    def __init__(self, path: Path, name: str, source: Source, parts: tuple[Part, ...] = ()) -> None:
        self.path = path
        self.name = name
        self.source = source
        self.parts = parts
        self.width, self.height = source.properties.display
        self.duration_s = source.properties.duration_s
        self.frame_rate = source.properties.frame_rate
        self.codec = source.properties.codec
        self.start_time_s = source.properties.start_time_s

    @property
    def shown_as(self) -> dict[Path, str]:
        """What stands for each file in outputs."""
        return {part.path: part.name for part in self.parts} or {self.path: self.name}

    @property
    def paths(self) -> tuple[Path, ...]:
        """All its files, in their order."""
        return tuple(part.path for part in self.parts) or (self.path,)

    @property
    def breaks_s(self) -> tuple[float, ...]:
        """When a further part begins: nothing is known about what lay between two files."""
        return tuple(part.start_s for part in self.parts[1:])

    def frames(
        self,
        *,
        rate_hz: float | None = RATE_HZ,
        start_s: float = 0.0,
        end_s: float | None = None,
        size: Size | None = None,
        crop: Box | None = None,
        threads: int | None = None,
        problems: Problems | None = None,
    ) -> Iterator[Frame]:
        """Frames with start_s <= time < end_s, sampled by their time stamps at `rate_hz` (None: every frame).

        Each grid time k / rate_hz gives the first frame at or after it, no frame comes twice. `crop` is a box in the
        frame, `size` the (width, height) wanted. `threads` is for decoding (None: as many as there are cores).
        `problems` collects what is wrong with the recording, as far as the frames are consumed.
        """
        self._check(rate_hz, start_s, end_s, size, crop)
        # Pictures of a folder may lie far apart: each is made whole from one of its own fields.
        one_field = self.interlaced and not self.source.properties.continuous
        convert = self._converter(crop, size, one_field)
        return self._frames(rate_hz, start_s, end_s, convert, threads or 0, problems or Problems())

    def stills(self, count: int, problems: Problems | None = None) -> Iterator[tuple[float, Image]]:
        """At most `count` (time, RGB picture) spread over the recording, found by seeking: cheap, at no exact times."""
        convert, problems = self._converter(None, None, self.interlaced), problems or Problems()
        found = 0
        for time_s, frame in self.source.spread(count, problems):
            found += 1
            yield time_s, convert(frame)
        if found < ENOUGH_STILLS:  # one key frame at the start of it all, or no stamps to seek by
            rate_hz = count / min(self.duration_s or STILLS_WITHIN_S / 4, STILLS_WITHIN_S)
            for item in self.frames(rate_hz=rate_hz, end_s=STILLS_WITHIN_S, problems=problems):
                yield item.time_s, item.image

    @cached_property
    def interlaced(self) -> bool:
        """Whether the two fields of a frame were taken one after the other; a few frames spread over the file tell."""
        ignored = Problems()
        frames = [frame for _, frame in self.source.spread(COMB_STILLS, ignored)]
        if len(frames) < COMB_STILLS // 2:
            with closing(self.source.decode(0.0, 1, ignored)) as decoded:
                frames = [frame for _, frame in islice(decoded, COMB_STILLS)]
        return is_interlaced(frames)

    def _decoded(self, start_s: float, threads: int, problems: Problems, rate_hz: float | None) -> Generator[Decoded]:
        """Frames of the source, whole ones."""
        if self.interlaced and self.source.properties.continuous:
            return deinterlaced(self.source.decode(start_s, threads, problems), self.breaks_s)
        return self.source.decode(start_s, threads, problems, rate_hz)

    def _frames(
        self,
        rate_hz: float | None,
        start_s: float,
        end_s: float | None,
        convert: Converter,
        threads: int,
        problems: Problems,
    ) -> Iterator[Frame]:
        index, previous_s = 0, None
        decoded = self._decoded(start_s, threads, problems, rate_hz)
        try:
            for time_s, frame in decoded:
                if end_s is not None and time_s >= end_s:
                    return
                if time_s >= start_s and (rate_hz is None or on_grid(previous_s, time_s, rate_hz)):
                    self._check_size(frame.width, frame.height, time_s, problems)
                    yield Frame(index, time_s, convert(frame))
                    index += 1
                previous_s = time_s
            self._check_end(previous_s or 0.0, start_s, problems)
        finally:
            decoded.close()

    def _check_size(self, width: int, height: int, time_s: float, problems: Problems) -> None:
        expected = self.source.properties.width, self.source.properties.height
        if (width, height) != expected:
            problems.size_changes(f"{width}x{height}", f"{expected[0]}x{expected[1]}", time_s)

    def _check_end(self, last_s: float, start_s: float, problems: Problems) -> None:
        """The stream is at its end: was it too early, or before the first requested frame?"""
        end_s = last_s + 1.0 / self.frame_rate
        problems.cut_off(end_s, self.duration_s)
        if start_s > last_s:
            raise HaustraError(
                f"the start {format_time(start_s)} is past the end of {self.path} ({format_time(end_s)}): start earlier"
            )

    def _converter(self, crop: Box | None, size: Size | None, one_field: bool) -> Converter:
        display, rotation = (self.width, self.height), self.source.properties.rotation
        return Converter(display, rotation, crop, size, one_field=one_field)

    def _check(
        self, rate_hz: float | None, start_s: float, end_s: float | None, size: Size | None, crop: Box | None
    ) -> None:
        if rate_hz is not None and not rate_hz > 0:
            raise HaustraError(f"the sampling rate is {rate_hz}: it must be above 0 Hz")
        if start_s < 0:
            raise HaustraError(f"the start is {start_s} s: a recording begins at 00:00")
        if end_s is not None and end_s <= start_s:
            part = f"the part from {format_time(start_s)} to {format_time(end_s)}"
            raise HaustraError(f"{part} is empty: the end must lie after the start")
        if size is not None and min(size) < 1:
            raise HaustraError(f"the size {size[0]}x{size[1]} is not possible: both must be at least 1 pixel")
        if crop is not None:
            x, y, width, height = crop
            if min(x, y) < 0 or min(width, height) < 1 or x + width > self.width or y + height > self.height:
                raise HaustraError(f"the box {tuple(crop)} lies outside the {self.width}x{self.height} frame")


def open_recording(video: VideoPaths, *, fps: float | None = None, id: str | None = None) -> Recording:
    """Open a video file, a DICOM video or a folder of numbered pictures (which needs `fps`); or several, the parts.

    `fps` also gives the rate of a raw stream without time stamps. In outputs `id` stands for the names of the files.
    """
    if fps is not None and not 0 < fps < 1000:
        raise HaustraError(f"{fps} frames a second are not possible: give a number above 0 and below 1000")
    paths = paths_of(video)
    sources = [_source(path, fps) for path in paths]
    names = [shown_name(path) for path in paths] if id is None else names_of([*map(str, paths)], id)
    if len(paths) == 1:
        return Recording(paths[0], names[0], sources[0])
    joined, more = JoinedSource(paths, sources, names), len(paths) - 1
    name = f"{names[0]} and {more} more part{'s' if more > 1 else ''}" if id is None else id
    return Recording(paths[0], name, joined, joined.parts)


def _source(path: Path, fps: float | None) -> Source:
    if not path.exists():
        raise HaustraError(f"no such file or folder: {path}")
    if not (path.is_file() or path.is_dir()):  # reading a pipe may never end
        raise HaustraError(f"{path} is neither a file nor a folder")
    try:
        return _opened(path, fps)
    except OSError as error:
        raise HaustraError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from error


def _opened(path: Path, fps: float | None) -> Source:
    if path.is_dir():
        if fps is None:
            numbered_pictures(path)  # a folder without any is no recording at whatever rate
            raise HaustraError(f"{path} is a folder of pictures: say how many were taken a second with --fps")
        return FolderSource(path, fps=fps)
    if is_dicom(path):
        video = DicomVideo(path)
        return StreamSource(str(path), video.open, fps=fps or video.fps)
    # "file:" keeps ffmpeg from taking a colon in a name for a protocol.
    return StreamSource(str(path), lambda: f"file:{path}", fps=fps)
