"""SimCol3D: rendered colons with exact pose and depth. Left-handed, centimetres; ours are right-handed, millimetres."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haustra.camera import Camera
from haustra.camera.conversion import from_opencv
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import regular_file
from haustra.core.poses import checked_poses
from haustra.lab.datasets.dataset_recording import DatasetRecording, PictureFiles, picture_size, read_map
from haustra.lab.datasets.layout import wrong_folder

NOMINAL_HZ = 15.0  # the dataset has no time stamps
MM_PER_CM = 10.0
DEPTH_CM = 20.0
# Where cam.txt is missing; for pictures of 475x475.
DEFAULT_K = ((227.6, 0.0, 227.6), (0.0, 237.5, 237.5), (0.0, 0.0, 1.0))
_FLIP = np.diag([1.0, -1.0, 1.0, 1.0])
_FRAMES = re.compile(r"Frames_([SBO]\d+)")


def recordings(folder: Path) -> list[DatasetRecording]:
    """Every `Frames_*` folder with its positions and rotations next to it."""
    found = sorted(folder.rglob("Frames_*")) if folder.is_dir() else []
    found = [path for path in (*found, folder) if path.is_dir() and _FRAMES.fullmatch(path.name)]
    if not found:
        raise wrong_folder("SimCol3D", "SyntheticColon_I/Frames_S1/ with SavedPosition_S1.txt beside it", folder)
    return [_recording(path) for path in found]


def _recording(folder: Path) -> DatasetRecording:
    match = _FRAMES.fullmatch(folder.name)
    which = match[1] if match else ""
    numbered = _numbered(folder)
    if not numbered:
        raise wrong_folder("SimCol3D", "FrameBuffer_0000.png", folder)
    poses = read_poses(folder.parent, which)
    numbers = list(numbered)
    if numbers[-1] >= len(poses):
        raise HaustraError(f"{folder}: picture {numbers[-1]} has no pose: SavedPosition_{which}.txt has {len(poses)}")
    return DatasetRecording(
        name=f"{folder.parent.name}/{folder.name}",
        time_s=(np.array(numbers) - numbers[0]) / NOMINAL_HZ,
        pictures=PictureFiles(list(numbered.values())),
        camera=_camera(folder, picture_size(numbered[numbers[0]])),
        T_w_c=poses[numbers],
        depth_mm=_depth(list(numbered.values())),
        fps=NOMINAL_HZ,
        notes=("times are nominal: the dataset tells none",),
    )


def read_poses(folder: Path, which: str) -> FloatArray:
    """T_w_c (n, 4, 4) in mm and OpenCV axes: conjugated by diag(1, -1, 1, 1)."""
    position_cm = _numbers(folder / f"SavedPosition_{which}.txt", 3)
    quaternion = _numbers(folder / f"SavedRotationQuaternion_{which}.txt", 4)
    if len(position_cm) != len(quaternion):
        raise HaustraError(f"{folder}: {len(position_cm)} positions and {len(quaternion)} rotations of {which}")
    return np.asarray(_FLIP @ checked_poses(MM_PER_CM * position_cm, quaternion, folder) @ _FLIP)


def _camera(folder: Path, size: tuple[int, int]) -> Camera:
    """cam.txt, next to the frames or one folder up, overrides the published constants."""
    K = np.array(DEFAULT_K)
    for source in (folder / "cam.txt", folder.parent / "cam.txt"):
        if source.is_file():
            found = _numbers(source, None).ravel()
            if found.size < 9:
                raise HaustraError(f"{source} has {found.size} numbers: 9 are needed")
            K = found[:9].reshape(3, 3)
            break
    return from_opencv("pinhole", K, np.zeros(0), size).camera


def _numbers(source: Path, columns: int | None) -> FloatArray:
    regular_file(source)
    try:
        text = source.read_text(encoding="utf-8").replace(",", " ")
        rows = [[float(word) for word in line.split()] for line in text.splitlines() if line.strip()]
        values = np.array(rows, dtype=np.float64)
    except (OSError, ValueError) as error:  # also rows of different lengths
        raise HaustraError(f"{source} is not a table of numbers: {error}") from error
    if values.size < 3 or (columns is not None and (values.ndim != 2 or values.shape[1] != columns)):
        raise HaustraError(f"{source} is not a table with {columns or 9} numbers per line")
    return values


def _depth(pictures: list[Path]) -> Callable[[int], NDArray[np.float32] | None]:
    """Depth in cm is value / 256 / 255 * 20."""

    def read(row: int) -> NDArray[np.float32] | None:
        path = pictures[row]
        values = read_map(path.with_name(path.name.replace("FrameBuffer", "Depth")))
        if values is None:
            return None
        grey = values if values.ndim == 2 else values[..., 0]
        return grey.astype(np.float32) / np.float32(256 * 255) * np.float32(DEPTH_CM * MM_PER_CM)

    return read


def _numbered(folder: Path) -> dict[int, Path]:
    found = {}
    for path in folder.glob("FrameBuffer_*.png"):
        number = path.stem.partition("_")[2]
        if number.isdigit():
            found[int(number)] = path
    return dict(sorted(found.items()))
