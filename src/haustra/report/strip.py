"""Frames evenly spaced in location: every part of the colon gets the same room, however long it was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from haustra.video import Box, Recording

COUNT: Final = 24
HEIGHT: Final = 180
JPEG_QUALITY: Final = 82
SHARPER_WITHIN: Final = 0.2


@dataclass(frozen=True)
class StripImage:
    """One frame of the strip, as a small JPEG."""

    time_s: float
    location_index: float
    segment: str
    jpeg: bytes


def strip_rows(table: pl.DataFrame, *, count: int = COUNT) -> pl.DataFrame:
    """The kept rows for `count` evenly spaced location indices, each row at most once, in the order of location.

    Among the rows whose location is practically the same (a fifth of the spacing) the most informative one is shown.
    """
    usable = table.filter(pl.col("kept") & pl.col("location_index").is_finite()).with_row_index("row")
    location = usable["location_index"].to_numpy()
    blur = usable["p_noninformative"].fill_null(0.0).fill_nan(0.0).to_numpy()
    chosen: list[int] = []
    for target in (np.arange(count) + 0.5) / count if len(location) else []:
        distance = np.abs(location - target)
        near = np.flatnonzero(distance <= max(distance.min(), SHARPER_WITHIN / count))
        best = int(near[np.lexsort((distance[near], blur[near].round(2)))[0]])
        if best not in chosen:
            chosen.append(best)
    return usable[chosen].drop("row")


def read_strip(
    recording: Recording, table: pl.DataFrame, *, count: int = COUNT, height: int = HEIGHT, crop: Box | None = None
) -> list[StripImage]:
    """Fetch the pictures of `strip_rows` from the recording, one seek each."""
    images = []
    for row in strip_rows(table, count=count).iter_rows(named=True):
        picture = _picture_at(recording, row["time_s"], height, crop)
        if picture is not None:
            images.append(StripImage(row["time_s"], row["location_index"], row["segment"], to_jpeg(picture)))
    return images


def to_jpeg(picture_rgb: NDArray[np.uint8]) -> bytes:
    ok, encoded = cv2.imencode(".jpg", picture_rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not ok:
        raise RuntimeError("OpenCV could not encode a JPEG picture")
    return encoded.tobytes()


def fitted(recording: Recording, crop: Box | None, height: int, at_least: int = 0) -> tuple[int, int]:
    """Width and height, both even, of the picture at most `height` high; scaled up only below `at_least`."""
    source_width, source_height = (crop.width, crop.height) if crop else (recording.width, recording.height)
    height = min(height, max(source_height, at_least)) // 2 * 2 or 2
    return max(round(source_width * height / source_height / 2) * 2, 2), height


def _picture_at(recording: Recording, time_s: float, height: int, crop: Box | None) -> NDArray[np.uint8] | None:
    size = fitted(recording, crop, height)
    # The table's times are exact, but a CSV or parquet in between may round the last digit.
    frames = recording.frames(rate_hz=None, start_s=max(time_s - 1e-3, 0.0), size=size, crop=crop)
    frame = next(iter(frames), None)
    return None if frame is None else frame.image
