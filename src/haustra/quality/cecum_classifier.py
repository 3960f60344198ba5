"""Cecum classifier: the probability that a frame shows the cecum, from the centre of the picture alone.

The training classes come from recorders with different screen layouts. Text, insets and the corners of the mask would
give the class away, so the network sees a central square of mucosa with brightness and colour normalised. It scores the
thumbnails: the clearest frame of each second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import cv2
import numpy as np

from haustra.core.arrays import Float32Array, FloatArray, Image
from haustra.core.onnx import NetworkCard, OnnxModel, Shape, batches, open_model, shipped
from haustra.core.pictures import decode_kept
from haustra.results.observations import Observations

TASK: Final = "cecum"
# The network's input, fixed when it was trained: a square of this share of the shorter side, clear of the round
# picture's rim and of insets in its corners, resized to SIDE pixels, with this standard deviation and mean.
SIDE = 128
CENTRE_SHARE = 0.6
_CONTRAST, _MEAN = 45.0, 128.0
MOST_FRAMES = 60  # frames scored per recording, evenly spaced: a fixed cost, and enough for a cecum of a few seconds


class CecumCard(NetworkCard, frozen=True):
    """A network without settings."""

    task: Literal["cecum"]

    def inputs(self) -> list[Shape]:
        return [(3, SIDE, SIDE)]

    def outputs(self) -> dict[str, Shape]:
        return {"cecum": (1,)}


@dataclass(frozen=True)
class CecumNetwork:
    """An opened cecum classifier; `path` identifies it."""

    model: OnnxModel[CecumCard]
    path: Path

    def __call__(self, pictures: Float32Array) -> Float32Array:
        """Probabilities (n,) for inputs (n, 3, SIDE, SIDE) made by `central_square`."""
        return self.model.run(pictures)[0].ravel()


@dataclass(frozen=True)
class CecumScores:
    """Probability that the frame at each time shows the cecum."""

    time_s: FloatArray
    probability: FloatArray

    @classmethod
    def of(cls, seen: Observations) -> CecumScores:
        """Those of the frames that were scored."""
        scored = np.isfinite(seen.p_cecum_view)
        return cls(seen.time_s[scored], seen.p_cecum_view[scored].astype(np.float64))


def open_cecum_network(path: Path | None = None) -> CecumNetwork:
    """The classifier in `path`, or the shipped one."""
    source = shipped(TASK) if path is None else path
    return CecumNetwork(open_model(source, CecumCard), source)


def score_cecum(network: CecumNetwork, seen: Observations) -> Observations:
    """The observations of a recording with scores of at most MOST_FRAMES thumbnails, evenly spaced over it."""
    shown = np.flatnonzero([bool(jpeg) for jpeg in seen.thumbnail])
    rows = shown[np.linspace(0, len(shown) - 1, min(len(shown), MOST_FRAMES)).astype(int)]
    p_cecum_view = np.full(len(seen), np.nan, np.float32)
    for batch in batches(rows):
        p_cecum_view[batch] = network(np.stack([central_square(decode_kept(seen.thumbnail[i])) for i in batch]))
    return replace(seen, p_cecum_view=p_cecum_view)


def central_square(picture: Image) -> Float32Array:
    """The network's input (3, SIDE, SIDE) from an RGB picture: equal channel means, unit contrast."""
    height, width = picture.shape[:2]
    half = max(int(0.5 * min(height, width) * CENTRE_SHARE), 1)
    square = picture[height // 2 - half : height // 2 + half, width // 2 - half : width // 2 + half]
    small = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)
    small -= small.mean(axis=(0, 1))
    return np.clip(small * (_CONTRAST / (small.std() + 1e-3)) + _MEAN, 0.0, 255.0).transpose(2, 0, 1)
