"""Checkerboards: the points of a board and the inner corners found in a picture of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError

GrayImage = NDArray[np.uint8]

# Pictures whose longer side is below this are enlarged before detection: the detectors' filters need several pixels
# a square, and the corners of 256-320 px capsule pictures come out three times nearer to the truth at 3x. At 4x they
# do not get better and the time doubles.
_ENLARGE_BELOW_PX = 800
_SMALL_SCALES = (2, 3)
_THOROUGH = cv2.CALIB_CB_EXHAUSTIVE | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_ACCURACY
_CLASSIC = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE


@dataclass(frozen=True)
class Board:
    """`columns` x `rows` inner corners on squares of `square_mm`."""

    columns: int
    rows: int
    square_mm: float

    def __post_init__(self) -> None:
        if min(self.columns, self.rows) < 3:
            raise HaustraError(f"the board has {self.columns}x{self.rows} inner corners: at least 3x3 are needed")
        if not self.square_mm > 0:
            raise HaustraError(f"the square is {self.square_mm} mm: it must be a positive length")

    @classmethod
    def parse(cls, text: str, square_mm: float) -> Board:
        match = re.fullmatch(r"(\d+)\s*[xX]\s*(\d+)", text.strip())
        if not match:
            raise HaustraError(f"'{text}' is not a board: write the inner corners as COLUMNSxROWS, such as 7x6")
        return cls(int(match[1]), int(match[2]), square_mm)

    @property
    def points_mm(self) -> FloatArray:
        """Corners (columns * rows, 2), row by row."""
        x, y = np.meshgrid(np.arange(self.columns), np.arange(self.rows))
        return np.asarray(np.stack([x.ravel(), y.ravel()], axis=1) * self.square_mm, dtype=np.float64)


def find_corners(gray: GrayImage, board: Board) -> FloatArray | None:
    """Inner corners (columns * rows, 2) in the order of `Board.points_mm`, or None when the whole board is not seen.

    The detector is run on several views of the picture and the median taken: it lowers the noise of small pictures
    and drops a corner that one run misplaced. Views for glare and slower detectors follow only where it sees nothing.
    """
    usual, glare = list(_views(gray, (_plain, evened))), list(_views(gray, (_darkened,)))
    for views, flags in ((usual, 0), (glare, 0), (usual, _THOROUGH)):
        attempts = [_sector(picture, scale, board, flags) for picture, scale in views]
        found = [_ordered(corners, board) for corners in attempts if corners is not None]
        if found:
            return np.asarray(np.median([_turned_like(corners, found[0]) for corners in found], axis=0))
    for picture, scale in usual + glare:
        seen, corners = cv2.findChessboardCorners(picture, (board.columns, board.rows), flags=_CLASSIC)
        if seen:
            return _ordered(unscaled(_refined(picture, corners, board), scale), board)
    return None


def _sector(picture: GrayImage, scale: int, board: Board, flags: int) -> FloatArray | None:
    found, corners = cv2.findChessboardCornersSB(picture, (board.columns, board.rows), flags=flags)
    return unscaled(corners, scale) if found else None


def _turned_like(corners: FloatArray, first: FloatArray) -> FloatArray:
    """The same board may come back turned by half a turn."""
    turned = corners[::-1]
    return corners if np.linalg.norm(corners - first) <= np.linalg.norm(turned - first) else turned


def _views(gray: GrayImage, kinds: Sequence[Callable[[GrayImage], GrayImage]]) -> Iterator[tuple[GrayImage, int]]:
    """The picture in each of these kinds, at the scales that suit its size."""
    scales = _SMALL_SCALES if max(gray.shape) < _ENLARGE_BELOW_PX else (1,)
    for view in kinds:
        for scale in scales:
            size = (gray.shape[1] * scale, gray.shape[0] * scale)
            yield _as_uint8(cv2.resize(view(gray), size, interpolation=cv2.INTER_CUBIC)), scale


def enlarged(gray: GrayImage) -> tuple[GrayImage, int]:
    """The picture as large as detectors like it, and how many times larger that is."""
    *_, last = _views(gray, (_plain,))
    return last


def _plain(gray: GrayImage) -> GrayImage:
    return gray


def _darkened(gray: GrayImage) -> GrayImage:
    """Squared brightness: pulls apart white squares and the glare that flows into black ones."""
    return _as_uint8(255.0 * (gray / 255.0) ** 2)


def evened(gray: GrayImage) -> GrayImage:
    """Brightness minus its local mean, over its local spread (a window of a few squares)."""
    value = gray.astype(np.float64)
    sigma = 0.04 * max(gray.shape)
    deviation = value - cv2.GaussianBlur(value, (0, 0), sigma)
    spread = np.sqrt(cv2.GaussianBlur(deviation**2, (0, 0), sigma))
    return _as_uint8(127.0 + 60.0 * deviation / (spread + 8.0))


def _as_uint8(value: NDArray[Any]) -> GrayImage:
    return np.clip(value, 0, 255).astype(np.uint8)


def unscaled(corners: NDArray[Any], scale: int) -> FloatArray:
    """Corners (n, 2) found in a picture enlarged by `scale`, in pixels of the picture itself."""
    return (corners.reshape(-1, 2).astype(np.float64) + 0.5) / scale - 0.5


def _refined(picture: GrayImage, corners: NDArray[Any], board: Board) -> NDArray[Any]:
    """Sub-pixel corners; the window stays inside the four squares that meet at a corner."""
    grid = corners.reshape(board.rows, board.columns, 2)
    spacing = min(np.linalg.norm(np.diff(grid, axis=axis), axis=2).min() for axis in (0, 1))
    half = max(2, int(0.3 * spacing))
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 100, 1e-4)
    return cv2.cornerSubPix(picture, np.array(corners, dtype=np.float32), (half, half), (-1, -1), criteria)


def _ordered(corners: FloatArray, board: Board) -> FloatArray:
    """Rows reversed where needed so that x, y of the board turn as x, y of the picture: the camera is before the board.

    (A board of points looks the same after half a turn and, in a mirrored picture, from behind; a camera pose exists
    for every order that turns this way, so neither needs to be told apart.)
    """
    grid = corners.reshape(board.rows, board.columns, 2)
    along_x = np.diff(grid, axis=1)[:-1]
    along_y = np.diff(grid, axis=0)[:, :-1]
    turn = (along_x[..., 0] * along_y[..., 1] - along_x[..., 1] * along_y[..., 0]).sum()
    return (grid if turn > 0 else grid[::-1]).reshape(-1, 2)
