"""The words and the location bar under the overlay's picture; only what changed since the last frame is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.segments import SEGMENT_COLOURS
from haustra.core.times import format_time

HEIGHT: Final = 64
MARGIN: Final = 14
BAR_TOP, BAR_HEIGHT = 41, 10
PAPER, INK, SOFT, ALARM = (17, 20, 23), (235, 238, 240), (150, 160, 168), (255, 178, 92)
FONT: Final = cv2.FONT_HERSHEY_SIMPLEX


@dataclass(frozen=True)
class Caption:
    """What one frame's panel says."""

    time_s: float
    segment: str | None
    probability: float
    location: float | None
    location_std: float
    status: str


class Panel:
    """Draws into its own picture, which is then part of every frame."""

    def __init__(self, width: int, boundaries: FloatArray | None) -> None:
        """`boundaries` None: the bar is progress through the recording, without segments."""
        self.image: NDArray[np.uint8] = np.full((HEIGHT, width, 3), PAPER, dtype=np.uint8)
        self._edges = None if boundaries is None else boundaries.tolist()
        self._bar = self._draw_bar(width)
        self._words: tuple[str, ...] = ()

    def draw(self, caption: Caption) -> NDArray[np.uint8]:
        sure = f"{caption.probability:.0%}" if caption.probability else ""
        words = (format_time(caption.time_s), caption.segment or "", sure, caption.status)
        if words != self._words:
            self._draw_words(*words)
            self._words = words
        self.image[BAR_TOP - 9 :] = self._bar
        if caption.location is not None:
            self._draw_marker(caption.location, caption.location_std)
        return self.image

    def _draw_bar(self, width: int) -> NDArray[np.uint8]:
        bar = np.full((HEIGHT - BAR_TOP + 9, width, 3), PAPER, dtype=np.uint8)
        if self._edges is None:
            bar[9 : 9 + BAR_HEIGHT, self._x(0.0) : self._x(1.0)] = SOFT
            return bar
        for colour, low, high in zip(SEGMENT_COLOURS.values(), self._edges, self._edges[1:], strict=False):
            left, right = self._x(low), self._x(high)
            if right > left:
                bar[9 : 9 + BAR_HEIGHT, left : max(right - 1, left + 1)] = rgb(colour)
        return bar

    def _x(self, location: float) -> int:
        width = self.image.shape[1] - 2 * MARGIN
        return MARGIN + round(min(max(location, 0.0), 1.0) * width)

    def _draw_words(self, time: str, segment: str, sure: str, status: str) -> None:
        self.image[: BAR_TOP - 9] = PAPER
        x = MARGIN + self._text(time, MARGIN, SOFT) + 14
        if segment:
            cv2.rectangle(self.image, (x, 11), (x + 11, 22), rgb(SEGMENT_COLOURS.get(segment, "#888888")), -1)
            x += 20
            x += self._text(segment, x, INK) + 8
            self._text(sure, x, SOFT)
        if status:
            (width, _), _ = cv2.getTextSize(status, FONT, 0.5, 1)
            self._text(status, self.image.shape[1] - MARGIN - width, ALARM)

    def _text(self, text: str, x: int, colour: tuple[int, int, int]) -> int:
        cv2.putText(self.image, text, (x, 22), FONT, 0.5, colour, 1, cv2.LINE_AA)
        return int(cv2.getTextSize(text, FONT, 0.5, 1)[0][0])

    def _draw_marker(self, location: float, spread: float) -> None:
        x, middle = self._x(location), BAR_TOP + BAR_HEIGHT // 2
        low, high = self._x(location - spread), self._x(location + spread)
        cv2.line(self.image, (low, middle), (high, middle), INK, 2)
        cv2.circle(self.image, (x, middle), 8, PAPER, -1, cv2.LINE_AA)
        cv2.circle(self.image, (x, middle), 6, INK, -1, cv2.LINE_AA)


def caption_of(row: dict[str, Any]) -> Caption:
    """What to say about one row of the table; a null location or segment is not made up."""
    segment, location, reason = row["segment"] or None, row["location_index"], str(row["reason"] or "")
    probability = row.get(f"p_{segment}") if segment else None
    status = "" if row["kept"] else f"dropped: {ascii_words(reason or 'no reason given')}"
    spread = row["location_std"]
    return Caption(
        time_s=float(row["time_s"]),
        segment=segment,
        probability=float(probability or 0.0),
        location=None if location is None or np.isnan(location) else float(location),
        location_std=0.0 if spread is None or np.isnan(spread) else float(spread),
        status=status,
    )


def ascii_words(text: str) -> str:
    """OpenCV's drawn letters are plain ASCII; long reasons are cut."""
    plain = text.replace("_", " ").encode("ascii", "replace").decode()
    return plain if len(plain) <= 40 else plain[:37] + "..."


def rgb(colour: str) -> tuple[int, int, int]:
    """`#rrggbb` as three numbers of 0..255."""
    value = int(colour.removeprefix("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255
