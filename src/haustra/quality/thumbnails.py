"""Thumbnails: the clearest kept frame of each second, a small JPEG for the report's strip and the cecum classifier.

Of a recording longer than two hours those of every second, third ... second are kept: memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray, Image, Mask
from haustra.quality.samples import SampledFrame
from haustra.results.observations import Observations

EVERY_S: Final = 1.0
JPEG_QUALITY: Final = 82
MOST: Final = 7200


def with_thumbnails(chunk: Sequence[SampledFrame], seen: Observations) -> Observations:
    """The observations of a chunk of samples with the thumbnails of its seconds."""
    chosen = set(clearest(seen.time_s, seen.kept, seen.p_noninformative))
    jpegs = (to_jpeg(sample.picture) if i in chosen else b"" for i, sample in enumerate(chunk))
    return replace(seen, thumbnail=tuple(jpegs))


def restored(seen: Observations, chunks: Iterable[Observations]) -> Observations:
    """The observations of a recording with the thumbnails of its chunks, which are read one after the other."""
    seconds = (seen.time_s // EVERY_S).astype(int)
    step = int(seconds[-1] - seconds[0]) // MOST + 1
    jpegs = (jpeg for chunk in chunks for jpeg in chunk.thumbnail)
    return replace(
        seen, thumbnail=tuple(b"" if second % step else jpeg for second, jpeg in zip(seconds, jpegs, strict=True))
    )


def clearest(time_s: FloatArray, kept: Mask, p_noninformative: NDArray[np.floating]) -> list[int]:
    """The kept frame of each second that is most probably informative; unknown probabilities count as 0."""
    unclear = np.nan_to_num(p_noninformative)
    best: dict[int, int] = {}
    for i in np.flatnonzero(kept).tolist():
        second = int(time_s[i] // EVERY_S)
        if second not in best or unclear[i] < unclear[best[second]]:
            best[second] = i
    return sorted(best.values())


def to_jpeg(picture_rgb: Image) -> bytes:
    """An RGB picture as the bytes of a JPEG file."""
    ok, encoded = cv2.imencode(".jpg", picture_rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not ok:
        raise RuntimeError("OpenCV could not encode a JPEG picture")
    return encoded.tobytes()
