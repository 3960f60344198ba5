"""How many inner corners the board in some pictures has: a wrong count would cost minutes of looking for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import cv2

from haustra.camera.board import Board, GrayImage, evened
from haustra.core.errors import HaustraError

_LOOKED_AT = 5  # pictures
_SIDE_PX = 600  # longer side: enough to count corners, and quick
_SMALLEST = (3, 3)
_FEWEST_VOTES = 3
_FEWEST_PICTURES = 2

Size = tuple[int, int]  # corners along the longer and the shorter side


def check_board_size(pictures: Sequence[GrayImage], board: Board) -> None:
    """A HaustraError where the first pictures show a board of another size, such as squares counted for corners."""
    shown = [_resized(gray) for gray in pictures[:_LOOKED_AT]]
    if any(cv2.findChessboardCornersSB(picture, (board.columns, board.rows))[0] for picture in shown):
        return
    votes = [Counter(_counted(view) for view in (picture, evened(picture))) for picture in shown]
    total = sum(votes, Counter[Size | None]())
    del total[None]
    size, count = next(iter(total.most_common(1)), (None, 0))
    asked = _size(board.columns, board.rows)
    pictures_with = sum(size in vote for vote in votes)
    if size in (None, asked, _SMALLEST) or count < _FEWEST_VOTES or pictures_with < _FEWEST_PICTURES:
        return
    seen, wanted = f"{size[0]}x{size[1]}", f"{board.columns}x{board.rows}"
    hint = " (squares were counted: corners are where four squares meet)" if asked == (size[0] + 1, size[1] + 1) else ""
    raise HaustraError(f"no board with {wanted} inner corners is seen, but one with {seen}{hint}: give --board {seen}")


def _counted(picture: GrayImage) -> Size | None:
    """The size of the largest board that the detector can grow; parts of a board are found, too."""
    found, _, grid = cv2.findChessboardCornersSBWithMeta(picture, _SMALLEST, cv2.CALIB_CB_LARGER)
    return _size(*grid.shape[:2]) if found else None


def _size(a: int, b: int) -> Size:
    """A board of 6x7 is one of 7x6, turned."""
    return max(a, b), min(a, b)


def _resized(gray: GrayImage) -> GrayImage:
    factor = _SIDE_PX / max(gray.shape)
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return cv2.resize(gray, None, fx=factor, fy=factor, interpolation=how).astype(gray.dtype)
