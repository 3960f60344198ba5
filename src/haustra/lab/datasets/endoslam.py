"""EndoSLAM: porcine organs seen by four cameras with poses from a robot arm; and a rendered colon (`UnityCam`).

Poses are one `.xlsx` per trajectory with fewer rows than frames: they are joined on the frame number. Poses are as
published; how the tracked axes relate to the camera's is not documented.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from haustra.camera import Camera, load_camera
from haustra.core.arrays import FloatArray
from haustra.core.csv_dialect import MOST_BYTES
from haustra.core.errors import HaustraError, require
from haustra.core.files import read_bytes
from haustra.core.pictures import numbered_pictures
from haustra.core.poses import checked_poses
from haustra.core.spreadsheets import refuse_large
from haustra.lab.datasets.dataset_recording import DatasetRecording, PictureFiles, picture_size
from haustra.lab.datasets.layout import only_file, read_table, wrong_folder

RATE_HZ = {"HighCam": 20.0, "LowCam": 20.0}
OTHER_HZ = 20.0  # the capsules' rate is not documented
MM_PER_M = 1000.0
COLUMNS = ("trans_x", "trans_y", "trans_z", "quot_x", "quot_y", "quot_z", "quot_w")  # sic
UNITY_COLUMNS = ("tX", "tY", "tZ", "rX", "rY", "rZ", "rW", "time(s)")
_CAMERAS = {"MiroCam": "mirocam", "PillCam": "pillcam"}
_FLIP = np.diag([1.0, -1.0, 1.0, 1.0])
# The six videos of the paper (tab:high-resolution, tab:overall_endoslam): each by both cameras.
PAPER_CAMERAS = ("HighCam", "LowCam")
PAPER_TRAJECTORIES = ("Colon-IV Trajectory-2", "Small Intestine-IV Trajectory-1", "Stomach-II Trajectory-4")


def recordings(folder: Path) -> list[DatasetRecording]:
    """All trajectories with frames in or below `folder`, real and rendered."""
    found = sorted(path for path in folder.rglob("Frames") if path.is_dir()) if folder.is_dir() else []
    found = [path for path in found if (path.parent / "Poses").is_dir()]
    if not found:
        raise wrong_folder("EndoSLAM", "Cameras/HighCam/Colon-IV/TumorfreeTrajectory_2/{Frames,Poses}", folder)
    return [_unity(path.parent) if _is_unity(path.parent) else _real(path.parent, folder) for path in found]


def paper_videos(found: Sequence[DatasetRecording]) -> dict[str, DatasetRecording]:
    """Those of the paper's six videos that exist, as `HighCam Colon-IV Trajectory-2`; tumour-free first."""
    chosen: dict[str, DatasetRecording] = {}
    for camera in PAPER_CAMERAS:
        for title in PAPER_TRAJECTORIES:
            organ, _, number = title.partition(" Trajectory-")
            for kind in ("free", "ous", ""):
                wanted = [
                    _plain(camera),
                    _plain(organ),
                    f"tumor{kind}trajectory{number}" if kind else f"trajectory{number}",
                ]
                for one in found:
                    if list(map(_plain, one.name.split("/")[-3:])) == wanted:
                        chosen.setdefault(f"{camera} {title}", one)
    return chosen


def _plain(text: str) -> str:
    """`Small Intestine-IV` and `SmallIntestine_IV` are the same."""
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def _real(folder: Path, base: Path) -> DatasetRecording:
    pictures = numbered_pictures(folder / "Frames")
    table = only_file(folder / "Poses", "*.xlsx")
    if table is None:
        raise wrong_folder("EndoSLAM", "one .xlsx of poses", folder / "Poses")
    numbers = [_number(path) for path in pictures]
    parts = _meaningful(folder, base)
    kind = next((part for part in parts if part in (*RATE_HZ, *_CAMERAS)), "")
    rate_hz = RATE_HZ.get(kind, OTHER_HZ)
    return DatasetRecording(
        name="/".join(parts),
        time_s=(np.array(numbers) - numbers[0]) / rate_hz,
        pictures=PictureFiles(pictures),
        camera=_camera(kind, pictures[0]),
        T_w_c=_joined(read_xlsx_poses(table), numbers, table),
        source=folder / "Frames",
        fps=rate_hz,
    )


def _meaningful(folder: Path, base: Path) -> list[str]:
    """Camera, organ and trajectory, even if the user gave a nested folder."""
    parts = [part for part in folder.parts if part not in ("Cameras", "/")]
    at = next((i for i, part in enumerate(parts) if part in (*RATE_HZ, *_CAMERAS)), None)
    return parts[at:] if at is not None else list(folder.relative_to(base.parent).parts)


def _camera(kind: str, picture: Path) -> Camera | None:
    return load_camera(_CAMERAS[kind], picture_size(picture)) if kind in _CAMERAS else None


def read_xlsx_poses(table: Path) -> dict[int, FloatArray]:
    """T_w_c in mm by frame number; columns are found by name, incomplete rows are skipped."""
    openpyxl, data = require("openpyxl", "datasets"), read_bytes(table, MOST_BYTES)
    try:
        refuse_large(data, table)
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        rows = list(book.worksheets[0].iter_rows(values_only=True))
        book.close()
    except HaustraError:
        raise
    except Exception as error:  # openpyxl passes on errors of zip and xml
        raise HaustraError(f"{table} is not a readable .xlsx table: {error}") from error
    header = [str(cell).strip() if cell is not None else "" for cell in (rows[0] if rows else ())]
    missing = [name for name in ("ImageFrame", *COLUMNS) if name not in header]
    if missing:
        raise HaustraError(f"{table} has no column {', '.join(missing)}: found {', '.join(filter(None, header))}")
    at = [header.index(name) for name in ("ImageFrame", *COLUMNS)]
    found: dict[int, FloatArray] = {}
    for row in rows[1:]:
        values = _floats([row[i] if i < len(row) else None for i in at])
        if values is not None:
            found[round(values[0])] = checked_poses(
                np.array(values[1:4])[None] * MM_PER_M, np.array(values[4:])[None], table
            )[0]
    return found


def _floats(cells: Sequence[Any]) -> list[float] | None:
    """None where a cell is empty or not a number, or the quaternion is zero; frames by number or file name."""
    first = re.findall(r"\d+", cells[0])[-1:] if isinstance(cells[0], str) else [cells[0]]
    try:
        values = [float(cell) for cell in (*first, *cells[1:])]
    except (TypeError, ValueError):
        return None
    return values if len(values) == len(cells) and np.isfinite(values).all() and any(values[4:]) else None


def _joined(poses: dict[int, FloatArray], numbers: Sequence[int], table: Path) -> FloatArray:
    """NaN for frames that have no row in the table."""
    T_w_c = np.full((len(numbers), 4, 4), np.nan)
    for row, number in enumerate(numbers):
        if number in poses:
            T_w_c[row] = poses[number]
    if not np.isfinite(T_w_c).any():
        raise HaustraError(f"{table}: no ImageFrame is the number of a picture in Frames/: are they of one trajectory?")
    return T_w_c


def _number(path: Path) -> int:
    digits = re.findall(r"\d+", path.stem)
    if not digits:
        raise HaustraError(f"{path}: a picture's name must hold its number, as frame_000123.jpg")
    return int(digits[-1])


def _is_unity(folder: Path) -> bool:
    return only_file(folder / "Poses", "*.csv") is not None


def _unity(folder: Path) -> DatasetRecording:
    """Paired by position; counts may differ by a few and the last row may be partial. Left-handed, unit unknown."""
    table = only_file(folder / "Poses", "*.csv")
    assert table is not None
    rows = [[row[name] for name in UNITY_COLUMNS] for row in read_table(table, UNITY_COLUMNS)]
    complete = [values for values in map(_unity_row, rows) if values is not None]
    pictures = numbered_pictures(folder / "Frames")
    count = min(len(complete), len(pictures))
    if not count:
        raise HaustraError(f"{table} holds no complete row of {', '.join(UNITY_COLUMNS)}")
    values = np.array(complete[:count])
    T_w_c = np.asarray(_FLIP @ checked_poses(values[:, :3], values[:, 3:7], table) @ _FLIP)
    still = count > 1 and bool(np.ptp(values[:, 3:7], axis=0).max() == 0)
    return DatasetRecording(
        name="/".join(folder.parts[-2:]),
        time_s=values[:, 7] - values[0, 7],
        pictures=PictureFiles(pictures[:count]),
        T_w_c=T_w_c,
        length_unit="unity",
        notes=("all rotations of this file are the same: rotation errors say nothing",) if still else (),
    )


def _unity_row(cells: Sequence[str]) -> list[float] | None:
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        return None
    return values if np.isfinite(values).all() and any(values[3:7]) else None
