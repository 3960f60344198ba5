"""Cost of the whole pipeline on a 1080p30 H.264 recording of which half the frames are dropped.

CPU time of `haustra.locate` (as a separate process with start, imports, report and all threads) relative to decoding
the same file alone, its run time relative to the playing time, and its peak memory. Longer measurements are in
bench_pipeline_long.py.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.bench_video import decode_only
from benchmarks.timing import Cost, cost_of_child, cpu_s
from haustra.core.files import read_json
from haustra.demo import DEMO

LIMITS = {
    "cpu_over_decode": 2.0,
    "wall_over_playing_time": 1.0,
    "peak_rss_2_min_mb": 1.2 * 1024,
}
THREADS = 2
BITS_A_SECOND = 12_000_000  # recorders write 8 to 20 million
RATE, DEMO_RATE = 30, 15
# Start times of the clips taken from the bundled recording; about half of their frames are non-informative.
PIECES_S, PIECE_S = (0, 20, 35, 45), 5
FRAME, PICTURE, LEFT = (1920, 1080), 1080, 420
GRAIN = 3.0  # sensor noise in grey levels: most of a recording's bits encode it


def run() -> dict[str, float]:
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as name:
        return _usual(Path(name))


def _usual(folder: Path) -> dict[str, float]:
    """Without B-frames, no frame can be skipped in decoding: the harder case."""
    path = two_minutes(folder, "plain", {"bf": "0"})
    decode_s = cpu_s(decode_only, path)
    plain = locate(path, folder / "out", "--no-overlay")
    overlaid = locate(path, folder / "overlaid", "--overlay")
    decode_s = (decode_s + cpu_s(decode_only, path)) / 2  # before and after, because the load varies
    return {
        "dropped_share": _dropped_share(folder / "out"),
        "decode_only_cpu_ms_a_frame": 1000 * decode_s / (120 * RATE),
        "cpu_over_decode": plain.cpu_s / decode_s,
        "wall_over_playing_time": plain.wall_s / 120,
        "peak_rss_2_min_mb": plain.peak_mb,
        "cpu_with_overlay_over_decode": overlaid.cpu_s / decode_s,
        "wall_with_overlay_over_playing_time": overlaid.wall_s / 120,
    }


def locate(video: Path, out: Path, overlay: str) -> Cost:
    options = ["--withdrawal-start", "0", "--threads", str(THREADS), "--quiet", overlay, "--out", str(out)]
    return cost_of_child("from haustra.cli import main", "main()", "locate", str(video), *options)


def _dropped_share(out: Path) -> float:
    """Check that about half the frames are dropped, as the benchmark claims."""
    frames = read_json(out / "summary.json")["frames"]
    share = 1 - float(frames["kept"]) / float(frames["sampled"])
    assert 0.4 <= share <= 0.6, f"{share:.0%} of the frames were dropped, it should be about half"
    return share


def two_minutes(folder: Path, name: str, options: dict[str, str]) -> Path:
    """Two minutes of one repeated clip: encoding is expensive."""
    clip, path = folder / f"{name}-clip.mp4", folder / f"{name}.mp4"
    write_clip(clip, options)
    repeat(clip, path, 120 // (len(PIECES_S) * PIECE_S))
    return path


def write_clip(path: Path, options: dict[str, str]) -> None:
    """The simulated pictures in a full frame with a black border and sensor noise."""
    random = np.random.default_rng(1)
    grain = random.normal(0, GRAIN, (PICTURE + 128, PICTURE + 128)).astype(np.int16)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE, options={"preset": "veryfast", **options})
        stream.width, stream.height, stream.pix_fmt = *FRAME, "yuv420p"
        stream.bit_rate, stream.codec_context.thread_count = BITS_A_SECOND, 1
        frame = np.zeros((FRAME[1], FRAME[0], 3), np.uint8)
        for picture in _pictures():
            x, y = random.integers(0, 128, 2)
            frame[:, LEFT : LEFT + PICTURE] = _grainy(picture, grain[y : y + PICTURE, x : x + PICTURE])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())


def _grainy(picture: NDArray[np.uint8], grain: NDArray[np.int16]) -> NDArray[np.uint8]:
    large = cv2.resize(picture, (PICTURE, PICTURE), interpolation=cv2.INTER_CUBIC)
    lit = large.max(axis=2) >= 24  # the surround has no sensor behind it
    return np.clip(large + (grain * lit)[..., None], 0, 255).astype(np.uint8)


def _pictures() -> Iterator[NDArray[np.uint8]]:
    """The clips at twice their rate, with interpolated frames in between."""
    with av.open(str(DEMO / "video.mp4")) as container:
        pictures = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    for start_s in PIECES_S:
        piece = pictures[start_s * DEMO_RATE : (start_s + PIECE_S) * DEMO_RATE]
        for a, b in pairwise([*piece, piece[-1]]):
            yield from (a, np.asarray(cv2.addWeighted(a, 0.5, b, 0.5, 0), np.uint8))


def repeat(clip: Path, path: Path, times: int) -> None:
    """The packets of the clip repeated with later time stamps, without decoding."""
    with av.open(str(path), "w") as made:
        target, shift = None, 0
        for _ in range(times):
            with av.open(str(clip)) as given:
                source = given.streams.video[0]
                target = target or made.add_stream_from_template(source)
                for packet in given.demux(source):
                    if packet.size:
                        packet.pts, packet.dts, packet.stream = packet.pts + shift, packet.dts + shift, target
                        made.mux(packet)
                shift += source.duration
