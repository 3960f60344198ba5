"""Small recordings whose pictures carry their own number, so that a test knows which frame it was handed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

BITS, SIZE = 8, (128, 96)
CODECS = {".avi": "mpeg4", ".mpg": "mpeg2video"}
Paint = Callable[[int], np.ndarray]


def numbered(number: int, size: tuple[int, int] = SIZE) -> np.ndarray:
    """The number in binary: eight bars from left to right, bright is 1; the lower half is blue."""
    width, height = size
    image = np.zeros((height, width, 3), np.uint8)
    for bit in range(BITS):
        left, right = width * bit // BITS, width * (bit + 1) // BITS
        image[:, left:right] = 220 if number >> bit & 1 else 60
    image[height // 2 :] = (20, 20, 180)
    return image


def number_of(image: np.ndarray) -> int:
    height, width = image.shape[:2]
    centres = [int(width * (bit + 0.5) / BITS) for bit in range(BITS)]
    return sum(1 << bit for bit, x in enumerate(centres) if image[height // 5, x].mean() > 140)


def write_video(
    path: Path,
    count: int = 60,
    *,
    fps: int = 30,
    times_ms: Iterable[int] | None = None,
    paint: Paint = numbered,
    pix_fmt: str = "yuv420p",
    codec: str | None = None,
    rotation: int = 0,
    aspect: Fraction | None = None,
    audio: bool = False,
    gop: int = 12,
    options: dict[str, str] | None = None,
) -> Path:
    with av.open(str(path), "w", options=options or {}) as container:
        name = codec or CODECS.get(path.suffix, "libx264")
        stream = container.add_stream(name, rate=fps, options={"preset": "ultrafast"} if name == "libx264" else {})
        stream.height, stream.width = paint(0).shape[:2]
        stream.pix_fmt = pix_fmt
        stream.codec_context.gop_size, stream.codec_context.max_b_frames = gop, 2
        stream.bit_rate = 2_000_000
        if aspect:
            stream.codec_context.sample_aspect_ratio = aspect
        if rotation:
            stream.set_display_rotation(rotation)
        sound = container.add_stream("aac", rate=48000) if audio else None
        time_base = Fraction(1, fps) if times_ms is None else Fraction(1, 1000)
        stream.codec_context.time_base = time_base
        for number, stamp in enumerate(times_ms if times_ms is not None else range(count)):
            frame = av.VideoFrame.from_ndarray(paint(number), format="rgb24")
            frame.pts, frame.time_base = stamp, time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
        if sound is not None:
            _write_silence(container, sound, count / fps)
    return path


def _write_silence(container: av.container.OutputContainer, sound: av.AudioStream, seconds: float) -> None:
    for block in range(int(seconds * 48000) // 1024):
        samples = av.AudioFrame.from_ndarray(np.zeros((1, 2048), np.int16), format="s16", layout="stereo")
        samples.sample_rate, samples.pts = 48000, block * 1024
        container.mux(sound.encode(samples))
    container.mux(sound.encode())
