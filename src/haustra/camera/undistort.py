"""Straight pictures: what a pinhole camera would have seen (paper, sec:camera_model, equ:conversion)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera.model import Camera
from haustra.errors import HaustraError

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

DEFAULT_FOV_DEG = 90.0
DEFAULT_SIZE = 256
_MAX_FOV_DEG = 170.0
_OUTSIDE = -1e4


@dataclass(frozen=True)
class Pinhole:
    """The ideal camera of undistorted pictures: square pixels, centred, `fov_deg` from the left edge to the right."""

    width: int
    height: int
    fov_deg: float = DEFAULT_FOV_DEG

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1:
            raise HaustraError(f"the size {self.width}x{self.height} is not possible: it must be at least 1x1 pixels")
        if not 0 < self.fov_deg <= _MAX_FOV_DEG:
            raise HaustraError(
                f"a field of view of {self.fov_deg:g} degrees is not possible in a flat picture:"
                f" it must be above 0 and at most {_MAX_FOV_DEG:g}"
            )

    @property
    def focal(self) -> float:
        return self.width / 2 / math.tan(math.radians(self.fov_deg) / 2)

    @property
    def K(self) -> FloatArray:
        """Intrinsic matrix for 0-based pixels whose centres are the integers."""
        f = self.focal
        return np.array([[f, 0.0, (self.width - 1) / 2], [0.0, f, (self.height - 1) / 2], [0.0, 0.0, 1.0]])

    def rays(self) -> FloatArray:
        """Rays (height, width, 3) with z = 1 through all pixel centres."""
        x, y = np.meshgrid(np.arange(self.width), np.arange(self.height))
        (cx, cy), f = self.K[:2, 2], self.focal
        return np.stack([(x - cx) / f, (y - cy) / f, np.ones(x.shape)], axis=-1)

    def to_dict(self) -> dict[str, Any]:
        return {"width": self.width, "height": self.height, "fov_deg": self.fov_deg, "K": self.K.tolist()}


class Undistorter:
    """Turns pictures of `camera` into pictures of one pinhole camera; tables are made once per input size.

    `size` is (width, height) or the side of a square. Give every lens the same size and field of view and later
    stages see the same camera, whatever the lens was.
    """

    def __init__(
        self,
        camera: Camera,
        size: int | tuple[int, int] = DEFAULT_SIZE,
        fov_deg: float = DEFAULT_FOV_DEG,
    ) -> None:
        width, height = (size, size) if isinstance(size, int) else size
        self.camera = camera
        self.pinhole = Pinhole(width, height, fov_deg)
        self._tables: dict[tuple[int, int], NDArray[np.float32]] = {}

    @property
    def K(self) -> FloatArray:
        return self.pinhole.K

    @property
    def mask(self) -> Mask:
        """True on pixels that the lens saw: inside its frame and inside its largest angle."""
        return self._inside(self._table(self.camera.size), self.camera.size)

    def __call__(self, image: NDArray[Any]) -> NDArray[Any]:
        """The undistorted picture; `image` may have another resolution than the calibration, of the same shape.

        Pixels that the lens never saw are 0.
        """
        size = (image.shape[1], image.shape[0])
        table = self._table(size)
        flat = _remap(image, table, cv2.INTER_LINEAR)
        flat[~self._inside(table, size)] = 0
        return flat

    def undistort_mask(self, mask: NDArray[Any]) -> Mask:
        """Which pixels show a valid pixel of the picture (its octagon, say) that the lens saw."""
        size = (mask.shape[1], mask.shape[0])
        table = self._table(size)
        flat = _remap(mask.astype(np.uint8), table, cv2.INTER_NEAREST)
        return (flat > 0) & self._inside(table, size)

    def _table(self, size: tuple[int, int]) -> NDArray[np.float32]:
        if size not in self._tables:
            camera = self.camera if size == self.camera.size else self.camera.resized(*size)
            pixels = camera.project(self.pinhole.rays())
            self._tables[size] = np.nan_to_num(pixels, nan=_OUTSIDE).astype(np.float32)
        return self._tables[size]

    def _inside(self, table: NDArray[np.float32], size: tuple[int, int]) -> Mask:
        """Inside the area of the frame's pixels, half a pixel around the outermost centres."""
        return np.asarray(((table > -0.5) & (table < np.array(size) - 0.5)).all(axis=-1))


def _remap(image: NDArray[Any], table: NDArray[np.float32], interpolation: int) -> NDArray[Any]:
    x, y = table[..., 0], table[..., 1]
    return cv2.remap(image, x, y, interpolation, borderMode=cv2.BORDER_REPLICATE)
