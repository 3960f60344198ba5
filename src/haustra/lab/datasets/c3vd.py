"""C3VD and C3VDv2: a phantom colon seen by a real colonoscope, with registered poses.

C3VD has one flat folder per video; C3VDv2 has rgb/, depth/ and optical_flow/ in it. Both document `pose.txt` as
row-major, but C3VD's is not: the order is detected from the last row. Flow is from a frame to the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haustra.camera import load_camera
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.files import regular_file
from haustra.core.poses import checked_matrices
from haustra.lab.datasets.dataset_recording import DatasetRecording, FlowMap, PictureFiles, picture_size, read_map
from haustra.lab.datasets.layout import wrong_folder

CAMERA = "olympus-cf-hq190l"
NOMINAL_HZ = 30.0  # neither release has time stamps
DEPTH_MM = 100.0
FLOW_PX = 20.0
_FULL = 65535
_OLD_NAME = re.compile(r"(?P<segment>[a-z]+)_t(?P<t>\d)_(?P<v>[a-z])(?:_under_review)?")
_PICTURE = re.compile(r"(\d+)(?:_color)?\.(?:png|jpe?g)", re.IGNORECASE)


def recordings(folder: Path) -> list[DatasetRecording]:
    """Every flat folder of C3VD in or below `folder`."""
    found = [path.parent for path in _pose_files(folder) if not (path.parent / "rgb").is_dir()]
    found = [path for path in found if _numbered(path)]
    if not found:
        raise wrong_folder("C3VD", "0000_color.png and pose.txt in one folder per video", folder)
    return [_recording(path, path, path / "{}_depth.tiff", path / "{}_flow.tiff") for path in found]


def recordings_v2(folder: Path) -> list[DatasetRecording]:
    """Every video folder of C3VDv2 in or below `folder`."""
    found = [path.parent for path in _pose_files(folder) if (path.parent / "rgb").is_dir()]
    if not found:
        raise wrong_folder("C3VDv2", "rgb/ and pose.txt in one folder per video", folder)
    return [
        _recording(path, path / "rgb", path / "depth" / "{}_depth.tiff", path / "optical_flow" / "{}_flow.tiff")
        for path in found
    ]


def canonical_name(name: str) -> str:
    """A video's name in C3VDv2, so that both releases share a row: cecum_t1_a is c0_cecum_t1_v1."""
    if match := re.fullmatch(r"screening_t(\d)", name):
        return f"c0_full_t{match[1]}_v1"
    match = _OLD_NAME.fullmatch(name)
    return name if match is None else f"c0_{match['segment']}_t{match['t']}_v{ord(match['v']) - ord('a') + 1}"


def read_poses(source: Path) -> FloatArray:
    """T_w_c (n, 4, 4) in mm from 16 comma-separated numbers per line, row- or column-major."""
    regular_file(source)
    try:
        rows = np.loadtxt(source, delimiter=",", ndmin=2, dtype=np.float64)
    except (OSError, ValueError) as error:
        raise HaustraError(f"{source} is not a table of poses with 16 numbers per line: {error}") from error
    if rows.shape[1] != 16:
        raise HaustraError(f"{source}: {rows.shape[1]} numbers per line found, 16 are needed")
    T = rows.reshape(-1, 4, 4)
    last = np.array([0.0, 0.0, 0.0, 1.0])
    if np.allclose(T[:, 3], last, atol=1e-6):
        return checked_matrices(T, source)
    if np.allclose(T[:, :, 3], last, atol=1e-6):
        return checked_matrices(T.transpose(0, 2, 1), source)
    raise HaustraError(f"{source}: neither the last row nor the last column of the poses is 0 0 0 1")


def _recording(folder: Path, pictures: Path, depth: Path, flow: Path) -> DatasetRecording:
    numbered = _numbered(pictures)
    if not numbered:
        raise wrong_folder("C3VDv2", "rgb/0000.png", pictures)
    poses = read_poses(folder / "pose.txt")
    numbers = list(numbered)
    if numbers[-1] >= len(poses):
        raise HaustraError(f"{folder}: picture {numbers[-1]} has no pose: pose.txt has {len(poses)} lines")
    name = canonical_name(folder.name)
    stems = [path.stem.removesuffix("_color") for path in numbered.values()]
    alone = all(_PICTURE.fullmatch(path.name) for path in pictures.iterdir() if path.suffix in (".png", ".tiff"))
    return DatasetRecording(
        name=name,
        time_s=(np.array(numbers) - numbers[0]) / NOMINAL_HZ,
        pictures=PictureFiles(list(numbered.values())),
        camera=load_camera(CAMERA, picture_size(numbered[numbers[0]])),
        T_w_c=poses[numbers],
        depth_mm=_depth(depth, stems),
        flow=_flow(flow, stems),
        source=pictures if alone else None,
        fps=NOMINAL_HZ,
        whole_colon="_full_" in name,
        notes=("times are nominal: the dataset tells none",),
    )


def _depth(pattern: Path, stems: list[str]) -> Callable[[int], NDArray[np.float32] | None]:
    """0 to 100 mm in 16 bits; both ends are invalid and become NaN."""

    def read(row: int) -> NDArray[np.float32] | None:
        values = read_map(Path(str(pattern).format(stems[row])))
        if values is None:
            return None
        depth = values.astype(np.float32) * np.float32(DEPTH_MM / _FULL)
        return np.where((values == 0) | (values == _FULL), np.float32(np.nan), depth)

    return read


def _flow(pattern: Path, stems: list[str]) -> Callable[[int], FlowMap | None]:
    """To the frame before: R is x and G is y, -20 to 20 pixels; the first frame has none."""

    def read(row: int) -> FlowMap | None:
        values = read_map(Path(str(pattern).format(stems[row])))
        if values is None or row == 0:
            return None
        flow = values[..., :2].astype(np.float32) * np.float32(2 * FLOW_PX / _FULL) - np.float32(FLOW_PX)
        return FlowMap(row - 1, flow, np.abs(flow).max(axis=-1) < FLOW_PX)

    return read


def _pose_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("pose.txt")) if folder.is_dir() else []


def _numbered(folder: Path) -> dict[int, Path]:
    """Pictures by their number: 0000_color.png, 0_color.png in older copies, 0000.png in rgb/ and whole videos."""
    found = {int(match[1]): path for path in folder.iterdir() if (match := _PICTURE.fullmatch(path.name))}
    return dict(sorted(found.items()))
