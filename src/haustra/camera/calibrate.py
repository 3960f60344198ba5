"""`haustra calibrate`: pictures of a checkerboard or a ChArUco board in, a fisheye camera out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from haustra.camera.board import Board, GrayImage, find_corners
from haustra.camera.board_size import check_board_size
from haustra.camera.charuco import FEWEST_CORNERS, CharucoBoard, check_charuco_size
from haustra.camera.closed_form import Fit, closed_form_fit
from haustra.camera.jsonfile import camera_to_dict
from haustra.camera.model import Camera
from haustra.camera.refine import refine, refine_poses
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.pictures import read_picture
from haustra.core.progress import Progress, silent

MIN_PICTURES = 3
DEGREES = (2, 3, 4, 5, 6)
DEFAULT_DEGREE = 4
_FOLDS = 4
# A higher degree, or pixels that are not square, must earn its place: less gain than this in held-out error is noise.
_HELD_OUT_GAIN = 0.02
# A picture this far off is a board misread (wrong corners in a wrong order), not a hard picture.
_MISREAD_PX = 5.0
_MISREAD_TIMES_MEDIAN = 10.0


@dataclass(frozen=True)
class Calibration:
    """A fitted camera with everything that was used to fit it, one entry a used picture."""

    camera: Camera
    degree: int
    pictures: tuple[Path, ...]
    corners: FloatArray  # (V, N, 2), NaN where a corner of a ChArUco board was not seen
    fit: Fit
    board: Board
    held_out_error_px: dict[int, float]
    rejected: dict[Path, str]

    @property
    def errors_px(self) -> FloatArray:
        """(V, N): distance between each corner found and its reprojection; NaN without a corner."""
        return self.fit.errors(self.corners, self.board.points_mm)

    @property
    def mean_error_px(self) -> float:
        return float(np.nanmean(self.errors_px))

    @property
    def picture_errors_px(self) -> FloatArray:
        """(V,): the mean error of each picture."""
        return np.asarray(np.nanmean(self.errors_px, axis=1))

    def to_dict(self) -> dict[str, Any]:
        per_image = zip(self.pictures, self.picture_errors_px, strict=True)
        return {
            "mean_error_px": self.mean_error_px,
            "per_image": {str(path): float(error) for path, error in per_image},
            "rejected": {str(path): reason for path, reason in self.rejected.items()},
            "degree": self.degree,
            "held_out_error_px": {str(degree): error for degree, error in self.held_out_error_px.items()},
            "camera": camera_to_dict(self.camera),
        }


def calibrate(
    pictures: Sequence[Path], board: Board, *, degree: int | None = None, progress: Progress = silent
) -> Calibration:
    """Fit a camera to pictures of one board; the degree of the polynomial is found by held-out error."""
    if degree is not None and degree not in DEGREES:
        raise HaustraError(f"the polynomial degree is {degree}: it must be one of {', '.join(map(str, DEGREES))}")
    found, size, rejected = _detect(pictures, board, progress)
    used = list(found)
    while True:
        _require_enough(used, rejected)
        corners = np.stack([found[path] for path in used])
        first = _first_fit(corners, board.points_mm, size, degree)
        errors = np.nanmean(first.errors(corners, board.points_mm), axis=1)
        misread = errors > max(_MISREAD_PX, _MISREAD_TIMES_MEDIAN * float(np.median(errors)))
        if not misread.any():
            break
        for path, error in [(p, e) for p, e, bad in zip(used, errors, misread, strict=True) if bad]:
            rejected[path] = f"its corners are {error:.0f} px off the camera of the other pictures"
            used.remove(path)
    fit, held_out = _choose(first, corners, board.points_mm, degree)
    chosen = len(fit.camera.coefficients) - 1
    return Calibration(fit.camera, chosen, tuple(used), corners, fit, board, held_out, rejected)


def _first_fit(corners: FloatArray, board: FloatArray, size: tuple[int, int], degree: int | None) -> Fit:
    return refine(closed_form_fit(corners, board, size), corners, board, degree or DEFAULT_DEGREE)


def _detect(
    pictures: Sequence[Path], board: Board, progress: Progress
) -> tuple[dict[Path, FloatArray], tuple[int, int], dict[Path, str]]:
    images, rejected = {}, {}
    for path in pictures:
        try:
            images[path] = read_picture(path, grey=True)
        except HaustraError:
            rejected[path] = "not a picture that can be read" if path.exists() else "no such file"
    if not images:
        first = next(iter(rejected))
        raise HaustraError(f"no picture can be read ({first}: {rejected[first]}): give PNG, JPEG or BMP files")
    shape = Counter(gray.shape for gray in images.values()).most_common(1)[0][0]
    alike = [gray for gray in images.values() if gray.shape == shape]
    if isinstance(board, CharucoBoard):
        check_charuco_size(alike, board)
    else:
        check_board_size(alike, board)
    found = {}
    for number, (path, gray) in enumerate(images.items(), start=1):
        if gray.shape != shape:
            rejected[path] = f"{gray.shape[1]}x{gray.shape[0]} pixels, the others are {shape[1]}x{shape[0]}"
        else:
            corners, reason = _corners(gray, board)
            if corners is None:
                rejected[path] = reason
            else:
                found[path] = corners
        progress(number)
    return found, (shape[1], shape[0]), rejected


def _corners(gray: GrayImage, board: Board) -> tuple[FloatArray | None, str]:
    """The corners in a picture, or why they cannot be used."""
    size = f"{board.columns}x{board.rows}"
    if not isinstance(board, CharucoBoard):
        return find_corners(gray, board), f"no board with {size} inner corners found"
    corners = board.find(gray)
    seen = int(np.isfinite(corners[:, 0]).sum())
    reason = f"{seen} corners of a ChArUco board with {size} inner corners and {board.dictionary} found"
    return (corners, "") if seen >= FEWEST_CORNERS else (None, f"{reason}, at least {FEWEST_CORNERS} are needed")


def _require_enough(used: Sequence[Path], rejected: dict[Path, str]) -> None:
    if len(used) < MIN_PICTURES:
        by_reason: dict[str, list[str]] = {}
        for path, reason in rejected.items():
            by_reason.setdefault(reason, []).append(path.name)
        reasons = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())
        raise HaustraError(
            f"usable pictures of the board: {len(used)}, at least {MIN_PICTURES} are needed (10 or more are good)"
            + (f" - {reasons}" if reasons else "")
        )


def _choose(first: Fit, corners: FloatArray, board: FloatArray, degree: int | None) -> tuple[Fit, dict[int, float]]:
    """The simplest model that explains pictures left out of the fit: lowest degree (if not given), square pixels."""
    degrees = DEGREES if degree is None else (degree,)
    fits = {n: refine(first, corners, board, n) for n in degrees}
    folds = min(_FOLDS, len(corners) - MIN_PICTURES + 1)
    if folds < 2:
        return fits[degree or DEFAULT_DEGREE], {}
    held_out = {n: _held_out_error(fits[n], corners, board, n, folds) for n in degrees}
    limit = min(held_out.values()) * (1 + _HELD_OUT_GAIN)
    chosen = min(n for n, error in held_out.items() if error <= limit)
    stretched = _held_out_error(fits[chosen], corners, board, chosen, folds, stretch=True)
    if stretched * (1 + _HELD_OUT_GAIN) < held_out[chosen]:
        return refine(fits[chosen], corners, board, chosen, stretch=True), held_out
    return fits[chosen], held_out


def _held_out_error(
    fit: Fit, corners: FloatArray, board: FloatArray, degree: int, folds: int, *, stretch: bool = False
) -> float:
    """Mean error on pictures that were left out of the fit: their poses are fitted to every second corner, with the
    camera of the others, and the error is taken on the rest. `fit` is only where the search starts."""
    posed = np.arange(len(board)) % 2 == 0
    errors = []
    for fold in range(folds):
        out = np.arange(len(corners)) % folds == fold
        kept = Fit(fit.camera, fit.R_c_b[~out], fit.t_c_b[~out])
        camera = refine(kept, corners[~out], board, degree, stretch=stretch).camera
        held = refine_poses(Fit(camera, fit.R_c_b[out], fit.t_c_b[out]), corners[out][:, posed], board[posed])
        errors.append(held.errors(corners[out][:, ~posed], board[~posed]))
    return float(np.nanmean(np.concatenate(errors)))
