"""The clearest kept picture of each second, as a small JPEG for the report's strip."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

EVERY_S: Final = 1.0
JPEG_QUALITY: Final = 82


def clearest(time_s: NDArray[np.float64], kept: NDArray[np.bool_], p_noninformative: NDArray[Any]) -> list[int]:
    """The kept frame of each second that is most probably informative; unknown probabilities count as 0."""
    blur = np.nan_to_num(p_noninformative)
    best: dict[int, int] = {}
    for i in np.flatnonzero(kept).tolist():
        second = int(time_s[i] // EVERY_S)
        if second not in best or blur[i] < blur[best[second]]:
            best[second] = i
    return sorted(best.values())


def to_jpeg(picture_rgb: NDArray[np.uint8]) -> bytes:
    ok, encoded = cv2.imencode(".jpg", picture_rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not ok:
        raise RuntimeError("OpenCV could not encode a JPEG picture")
    return encoded.tobytes()
