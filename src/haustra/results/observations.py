"""Observations: everything that the stages which look at pixels (1 to 5) found out, one row per sampled frame.

They do not depend on the number of threads or on how often the run was interrupted. Stages 6 and 7 see nothing else of
the recording.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from haustra.core.arrays import Float32Array, FloatArray, Mask
from haustra.core.vocabulary import Reason
from haustra.results.columns import Columns, blobs, numbers, remarks, words

FARTHEST, LATEST = 1e9, 1e12  # whatever the unit of a motion; pictures of no recording are set far apart in time


@dataclass(frozen=True)
class Thumbnail:
    """A small picture kept while the recording streams by: the report's strip needs no second decoding."""

    time_s: float
    jpeg: bytes


@dataclass(frozen=True, kw_only=True)
class Observations(Columns):
    """A stage fills its columns and leaves the rest; what was not measured is NaN.

    Motion belongs to a pair of frames and stands in the row of the second: `motion` is s(a->b) from the last sample
    before that shows anything, kept or not, and `motion_std` the predicted standard deviation of each of its numbers.
    `lumen`, for kept frames, is the ray (x, y, 1) of the canonical camera to the centre of the lumen and its spread.
    """

    time_s: FloatArray = numbers(np.float64, low=0, high=LATEST, required=True)
    # Stage 2. Until thresholds were applied, `reason` is that of the prefilter.
    p_noninformative: Float32Array = numbers(np.float32, low=0, high=1)
    p_forceps: Float32Array = numbers(np.float32, low=0, high=1)
    reason: tuple[Reason, ...] = words(Reason, Reason.KEPT)
    thumbnail: tuple[bytes, ...] = blobs()  # JPEG, one frame a second
    p_cecum_view: Float32Array = numbers(np.float32, low=0, high=1)  # of some thumbnails
    # Stages 3 to 5.
    motion: FloatArray = numbers(np.float64, (6,), low=-FARTHEST, high=FARTHEST)
    motion_std: FloatArray = numbers(np.float64, (6,), low=0, high=FARTHEST)
    lumen: FloatArray = numbers(np.float64, (3,), low=-FARTHEST, high=FARTHEST)
    # What was wrong with the recording as far as it was read.
    problems: tuple[str, ...] = remarks()

    @cached_property
    def kept(self) -> Mask:
        """Frames (n,) that no reason speaks against."""
        return np.array([not reason for reason in self.reason], np.bool_)

    @property
    def thumbnails(self) -> tuple[Thumbnail, ...]:
        found = zip(self.time_s.tolist(), self.thumbnail, strict=True)
        return tuple(Thumbnail(time_s, jpeg) for time_s, jpeg in found if jpeg)

    def without_thumbnails(self) -> Self:
        """What a run keeps in memory of the chunks that lie on disk."""
        return replace(self, thumbnail=(b"",) * len(self))
