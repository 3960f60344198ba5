"""Crop, scale and colour conversion by libswscale in one filter chain: only the pixels needed are touched."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from haustra.video.types import Box

Size = tuple[int, int]  # width, height


class Converter:
    """Turns decoded frames into RGB pictures of one size.

    `display` is the size of the frame as shown (square pixels, upright); `crop` is a box in it. The chain is built
    for the first frame and again only when the stream changes its format. `one_field` takes every second line alone.
    """

    def __init__(
        self, display: Size, rotation: int, crop: Box | None, size: Size | None, *, one_field: bool = False
    ) -> None:
        self._display, self._turns = display, (rotation // 90) % 4
        self._crop = crop or Box(0, 0, *display)
        self._size = size or (self._crop.width, self._crop.height)
        self._one_field = one_field
        self._key: tuple[int, int, str] | None = None
        self._graph: Any = None

    def __call__(self, frame: Any) -> NDArray[np.uint8]:
        key = (frame.width, frame.height, frame.format.name)
        if key != self._key:
            self._graph, self._key = self._build(frame), key
        self._graph.vpush(frame)
        image: NDArray[np.uint8] = self._graph.vpull().to_ndarray(format="rgb24")
        # Turning the small picture costs less than turning the decoded one.
        return np.ascontiguousarray(np.rot90(image, self._turns)) if self._turns else image

    def _build(self, frame: Any) -> Any:
        graph = av.filter.Graph()
        graph.threads = 1
        stored = (frame.width, (frame.height + 1) // 2 if self._one_field else frame.height)
        box = stored_box(self._crop, self._display, stored, self._turns)
        width, height = self._size[::-1] if self._turns % 2 else self._size
        source = graph.add_buffer(
            width=frame.width, height=frame.height, format=frame.format, time_base=frame.time_base or Fraction(1, 1000)
        )
        nodes = [source]
        if self._one_field:
            nodes.append(graph.add("field", "top"))
        if box != Box(0, 0, *stored):
            # exact=1: the box is not rounded to the chroma grid.
            nodes.append(graph.add("crop", f"{box.width}:{box.height}:{box.x}:{box.y}:exact=1"))
        nodes.append(graph.add("scale", f"{width}:{height}:flags={'bicubic' if self._one_field else 'area'}"))
        nodes.append(graph.add("format", "rgb24"))
        nodes.append(graph.add("buffersink"))
        graph.link_nodes(*nodes).configure()
        return graph


def stored_box(box: Box, display: Size, stored: Size, turns: int) -> Box:
    """The box of the displayed frame in pixels of the frame as stored (before turning `turns` times to the left)."""
    x, y, w, h = box
    width, height = display
    for _ in range(turns):  # undo one turn to the left: a turn to the right
        x, y, w, h = height - y - h, x, h, w
        width, height = height, width
    sx, sy = stored[0] / width, stored[1] / height
    left, top = min(round(x * sx), stored[0] - 1), min(round(y * sy), stored[1] - 1)
    right = min(max(round((x + w) * sx), left + 1), stored[0])
    bottom = min(max(round((y + h) * sy), top + 1), stored[1])
    return Box(left, top, right - left, bottom - top)
