"""Is this the cecum? A small network looks at the middle of a picture: mucosa only, brightness and colour taken out.

Its classes come from recorders with layouts of their own: whatever lies near the border (text, insets, the corners of
the mask) is never looked at, so it cannot tell. It looks at the clearest picture of each second, kept for the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.chunks import Thumbnail
from haustra.onnx_models import OnnxModel, open_model, shipped
from haustra.poses import FloatArray

TASK = "cecum"
SIDE = 128
SHARE = 0.6  # of the shorter half: the square lies well inside the round picture and far from insets in its corners
_CONTRAST, _MIDDLE = 45.0, 128.0
AT_MOST = 60  # pictures asked for a recording
BATCH = 16
GRID = 121
FEWEST = 10  # pictures: with fewer there is nothing to stand out from
OUTSTANDING = 1.0  # in log-odds: halfway between a cecum and the rest of a recording
WEIGHT = 0.3
AGAINST = 0.3  # the wall of the cecum looks like any other: a picture that shows none says less than one that does
EARLY = 0.4  # behind this location a picture that looks like the cecum is another's
SEEN = 0.5  # from this probability on the cecum counts as seen
# A withdrawal starts when the cecum is seen, give or take half a minute; one sighting in five is of another place.
NEAR_S = 30.0
ELSEWHERE = 0.2


@dataclass(frozen=True)
class Sightings:
    """Times of pictures and the probability that each shows the cecum."""

    time_s: FloatArray
    probability: FloatArray

    def best(self, until_s: float) -> tuple[float, float] | None:
        """Time and probability of the clearest sighting: None where no picture until then looks like the cecum."""
        early = np.where(self.time_s <= until_s, self.probability, 0.0)
        k = int(early.argmax()) if len(early) else 0
        return (float(self.time_s[k]), float(early[k])) if len(early) and early[k] >= SEEN else None

    def between(self, start_s: float, end_s: float) -> Sightings:
        """Those of a part of the recording."""
        within = (start_s <= self.time_s) & (self.time_s <= end_s)
        return Sightings(self.time_s[within], self.probability[within])

    def support(self, starts_s: FloatArray) -> FloatArray:
        """Logarithm of how well each start of the withdrawal fits: nothing where no picture looks like the cecum."""
        seen = self.probability >= SEEN
        away = np.abs(np.asarray(starts_s)[:, None] - self.time_s[seen]) / NEAR_S
        near = np.log(ELSEWHERE + (1 - ELSEWHERE) * np.exp(-0.5 * away**2))
        result: FloatArray = near @ (WEIGHT * (2 * self.probability[seen] - 1))
        return result


def middle_of(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The square in the middle of an RGB picture, (3, SIDE, SIDE), with one mean for each channel and one contrast."""
    height, width = picture.shape[:2]
    half = max(int(0.5 * min(height, width) * SHARE), 1)
    square = picture[height // 2 - half : height // 2 + half, width // 2 - half : width // 2 + half]
    small = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)
    small -= small.mean(axis=(0, 1))
    return np.clip(small * (_CONTRAST / (small.std() + 1e-3)) + _MIDDLE, 0.0, 255.0).transpose(2, 0, 1)


def cecum_sightings(thumbnails: Sequence[Thumbnail]) -> Sightings:
    """What the pictures of a recording show, at most AT_MOST of them, evenly spaced."""
    shown = [thumbnails[i] for i in np.linspace(0, len(thumbnails) - 1, min(len(thumbnails), AT_MOST)).astype(int)]
    chance = [
        _model().run(np.stack([middle_of(_rgb(thumbnail)) for thumbnail in shown[i : i + BATCH]]))[0].ravel()
        for i in range(0, len(shown), BATCH)
    ]
    times = np.array([thumbnail.time_s for thumbnail in shown], dtype=np.float64)
    return Sightings(times, np.concatenate(chance).astype(np.float64) if chance else np.empty(0))


def cecum_likelihood(sightings: Sightings, time_s: FloatArray, index: FloatArray) -> FloatArray | None:
    """Log-likelihood (GRID,) of the place where the cecum ends: what looks like it lies before, the rest behind.

    Recorders differ in how much of anything looks like a cecum: what counts is how far a picture stands out among those
    of its own recording. Pictures of neighbouring seconds are alike, so each counts little.
    """
    known = np.isfinite(index)
    if len(sightings.time_s) < FEWEST or not known.any():
        return None
    chance = np.clip(sightings.probability, 1e-4, 1 - 1e-4)
    odds = np.log(chance / (1 - chance))
    weight = WEIGHT * float(chance.max()) ** 2  # where nothing is surely a cecum, standing out means little
    says = weight * np.clip(odds - np.median(odds) - OUTSTANDING, -AGAINST, 1.0)
    at = np.interp(sightings.time_s, time_s[known], index[known])
    before = at[None, :] < np.linspace(0.0, 1.0, GRID)[:, None]
    result: FloatArray = before @ says
    return result - result.max()


def _rgb(thumbnail: Thumbnail) -> NDArray[np.uint8]:
    decoded = cv2.imdecode(np.frombuffer(thumbnail.jpeg, np.uint8), cv2.IMREAD_COLOR_RGB)
    return np.asarray(decoded, np.uint8)


@lru_cache(maxsize=1)
def _model() -> OnnxModel:
    return open_model(shipped(TASK), task=TASK)
