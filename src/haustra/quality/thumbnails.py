"""Small pictures kept while the recording streams by: the report's strip needs no second decoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

EVERY_S: Final = 1.0
JPEG_QUALITY: Final = 82


@dataclass(frozen=True)
class Thumbnail:
    time_s: float
    jpeg: bytes


def clearest(time_s: NDArray[np.float64], kept: NDArray[np.bool_], p_noninformative: NDArray[Any]) -> list[int]:
    """The kept frame of each second that is most probably informative; unknown probabilities count as 0."""
    blur = np.nan_to_num(p_noninformative)
    best: dict[int, int] = {}
    for i in np.flatnonzero(kept).tolist():
        second = int(time_s[i] // EVERY_S)
        if second not in best or blur[i] < blur[best[second]]:
            best[second] = i
    return sorted(best.values())


def pack(time_s: Sequence[float], pictures: Sequence[NDArray[np.uint8]]) -> dict[str, NDArray[Any]]:
    """Arrays for one chunk of the journal. They have two dimensions: they are no column of its samples."""
    jpegs = [to_jpeg(picture) for picture in pictures]
    return {
        "thumb_s": np.array([time_s], dtype=np.float64),
        "thumb_end": np.cumsum([len(jpeg) for jpeg in jpegs], dtype=np.int64)[None],
        "thumb_jpeg": np.frombuffer(b"".join(jpegs), dtype=np.uint8)[None],
    }


def unpack(arrays: Mapping[str, NDArray[Any]]) -> list[Thumbnail]:
    """The thumbnails of one chunk."""
    if "thumb_s" not in arrays:
        return []
    content = arrays["thumb_jpeg"].tobytes()
    ends = [0, *arrays["thumb_end"][0].tolist()]
    times = arrays["thumb_s"][0].tolist()
    return [Thumbnail(time_s, content[a:b]) for time_s, (a, b) in zip(times, pairwise(ends), strict=True)]


def to_jpeg(picture_rgb: NDArray[np.uint8]) -> bytes:
    ok, encoded = cv2.imencode(".jpg", picture_rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not ok:
        raise RuntimeError("OpenCV could not encode a JPEG picture")
    return encoded.tobytes()
