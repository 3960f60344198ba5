"""Trajectory files: TUM (`t tx ty tz qx qy qz qw`) and KITTI (the first three rows of the pose, no time)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import read_text, write_text
from haustra.core.poses import LARGEST, from_translation_quaternion, to_translation_quaternion, wrong_matrices

FORMATS = {".tum": 8, ".kitti": 12}
LATEST = 1e19  # nanoseconds since 1970 need 2e18


def read_trajectory(source: Path) -> tuple[FloatArray, FloatArray]:
    """Times and poses T_w_c of a `.tum` or `.kitti` file. KITTI files have no times: the numbers of the poses stand in.

    Lines that begin with # and empty lines are skipped; anything else that does not fit is an error with its line.
    """
    columns = FORMATS.get(source.suffix.lower())
    if columns is None:
        raise HaustraError(f"{source} is not a trajectory file by its name: it must end with {' or '.join(FORMATS)}")
    rows, lines = _numbers(source, columns)
    if columns == 12:
        return np.arange(len(rows), dtype=np.float64), _kitti_poses(rows, lines, source)
    _check_times(rows[:, 0], lines, source)
    norm = np.linalg.norm(rows[:, 4:], axis=1)
    for i in np.flatnonzero(~(np.abs(norm - 1) < 0.01)):
        if np.isfinite(rows[i]).all():
            raise HaustraError(f"{source}, line {lines[i]}: the quaternion has the length {norm[i]:.3g}, not 1")
    usable = np.isfinite(rows).all(axis=1)
    T_w_c = np.full((len(rows), 4, 4), np.nan)
    T_w_c[usable] = from_translation_quaternion(rows[usable, 1:4], rows[usable, 4:])
    return rows[:, 0], T_w_c


def _numbers(source: Path, columns: int) -> tuple[FloatArray, list[int]]:
    rows, lines = [], []
    for number, line in enumerate(read_text(source).splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != columns:
            raise HaustraError(f"{source}, line {number}: {len(words)} numbers found, {columns} are needed")
        try:
            rows.append([float(word) for word in words])
        except ValueError as error:
            raise HaustraError(f"{source}, line {number}: not a number ({error})") from error
        lines.append(number)
    if not rows:
        raise HaustraError(f"{source} holds no pose")
    found = np.array(rows)
    limits = np.full(columns, LARGEST)
    if columns == FORMATS[".tum"]:
        limits[0] = LATEST
    for i, k in np.argwhere(np.isfinite(found) & (np.abs(found) > limits)):
        raise HaustraError(f"{source}, line {lines[i]}: {found[i, k]:g} is not possible: at most {limits[k]:g}")
    return found, lines


def _check_times(times: FloatArray, lines: list[int], source: Path) -> None:
    bad = ~np.isfinite(times)
    bad[1:] |= ~(np.diff(times) > 0)
    if bad.any():
        i = int(np.argmax(bad))
        raise HaustraError(f"{source}, line {lines[i]}: the time {times[i]:g} does not come after the one before")


def _kitti_poses(rows: FloatArray, lines: list[int], source: Path) -> FloatArray:
    T_w_c = np.tile(np.eye(4), (len(rows), 1, 1))
    T_w_c[:, :3] = rows.reshape(-1, 3, 4)
    for i in np.flatnonzero(wrong_matrices(T_w_c) & np.isfinite(rows).all(axis=1)):
        raise HaustraError(f"{source}, line {lines[i]}: the first 3 x 3 numbers of the pose are not a rotation")
    return T_w_c


def write_tum(target: Path, time_s: NDArray[Any], T_w_c: FloatArray) -> None:
    """Write poses (n, 4, 4) with their times as a TUM file."""
    write_text(target, tum_text(time_s, T_w_c))


def tum_text(time_s: NDArray[Any], T_w_c: FloatArray) -> str:
    """A line for each pose: time, translation, quaternion."""
    t, q = to_translation_quaternion(T_w_c)
    rows = np.column_stack([time_s, t, q])
    return "".join(" ".join(f"{value:.9g}" for value in row) + "\n" for row in rows)


def write_kitti(target: Path, T_w_c: FloatArray) -> None:
    """Write poses (n, 4, 4) as a KITTI file."""
    rows = T_w_c[:, :3].reshape(-1, 12)
    write_text(target, "".join(" ".join(f"{value:.9g}" for value in row) + "\n" for row in rows))
