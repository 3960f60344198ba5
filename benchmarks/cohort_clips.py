"""Short recordings for the benchmarks of `haustra cohort`: different clips of the bundled one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av

from haustra.demo import DEMO

RATE = 15
SIDE = 96
DARK = 30  # mean luma


def clips(folder: Path, count: int, seconds: float, side: int = SIDE) -> list[Path]:
    """`count` different videos of `seconds` each, recording-000.mp4 and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    with av.open(str(DEMO / "video.mp4")) as given:
        frames = [frame.reformat(side, side, "yuv420p") for frame in given.decode(video=0)]
    frames = [frame for frame in frames if frame.to_ndarray()[:side].mean() > DARK]  # black frames are useless
    length = round(seconds * RATE)
    made = []
    for number in range(count):
        first = number * 7 % (len(frames) - length)
        made.append(_write(folder / f"recording-{number:03d}.mp4", frames[first : first + length], side, number))
    return made


def _write(target: Path, frames: list[av.VideoFrame], side: int, number: int) -> Path:
    # The encoding quality differs as well, so that no two of a thousand files are equal.
    options = {"crf": str(20 + number % 10), "g": "10", "preset": "ultrafast"}
    with av.open(str(target), "w") as made:
        stream = made.add_stream("libx264", rate=RATE, options=options)
        stream.width, stream.height, stream.pix_fmt = side, side, "yuv420p"
        for index, frame in enumerate(frames):
            frame.pts, frame.time_base = index, Fraction(1, RATE)
            made.mux(stream.encode(frame))
        made.mux(stream.encode(None))
    return target
