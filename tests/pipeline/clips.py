"""Short pieces of a recording."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from pathlib import Path

import av

RATE = 15


def cut(source: Path, target: Path, seconds: float, side: int, start_s: float = 0.0) -> Path:
    with av.open(str(source)) as given, av.open(str(target), "w") as made:
        stream = made.add_stream("libx264", rate=RATE, options={"crf": "24", "g": "10"})
        stream.width, stream.height, stream.pix_fmt = side, side, "yuv420p"
        for number, frame in enumerate(islice(given.decode(video=0), round(start_s * RATE), None)):
            if number >= seconds * RATE:
                break
            small = frame.reformat(side, side, "yuv420p")
            small.pts, small.time_base = number, Fraction(1, RATE)
            made.mux(stream.encode(small))
        made.mux(stream.encode(None))
    return target
