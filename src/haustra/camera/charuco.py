"""ChArUco boards: a checkerboard with a marker in every white square, so that a part of it is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np

from haustra.camera.board import Board, GrayImage, enlarged, unscaled
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError

DICTIONARIES = tuple(
    f"{bits}x{bits}_{count}" for bits in (4, 5, 6, 7) for count in (50, 100, 250, 1000)
)  # as OpenCV names them, without DICT_
# Fewer corners hold a pose badly, and every second one is left out to test it.
FEWEST_CORNERS = 12
_LOOKED_AT = 5  # pictures, where the size of the board may be wrong


@dataclass(frozen=True)
class CharucoBoard(Board):
    """A board of `columns` x `rows` inner corners with markers of `marker_mm` out of a dictionary of OpenCV's."""

    dictionary: str = ""
    marker_mm: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dictionary not in DICTIONARIES:
            raise HaustraError(
                f"'{self.dictionary}' is not a ChArUco dictionary: choose from {', '.join(DICTIONARIES)}"
            )
        if not 0 < self.marker_mm < self.square_mm:
            raise HaustraError(
                f"the marker is {self.marker_mm:g} mm: it must be smaller than the square of {self.square_mm:g} mm"
            )

    @cached_property
    def _detectors(self) -> list[Any]:
        """Boards with an even number of rows were drawn the other way round before OpenCV 4.6: both are tried."""
        kind = getattr(cv2.aruco, f"DICT_{self.dictionary.upper()}")
        markers = cv2.aruco.getPredefinedDictionary(kind)
        size = (self.columns + 1, self.rows + 1)
        boards = [cv2.aruco.CharucoBoard(size, self.square_mm, self.marker_mm, markers) for _ in range(2)]
        boards[1].setLegacyPattern(True)
        return [cv2.aruco.CharucoDetector(board) for board in boards]

    def find(self, gray: GrayImage) -> FloatArray:
        """Inner corners (columns * rows, 2) in the order of `points_mm`; NaN where a corner is not seen."""
        picture, scale = enlarged(gray)
        found = [self._corners(detector, picture, scale) for detector in self._detectors]
        return max(found, key=lambda corners: int(np.isfinite(corners[:, 0]).sum()))

    def _corners(self, detector: Any, picture: GrayImage, scale: int) -> FloatArray:
        corners, numbers, _, _ = detector.detectBoard(picture)
        result = np.full((self.columns * self.rows, 2), np.nan)
        if numbers is not None and len(numbers):
            result[np.ravel(numbers)] = unscaled(np.asarray(corners), scale)
        return result


def check_charuco_size(pictures: Sequence[GrayImage], board: CharucoBoard) -> None:
    """A HaustraError where the first pictures show a board of another size: squares counted for corners, or turned.

    Markers are numbered along the rows, so that a board with other columns is not found at all.
    """
    shown = pictures[:_LOOKED_AT]
    if any(_is_seen(gray, board) for gray in shown):
        return
    columns, rows = board.columns, board.rows
    turned, counted, both = (rows, columns), (columns - 1, rows - 1), (rows - 1, columns - 1)
    for size in (counted, turned, both):
        if min(size) >= 3 and any(_is_seen(gray, replace(board, columns=size[0], rows=size[1])) for gray in shown):
            hint = "" if size == turned else " (squares were counted: corners are where four squares meet)"
            seen = f"{size[0]}x{size[1]}"
            raise HaustraError(
                f"no ChArUco board with {columns}x{rows} inner corners is seen, but one with {seen}{hint}: "
                f"give --board {seen}"
            )


def _is_seen(gray: GrayImage, board: CharucoBoard) -> bool:
    """Whether a picture shows enough of a board."""
    return int(np.isfinite(board.find(gray)[:, 0]).sum()) >= FEWEST_CORNERS
