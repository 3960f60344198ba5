"""Any file that PyAV reads: opening, seeking, decoding with time stamps."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, BinaryIO

import av

from haustra.core.errors import HaustraError
from haustra.video.clock import RESTART_S, Clock, OffGrid
from haustra.video.problems import Problems
from haustra.video.source import Decoded, Properties

# How far before the wanted time to look for a key frame; the last resort is to decode from the first frame.
SEEK_BACK_S = (0.5, 5.0, 40.0)
# After a seek into an MPEG program stream, stamps are guessed until the next pack that has one.
SETTLE_S = 2.0
# Frames further apart than this are a hole in the recording.
GAP_S = 2.0
DEFAULT_RATE = 25.0
# Every packet in these has a stamp, and their clock never starts again.
SURE_STAMPS = ("mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm")
# Texts in a container may be in any encoding; they are never used. From PyAV 19 on they are always read leniently.
ANY_TEXT: dict[str, Any] = {"metadata_errors": "replace"} if int(av.__version__.split(".")[0]) < 19 else {}
Grid = tuple[float, float]  # rate in Hz, and when the file begins on the grid's clock
# Their threads share out the slices of a frame, and say nothing when one is damaged. They are quick on one, too.
_ON_ONE_THREAD = ("mpeg1video", "mpeg2video")
# Frames that are kept back while reading is strict: with some demuxers damage comes to light one frame late.
HELD_BACK = 4
# A frame of 8K has 33 million pixels; a damaged header may name far more.
_LIMITS = {"max_pixels": str(50_000_000)}
_NO_FRAME = "has no frame that decodes: the file is empty or damaged"


class StreamSource:
    """A video stream. Every reading opens the file again, so that several can run at the same time."""

    def __init__(self, name: str, opener: Callable[[], str | BinaryIO], *, fps: float | None = None) -> None:
        self._name, self._opener = name, opener
        with self._open() as (container, stream):
            # Raw streams carry no stamps: what the demuxer makes up from its default rate is of no use.
            self._stamped = stream.start_time is not None or container.duration is not None
            self._format = container.format.name
            self._settle_s = SETTLE_S if self._format == "mpeg" else 0.0
            frame_rate = fps or _frame_rate(stream, stamped=self._stamped)
            frame = self._first_frame(container, stream)
            self._origin_s = self._stamp(frame) or 0.0
            self.properties = Properties(
                width=frame.width,
                height=frame.height,
                rotation=round(frame.rotation / 90) * 90 % 360,
                pixel_aspect=stream.sample_aspect_ratio or Fraction(1),
                frame_rate=frame_rate,
                duration_s=_duration(container, stream, self._origin_s),
                start_time_s=self._origin_s,
                codec=stream.codec_context.name,
            )

    def decode(
        self, start_s: float, threads: int, problems: Problems, rate_hz: float | None = None, offset_s: float = 0.0
    ) -> Generator[Decoded]:
        """A damaged recording is decoded on one thread from its first frame on: only then is what the decoder makes of
        the damage the same, however many threads there are and wherever reading begins."""
        grid = None if rate_hz is None else (rate_hz, offset_s)
        last_s: float | None = None
        held: deque[Decoded] = deque()
        try:
            for item in self._decode_near(start_s, threads, problems, grid):
                held.append(item)
                if len(held) > HELD_BACK:
                    last_s = held[0][0]
                    yield held.popleft()
        except _DamageFoundError:
            problems.start_over()
            for item in self._decode_from(None, 1, problems, grid, strict=False):
                if item[0] > (start_s - 1.0 if last_s is None else last_s):
                    yield item
            return
        yield from held

    def _decode_near(self, start_s: float, threads: int, problems: Problems, grid: Grid | None) -> Generator[Decoded]:
        """Frames from a key frame shortly before `start_s` on, else from the first."""
        for back_s in SEEK_BACK_S if start_s > 0 and self._one_clock else ():
            seek_s = start_s - back_s - self._settle_s
            if seek_s <= 0:
                break
            frames = self._decode_from(seek_s, threads, problems, grid, self._settle_s)
            first = next(frames, None)
            if first is not None and first[0] < start_s:
                yield from chain([first], frames)
                return
        yield from self._decode_from(None, threads, problems, grid)

    def spread(self, count: int, problems: Problems) -> Generator[Decoded]:  # noqa: ARG002
        # Nothing is reported here: right after a seek a decoder may call a frame corrupt that is not.
        duration_s = self.properties.duration_s if self._stamped else None
        if not duration_s:
            return
        seen: set[float | None] = set()
        with self._open() as (container, stream):
            for i in range(count):
                packets, key_s = self._seek(container, stream, duration_s * (i + 0.5) / count)
                frame = None if key_s in seen else next(_frames(packets, lambda: None), None)
                seen.add(key_s)
                stamp_s = None if frame is None else self._stamp(frame)
                if stamp_s is not None:
                    yield stamp_s - self._origin_s, frame

    def stamps(self) -> Iterator[float | None]:
        with self._open() as (container, stream):
            for packet in _packets(container, stream):
                if packet.size:
                    stamp_s = self._stamp(packet)
                    yield None if stamp_s is None else stamp_s - self._origin_s

    @cached_property
    def _one_clock(self) -> bool:
        """Whether a stamp belongs to one place only. Joined MPEG files repeat theirs, and cannot be sought in."""
        stamps = (stamp_s for stamp_s in self.stamps() if stamp_s is not None)
        joinable = self._format in ("mpeg", "mpegts")
        return self._stamped and not (joinable and any(b < a - RESTART_S for a, b in pairwise(stamps)))

    @contextmanager
    def _open(self) -> Iterator[tuple[Any, Any]]:
        source = self._opener()
        try:
            container = av.open(source, **ANY_TEXT)
        except av.EOFError as error:
            raise HaustraError(f"{self._name} {_NO_FRAME}") from error
        except (av.FFmpegError, ValueError) as error:
            raise HaustraError(f"{self._name} is not a video that can be read: {_reason(error)}") from error
        try:
            if container.format.name == "tty":  # ffmpeg draws any .txt file as a terminal screen
                raise HaustraError(f"{self._name} is a text, not a video: give a video recording")
            if not container.streams.video:
                raise HaustraError(f"{self._name} has no video stream: give a video recording")
            stream = container.streams.video[0]
            if stream.codec_context is None:
                raise HaustraError(f"{self._name} is coded in a way that is not known here: convert it to H.264")
            stream.codec_context.thread_count = 1
            stream.codec_context.options = _LIMITS
            yield container, stream
        finally:
            container.close()
            if not isinstance(source, str):
                source.close()

    def _first_frame(self, container: Any, stream: Any) -> Any:
        try:
            frame = next(_frames(_packets(container, stream), lambda: None), None)
        except av.FFmpegError as error:
            raise HaustraError(f"{self._name} cannot be decoded: {_reason(error)}") from error
        if frame is None:
            raise HaustraError(f"{self._name} {_NO_FRAME}")
        return frame

    def _decode_from(
        self,
        seek_s: float | None,
        threads: int,
        problems: Problems,
        grid: Grid | None,
        settle_s: float = 0.0,
        *,
        strict: bool = True,
    ) -> Generator[Decoded]:
        """Frames from the key frame at or before `seek_s` (None: the first frame), but for the first `settle_s`.

        Where damage is met while reading is `strict`, a _DamageFoundError comes before a frame that shows it.
        """
        with self._open() as (container, stream):
            codec = stream.codec_context
            codec.thread_count = 1 if codec.name in _ON_ONE_THREAD else threads
            codec.thread_type = "AUTO"
            if strict:  # what a decoder would else conceal is an error
                codec.options = _LIMITS | {"err_detect": "explode"}
            packets, floor_s = _packets(container, stream), None
            if seek_s is not None:
                packets, floor_s = self._seek(container, stream, seek_s)
            if grid is not None and self._format in SURE_STAMPS:
                packets = self._sparing(packets, codec, *grid)
            clock, newest = Clock(self._origin_s, self.properties.frame_rate), _Newest()

            def on_corrupt() -> None:
                if strict:
                    raise _DamageFoundError
                problems.corrupt(clock.previous_s or 0.0)

            for frame in _frames(newest.asked(packets, codec), on_corrupt):
                stamp_s = self._stamp(frame)
                newest.got(frame)
                if floor_s is not None and (stamp_s is None or stamp_s < floor_s + settle_s):
                    continue  # shown before the key frame: what it refers to lies before the seek
                floor_s = None
                previous_s, restarts = clock.previous_s, clock.restarts
                time_s = clock.time_of(stamp_s)
                if clock.restarts > restarts:
                    problems.restart(time_s)
                elif previous_s is not None and time_s - previous_s > GAP_S:
                    problems.gap(previous_s, time_s)
                yield time_s, frame
            if strict and newest.is_missing:
                raise _DamageFoundError

    def _sparing(self, packets: Iterator[Any], codec: Any, rate_hz: float, offset_s: float) -> Iterator[Any]:
        """The packets; before each one the decoder is told to skip a frame that neither we nor others need."""
        off_grid = OffGrid(rate_hz)
        for packet in packets:
            stamp_s = self._stamp(packet)
            spare = stamp_s is not None and off_grid(round(round(stamp_s - self._origin_s, 9) + offset_s, 9))
            codec.skip_frame = "NONREF" if spare else "DEFAULT"
            yield packet

    def _seek(self, container: Any, stream: Any, seek_s: float) -> tuple[Iterator[Any], float | None]:
        """Packets from the key frame at or before the time, and the stamp of that key frame."""
        try:
            container.seek(round((seek_s + self._origin_s) / stream.time_base), stream=stream)
        except (av.FFmpegError, OverflowError):
            return iter(()), None
        packets = _packets(container, stream)
        # Some demuxers land between key frames; frames decoded from there would be damaged.
        for packet in packets:
            if packet.is_keyframe and packet.size:
                return chain([packet], packets), self._stamp(packet)
        return iter(()), None

    def _stamp(self, item: Any) -> float | None:
        """Stamp of a frame or packet in seconds."""
        ticks = item.pts if item.pts is not None else item.dts
        return float(ticks * item.time_base) if self._stamped and ticks is not None and item.time_base else None


class _DamageFoundError(Exception):
    """A packet does not decode as it should."""


class _Newest:
    """Whether the newest frame that was asked for came: on several threads the last ones may be lost without a word."""

    def __init__(self) -> None:
        self._asked = self._got = -math.inf

    def asked(self, packets: Iterator[Any], codec: Any) -> Iterator[Any]:
        for packet in packets:
            if packet.size and packet.pts is not None and codec.skip_frame == "DEFAULT":
                self._asked = max(self._asked, packet.pts)
            yield packet

    def got(self, frame: Any) -> None:
        if frame.pts is not None:
            self._got = max(self._got, frame.pts)

    @property
    def is_missing(self) -> bool:
        return self._got < self._asked


def _packets(container: Any, stream: Any) -> Iterator[Any]:
    """Packets until the file ends or cannot be read on; the last one is empty and flushes the decoder."""
    packets = container.demux(stream)
    while True:
        try:
            yield next(packets)
        except StopIteration:
            return
        except av.FFmpegError:
            flush = av.Packet()
            flush.stream = stream
            yield flush
            return


def _frames(packets: Iterator[Any], on_corrupt: Callable[[], None]) -> Iterator[Any]:
    """Decoded frames; a packet that does not decode is reported and skipped."""
    for packet in packets:
        try:
            frames = packet.decode()
        except av.FFmpegError:
            on_corrupt()
            continue
        if packet.is_corrupt or any(frame.is_corrupt for frame in frames):
            on_corrupt()
        yield from frames


def _frame_rate(stream: Any, *, stamped: bool) -> float:
    rates = (stream.average_rate, stream.guessed_rate) if stamped else (stream.guessed_rate,)
    return next((float(rate) for rate in rates if rate), DEFAULT_RATE)


def _duration(container: Any, stream: Any, origin_s: float) -> float | None:
    """Length of the video stream; where only that of the file is known, what lies before the first frame is off."""
    if container.format.name == "avi" and stream.frames and stream.average_rate:
        return float(stream.frames / stream.average_rate)  # its duration is shortened to what the file still holds
    if stream.duration:
        return float(stream.duration * stream.time_base)
    if not container.duration:
        return None
    start_s = (container.start_time or 0) / av.time_base
    return float(container.duration / av.time_base - max(0.0, origin_s - start_s))


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error).lower()
