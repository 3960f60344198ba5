"""Calibration figure: corners and reprojections on every board, and one undistorted example."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.camera.calibrate import Calibration
from haustra.camera.undistort import Undistorter
from haustra.core.arrays import Image
from haustra.core.pictures import read_picture, write_picture

_TILE = 480
_CAPTION = 34
_GREEN, _RED, _WHITE, _GREY = (60, 220, 90), (255, 60, 60), (245, 245, 245), (40, 40, 40)
_SUB_PIXEL_BITS = 4
_EXAGGERATION = 10
_CORRECTED_FOV_DEG = 120.0


def write_figure(target: Path, calibration: Calibration) -> None:
    """PNG: one tile a picture (green: corner found, red: its error ten times enlarged), last tile corrected."""
    errors = calibration.picture_errors_px
    projected = calibration.fit.project(calibration.board.points_mm)
    tiles = [
        _captioned(_marked(path, corners, pixels), f"{path.name[:36]}  {error:.2f} px")
        for path, corners, pixels, error in zip(
            calibration.pictures, calibration.corners, projected, errors, strict=True
        )
    ]
    span = np.nanmax(calibration.corners, axis=1) - np.nanmin(calibration.corners, axis=1)
    example = int(np.argmax(span.prod(axis=1)))  # the largest board shows most
    straight = Undistorter(calibration.camera, _TILE, _CORRECTED_FOV_DEG)(read_picture(calibration.pictures[example]))
    tiles.append(
        _captioned(
            np.asarray(straight, dtype=np.uint8),
            f"corrected, {_CORRECTED_FOV_DEG:g} degrees: {calibration.pictures[example].name[:36]}",
        )
    )
    heading = (
        f"mean error {calibration.mean_error_px:.3f} px, degree {calibration.degree}   "
        f"green: corner found   red: towards its reprojection, x{_EXAGGERATION}"
    )
    write_picture(target, _sheet(tiles, heading))


def _marked(path: Path, corners: NDArray[Any], projected: NDArray[Any]) -> Image:
    image = read_picture(path)
    scale = _TILE / max(image.shape[:2])
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    tile = np.zeros((_TILE, _TILE, 3), dtype=np.uint8)
    tile[: size[1], : size[0]] = cv2.resize(image, size, interpolation=cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA)
    seen = np.isfinite(corners[:, 0])
    for corner, pixel in zip(corners[seen], projected[seen], strict=True):
        start, end = _fixed(corner, scale), _fixed(corner + (pixel - corner) * _EXAGGERATION, scale)
        cv2.line(tile, start, end, _RED, 1, cv2.LINE_AA, _SUB_PIXEL_BITS)
        cv2.circle(tile, start, 3 << _SUB_PIXEL_BITS, _GREEN, 1, cv2.LINE_AA, _SUB_PIXEL_BITS)
    return tile


def _fixed(pixel: NDArray[Any], scale: float) -> tuple[int, int]:
    """OpenCV draws at fractions of a pixel given in fixed point."""
    x, y = np.nan_to_num((pixel + 0.5) * scale - 0.5).clip(-1e4, 1e4) * (1 << _SUB_PIXEL_BITS)
    return round(float(x)), round(float(y))


def _captioned(tile: Image, text: str) -> Image:
    strip = np.full((_CAPTION, _TILE, 3), _GREY, dtype=np.uint8)
    cv2.putText(strip, text, (8, 23), cv2.FONT_HERSHEY_SIMPLEX, 0.5, _WHITE, 1, cv2.LINE_AA)
    return np.vstack([strip, tile])


def _sheet(tiles: list[Image], heading: str) -> Image:
    columns = math.ceil(math.sqrt(len(tiles)))
    blank = np.full_like(tiles[0], 0)
    padded = tiles + [blank] * (-len(tiles) % columns)
    rows = [np.hstack(padded[i : i + columns]) for i in range(0, len(padded), columns)]
    strip = np.full((_CAPTION + 8, rows[0].shape[1], 3), _GREY, dtype=np.uint8)
    cv2.putText(strip, heading, (10, 28), cv2.FONT_HERSHEY_SIMPLEX, 0.6, _WHITE, 1, cv2.LINE_AA)
    return np.vstack([strip, *rows])
