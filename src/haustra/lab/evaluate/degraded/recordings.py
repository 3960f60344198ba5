"""Recordings degraded as they are read: copies with known motion and worse pictures, without a new file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from haustra.core.arrays import Image
from haustra.video import Frame, Recording
from haustra.video.clock import on_grid

Change = Callable[[Image, np.random.Generator], Image]


@dataclass(frozen=True)
class CopyKind:
    """What happens to every frame; `rate_hz` leaves out the others, `shown_hz` shows the last one again in between.

    `lens` multiplies the angles of the lens that the copy is said to have.
    """

    change: Change | None = None
    rate_hz: float | None = None
    shown_hz: float | None = None
    lens: float = 1.0


def _blurred(share: float) -> Change:
    return lambda image, _: np.asarray(cv2.GaussianBlur(image, (0, 0), share * image.shape[1]), np.uint8)


def _noisy(std: float) -> Change:
    return lambda image, rng: np.clip(image + rng.normal(0.0, std, image.shape), 0, 255).astype(np.uint8)


def _few_bits(quality: int) -> Change:
    """JPEG's blocks stand in for those of a starved video encoder."""

    def change(image: Image, _: np.random.Generator) -> Image:
        data = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return np.ascontiguousarray(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[..., ::-1])

    return change


def _narrow_band(image: Image, _: np.random.Generator) -> Image:
    """415 and 540 nm: vessels dark, mucosa brown to green; red is shown from the green band."""
    red, green, blue = np.moveaxis(image.astype(np.float32), -1, 0)
    shown = np.stack([0.9 * green + 0.15 * red, 0.75 * green + 0.35 * blue, 0.55 * blue + 0.45 * green], axis=-1)
    return np.clip(1.25 * shown, 0, 255).astype(np.uint8)


def _dark(image: Image, rng: np.random.Generator) -> Image:
    return np.clip(0.18 * image + rng.normal(0.0, 2.5, image.shape), 0, 255).astype(np.uint8)


COPIES = {
    "as it is": CopyKind(),
    "soft": CopyKind(_blurred(0.006)),
    "blurred": CopyKind(_blurred(0.014)),
    "noisy": CopyKind(_noisy(14.0)),
    "very noisy": CopyKind(_noisy(40.0)),
    "few bits": CopyKind(_few_bits(14)),
    "very few bits": CopyKind(_few_bits(4)),
    "narrow band": CopyKind(_narrow_band),
    "dark": CopyKind(_dark),
    "6 frames a second": CopyKind(rate_hz=6.0),
    "3 frames a second": CopyKind(rate_hz=3.0),
    "frames repeated": CopyKind(shown_hz=5.0),
    "lens too wide": CopyKind(lens=1.3),
    "lens too narrow": CopyKind(lens=0.7),
}


class DegradedRecording(Recording):
    """A recording as a copy of this kind would read."""

    def __init__(self, recording: Recording, kind: CopyKind) -> None:
        super().__init__(recording.path, recording.name, recording.source, recording.parts)
        self._kind = kind
        if kind.rate_hz is not None:
            self.frame_rate = min(self.frame_rate, kind.rate_hz)

    def frames(self, **options: Any) -> Iterator[Frame]:
        kind, before_s, shown = self._kind, None, None
        for frame in super().frames(**options):
            if kind.rate_hz is not None and not on_grid(before_s, frame.time_s, kind.rate_hz):
                before_s = frame.time_s
                continue
            if kind.shown_hz is None or shown is None or on_grid(before_s, frame.time_s, kind.shown_hz):
                rng = np.random.default_rng(round(1000 * frame.time_s))
                shown = frame.image if kind.change is None else kind.change(frame.image, rng)
            before_s = frame.time_s
            yield Frame(frame.index, frame.time_s, shown)
