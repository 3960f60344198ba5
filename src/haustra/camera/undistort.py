"""Undistortion: the picture that a pinhole camera would have seen (paper, sec:camera_model, equ:conversion)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera.model import Camera
from haustra.core.arrays import FloatArray, Mask
from haustra.core.errors import HaustraError
from haustra.video.standard import masked

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
        """Focal length in pixels."""
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
        """For pinhole.json."""
        return {"width": self.width, "height": self.height, "fov_deg": self.fov_deg, "K": self.K.tolist()}


@dataclass(frozen=True)
class _Table:
    """Where the lens has each pixel of the pinhole camera, and whether that is inside its frame: in the area of its
    pixels, half a pixel around the outermost centres."""

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    inside: Mask


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
        self._tables: dict[tuple[int, int], _Table] = {}

    @property
    def K(self) -> FloatArray:
        """Intrinsic matrix of the undistorted pictures."""
        return self.pinhole.K

    @property
    def mask(self) -> Mask:
        """True on pixels that the lens saw: inside its frame and inside its largest angle."""
        return self._table(self.camera.size).inside

    def __call__(self, image: NDArray[Any]) -> NDArray[Any]:
        """The undistorted picture; `image` may have another resolution than the calibration, of the same shape.

        Pixels that the lens never saw are 0.
        """
        table = self._table((image.shape[1], image.shape[0]))
        return masked(_remap(image, table, cv2.INTER_LINEAR), table.inside)

    def undistort_mask(self, mask: NDArray[Any]) -> Mask:
        """Which pixels show a valid pixel of the picture (its octagon, say) that the lens saw."""
        table = self._table((mask.shape[1], mask.shape[0]))
        return (_remap(mask.astype(np.uint8), table, cv2.INTER_NEAREST) > 0) & table.inside

    def _table(self, size: tuple[int, int]) -> _Table:
        if size not in self._tables:
            camera = self.camera if size == self.camera.size else self.camera.resized(*size)
            pixels = np.nan_to_num(camera.project(self.pinhole.rays()), nan=_OUTSIDE).astype(np.float32)
            inside = np.asarray(((pixels > -0.5) & (pixels < np.array(size) - 0.5)).all(axis=-1))
            x, y = np.ascontiguousarray(pixels[..., 0]), np.ascontiguousarray(pixels[..., 1])
            self._tables[size] = _Table(x, y, inside)
        return self._tables[size]


def _remap(image: NDArray[Any], table: _Table, interpolation: int) -> NDArray[Any]:
    return cv2.remap(image, table.x, table.y, interpolation, borderMode=cv2.BORDER_REPLICATE)
