"""The interface of all datasets: a recording in our conventions (camera-to-world, OpenCV axes, mm, seconds)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera import Camera
from haustra.core.arrays import FloatArray, Image
from haustra.core.errors import HaustraError
from haustra.core.pictures import read_picture
from haustra.core.times import nearest
from haustra.video import open_recording
from haustra.video.clock import on_grid

Rows = NDArray[np.intp]
MM = "mm"


class Pictures(Protocol):
    """Source of a recording's images."""

    def __call__(self, rows: Rows) -> Iterator[tuple[int, Image]]:
        """The RGB images of these rows, in order; missing ones are skipped."""


@dataclass(frozen=True)
class FlowMap:
    """Optical flow (H, W, 2) in pixels from a frame to the row `to`, and where it is known."""

    to: int
    flow: NDArray[np.float32]
    valid: NDArray[np.bool_]


@dataclass(frozen=True)
class DatasetFrame:
    """One frame; `T_w_c` is None where the pose is unknown, `segment` 1 (cecum) to 6 (rectum), 0 where unknown."""

    row: int
    time_s: float
    image: Image
    T_w_c: FloatArray | None
    segment: int


@dataclass(frozen=True)
class DatasetRecording:
    """One recording. Columns have one row per frame; None where the dataset has no such data.

    `T_w_c` is in `length_unit`, NaN where unknown; `location` is the location index; `usable` marks frames that are
    informative and show no instrument; `source` is what `haustra locate` can open (with `fps` for images).
    """

    name: str
    time_s: FloatArray
    pictures: Pictures
    camera: Camera | None = None
    T_w_c: FloatArray | None = None
    segment: NDArray[np.int64] | None = None
    location: FloatArray | None = None
    usable: NDArray[np.bool_] | None = None
    depth_mm: Callable[[int], NDArray[np.float32] | None] | None = None
    flow: Callable[[int], FlowMap | None] | None = None
    source: Path | None = None
    fps: float | None = None
    scopeguide: Path | None = None
    whole_colon: bool = False
    length_unit: str = MM
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.time_s)

    def rows(self, rate_hz: float | None = None) -> Rows:
        """All rows, or those sampled at `rate_hz` as `video` samples."""
        if rate_hz is None:
            return np.arange(len(self.time_s))
        before: list[float | None] = [None, *self.time_s[:-1].tolist()]
        taken = [on_grid(last, now, rate_hz) for last, now in zip(before, self.time_s.tolist(), strict=True)]
        return np.flatnonzero(taken)

    def frames(self, rows: Rows | None = None) -> Iterator[DatasetFrame]:
        """Frames of these rows (default all), one at a time."""
        for row, image in self.pictures(self.rows() if rows is None else rows):
            known = self.T_w_c is not None and bool(np.isfinite(self.T_w_c[row]).all())
            yield DatasetFrame(
                row=row,
                time_s=float(self.time_s[row]),
                image=image,
                T_w_c=self.T_w_c[row] if self.T_w_c is not None and known else None,
                segment=0 if self.segment is None else int(self.segment[row]),
            )


class PictureFiles:
    """Images in separate files, one per row."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)

    def __call__(self, rows: Rows) -> Iterator[tuple[int, Image]]:
        for row in rows.tolist():
            yield row, read_picture(self.paths[row])


class VideoPictures:
    """Images of a video, joined with the rows by time stamp."""

    def __init__(self, video: Path, time_s: FloatArray) -> None:
        self._video, self._time_s = video, time_s

    def __call__(self, rows: Rows) -> Iterator[tuple[int, Image]]:
        wanted = set(rows.tolist())
        half_s = 0.5 * float(np.median(np.diff(self._time_s))) if len(self._time_s) > 1 else np.inf
        for frame in open_recording(self._video).frames(rate_hz=None):
            row = int(nearest(self._time_s, np.array([frame.time_s]))[0])
            if row in wanted and abs(self._time_s[row] - frame.time_s) <= half_s:
                wanted.discard(row)
                yield row, frame.image


def read_map(path: Path) -> NDArray[Any] | None:
    """A depth or flow image at full bit depth, channels as R, G, B; None where the file does not exist."""
    if not path.is_file():
        return None
    values = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if values is None:
        raise HaustraError(f"{path} is not a picture that can be read")
    return values if values.ndim == 2 else values[..., ::-1]


def picture_size(path: Path) -> tuple[int, int]:
    """Width and height."""
    height, width = read_picture(path).shape[:2]
    return width, height
