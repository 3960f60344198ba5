"""Interlaced recordings: how to tell them, and whole frames out of their fields.

Even and odd lines of such a frame were taken one after the other, so edges that move have combs. A comb is a pixel that
stands out from both its neighbours above and below; in an ordinary picture as many stand out from those beside them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from haustra.video.source import Decoded

STANDS_OUT_BY = 10  # grey levels
# Real interlaced recordings: ratio 8 to 27, share 0.02 to 0.1; progressive ones: below 1.5 and 0.004.
COMBED_RATIO = 3.0
COMBED_SHARE = 0.005


def is_interlaced(frames: Iterable[Any]) -> bool:
    """From decoded frames of a recording: the stream says so, or they have combs."""
    combs: list[tuple[float, float]] = []
    for frame in frames:
        if frame.interlaced_frame:
            return True
        combs.append(_combs(frame.to_ndarray(format="gray")))
    if not combs:
        return False
    upright, lying = np.mean(combs, axis=0)
    return bool(upright > COMBED_SHARE and upright > COMBED_RATIO * lying)


def _combs(grey: NDArray[np.uint8]) -> tuple[float, float]:
    """Share of the pixels that stand out from those above and below, and from those to the left and right."""
    height, width = grey.shape
    middle = grey[height // 4 : height - height // 4, width // 4 : width - width // 4].astype(np.int16)
    return _standing_out(middle), _standing_out(middle.T)


def _standing_out(grey: NDArray[np.int16]) -> float:
    before, after = grey[1:-1] - grey[:-2], grey[1:-1] - grey[2:]
    above = (before > STANDS_OUT_BY) & (after > STANDS_OUT_BY)
    below = (before < -STANDS_OUT_BY) & (after < -STANDS_OUT_BY)
    return float((above | below).mean()) if grey.size else 0.0


def deinterlaced(decoded: Generator[Decoded], breaks_s: Sequence[float] = ()) -> Generator[Decoded]:
    """The same frames at the same times, each made whole from its own first field and its neighbours (bwdif).

    Frames on either side of a break are no neighbours.
    """
    waiting: deque[float] = deque()
    graph: Any = None
    shape: tuple[int, int, str, int] | None = None
    try:
        for time_s, frame in decoded:
            if (now := (frame.width, frame.height, frame.format.name, bisect_right(breaks_s, time_s))) != shape:
                yield from _rest(graph, waiting)
                graph, shape = _bwdif(frame), now
            frame.pts, frame.time_base = round(time_s * 1e6), Fraction(1, 1_000_000)
            waiting.append(time_s)
            graph.vpush(frame)
            yield from _ready(graph, waiting)
        yield from _rest(graph, waiting)
    finally:
        decoded.close()


def _bwdif(frame: Any) -> Any:
    graph = av.filter.Graph()
    graph.threads = 1
    source = graph.add_buffer(
        width=frame.width, height=frame.height, format=frame.format, time_base=Fraction(1, 1_000_000)
    )
    bwdif = graph.add("bwdif", "mode=send_frame:parity=auto:deint=all")
    graph.link_nodes(source, bwdif, graph.add("buffersink")).configure()
    return graph


def _rest(graph: Any, waiting: deque[float]) -> Generator[Decoded]:
    """What the filter holds back: it needs the frame after."""
    if graph is not None:
        graph.vpush(None)
        yield from _ready(graph, waiting)


def _ready(graph: Any, waiting: deque[float]) -> Generator[Decoded]:
    while waiting:
        try:
            frame = graph.vpull()
        except (av.BlockingIOError, av.EOFError):
            return
        yield waiting.popleft(), frame
