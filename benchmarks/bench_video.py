"""Cost of streaming: CPU time relative to decoding the same 1080p file, and peak memory by the length of the file."""

from __future__ import annotations

import tempfile
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import cost_of_child, cpu_s
from haustra.video import Box, open_recording

LIMITS = {"cpu_stream_over_decode": 1.3, "cpu_cropped_stream_over_decode": 1.3, "peak_rss_10_min_over_1_min": 1.1}
SIZE = (1920, 1080)
SECONDS = 12


def run() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        return {**_cpu(Path(folder)), **_memory(Path(folder))}


def _cpu(folder: Path) -> dict[str, float]:
    path = folder / "1080p.mp4"
    write_video(path, SIZE, SECONDS)
    decode_only(path)  # caches warm
    runs = [[cpu_s(work, path) for work in (decode_only, _stream, _stream_cropped)] for _ in range(3)]
    decode_s, stream_s, cropped_s = (min(values) for values in zip(*runs, strict=True))
    frames = SECONDS * 30
    return {
        "decode_only_cpu_ms_a_frame": 1000 * decode_s / frames,
        "stream_15hz_256_cpu_ms_a_frame": 1000 * stream_s / frames,
        "cpu_stream_over_decode": stream_s / decode_s,
        "cpu_cropped_stream_over_decode": cropped_s / decode_s,
    }


def decode_only(path: Path) -> None:
    """Decode every frame on one thread and discard it."""
    with av.open(str(path), "r") as container:
        container.streams.video[0].codec_context.thread_count = 1
        for _ in container.decode(video=0):
            pass


def _stream(path: Path) -> None:
    for _ in open_recording(path).frames(size=(256, 256), threads=1):
        pass


def _stream_cropped(path: Path) -> None:
    for _ in open_recording(path).frames(size=(256, 256), crop=Box(421, 0, 1079, 1080), threads=1):
        pass


def _memory(folder: Path) -> dict[str, float]:
    peaks = {}
    for minutes in (1, 10):
        path = folder / f"{minutes}.mp4"
        write_video(path, (160, 128), 60 * minutes)
        peaks[minutes] = peak_rss_mb(path)
    return {"peak_rss_1_min_mb": peaks[1], "peak_rss_10_min_over_1_min": peaks[10] / peaks[1]}


def peak_rss_mb(path: Path) -> float:
    """Peak memory of a fresh process that streams the file."""
    imports = "import sys, collections\nfrom haustra.video import open_recording"
    work = "collections.deque(open_recording(sys.argv[1]).frames(size=(256, 256), threads=2), maxlen=0)"
    return cost_of_child(imports, work, str(path)).peak_mb


def write_video(path: Path, size: tuple[int, int], seconds: int, *, fps: int = 30) -> None:
    """A textured, noisy wall that moves, rotates and breathes, as hard to encode as a real recording."""
    texture = _texture(size)
    grain = np.random.default_rng(1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps, options={"preset": "veryfast", "crf": "23"})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        noise = [grain.normal(0, 3, (size[1], size[0], 1)).astype(np.int16) for _ in range(4)]
        for i in range(seconds * fps):
            picture = np.clip(_view(texture, size, i / fps) + noise[i % 4], 0, 255).astype(np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


def _texture(size: tuple[int, int]) -> NDArray[np.uint8]:
    random = np.random.default_rng(0)
    shape = (size[1] * 2, size[0] * 2)
    layers = [
        cv2.resize(random.random((shape[0] // n, shape[1] // n, 3), np.float32), shape[::-1]) for n in (64, 16, 4)
    ]
    value = 0.5 * layers[0] + 0.3 * layers[1] + 0.2 * layers[2]
    return np.asarray(value * (255, 150, 120), np.uint8)


def _view(texture: NDArray[np.uint8], size: tuple[int, int], time_s: float) -> NDArray[np.uint8]:
    turn = cv2.getRotationMatrix2D(
        (texture.shape[1] / 2, texture.shape[0] / 2), 20 * np.sin(time_s), 1.3 + 0.3 * np.sin(0.7 * time_s)
    )
    turn[:, 2] += (
        np.array(size) / 2 - np.array(texture.shape[1::-1]) / 2 + 60 * np.array([np.sin(2 * time_s), np.cos(time_s)])
    )
    return np.asarray(cv2.warpAffine(texture, turn, size, flags=cv2.INTER_LINEAR), np.uint8)
