"""Our own simulated recordings (`haustra simulate`), and folders of another simulator with `truth.csv`.

Ours: video.mp4, camera.json, truth.parquet, scopeguide.csv, and maps with `--depth` and `--flow`. Others:
video.mp4, camera.json, times.json and truth.csv with m00..m33, location_index, segment, informative, forceps.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.camera import read_camera
from haustra.core.arrays import FloatArray
from haustra.core.files import is_hidden
from haustra.core.poses import checked_matrices
from haustra.core.vocabulary import segment_number
from haustra.lab.datasets.dataset_recording import DatasetRecording, FlowMap, VideoPictures, read_map
from haustra.lab.datasets.layout import wrong_folder
from haustra.lab.datasets.truth_table import MATRIX, read_truth_table
from haustra.results.table import POSE_COLUMNS, column, poses_of

# As `simulate.maps` writes them; not imported, because that module needs the extra `simulate`.
DEPTH_SCALE, FLOW_SCALE, FLOW_ZERO, FLOW_SEEN = 200.0, 64.0, 32768.0, 1


def recordings(folder: Path) -> list[DatasetRecording]:
    """Every simulated recording in or below `folder`, named by its path."""
    found = _holding(folder, "truth.parquet")
    if not found:
        raise wrong_folder("a simulated recording or cohort", "video.mp4 and truth.parquet", folder)
    return [_ours(path, _name(path, folder)) for path in found]


def foreign_recordings(folder: Path) -> list[DatasetRecording]:
    """Every folder with truth.csv in or below `folder`."""
    found = _holding(folder, "truth.csv")
    if not found:
        raise wrong_folder("a folder of another simulator", "video.mp4, truth.csv, camera.json and times.json", folder)
    return [_foreign(path, _name(path, folder)) for path in found]


def _holding(folder: Path, table: str) -> list[Path]:
    """Folders with the table and a video; unfinished ones begin with a dot."""
    tables = sorted(folder.rglob(table)) if folder.is_dir() else []
    seen = (table for table in tables if not is_hidden(table.relative_to(folder)))
    return [table.parent for table in seen if (table.parent / "video.mp4").is_file()]


def _name(path: Path, base: Path) -> str:
    return path.name if path == base else path.relative_to(base).as_posix()


def _ours(folder: Path, name: str) -> DatasetRecording:
    table = read_truth_table(folder / "truth.parquet", (*POSE_COLUMNS, "phase", "informative", "forceps"))
    withdrawal = (table["phase"] == "withdrawal").to_numpy()
    track = folder / "scopeguide.csv"
    return _recording(
        folder,
        name,
        table,
        poses_of(table),
        withdrawal,
        depth_mm=_depth(folder / "depth") if (folder / "depth").is_dir() else None,
        flow=_flow(folder / "flow") if (folder / "flow").is_dir() else None,
        scopeguide=track if track.is_file() else None,
    )


def _foreign(folder: Path, name: str) -> DatasetRecording:
    source = folder / "truth.csv"
    table = read_truth_table(source, (*MATRIX, "informative", "forceps"))
    T_w_c = checked_matrices(table.select(MATRIX).to_numpy().reshape(-1, 4, 4), source)
    placed = table["location_index"].is_not_null().to_numpy()
    return _recording(folder, name, table, T_w_c, placed)


def _recording(
    folder: Path,
    name: str,
    table: pl.DataFrame,
    T_w_c: FloatArray,
    withdrawal: NDArray[np.bool_],
    *,
    depth_mm: Callable[[int], NDArray[np.float32] | None] | None = None,
    flow: Callable[[int], FlowMap | None] | None = None,
    scopeguide: Path | None = None,
) -> DatasetRecording:
    """Location, segment and usability only apply within the withdrawal."""
    segment = np.array([segment_number(str(entry)) for entry in table["segment"].to_list()], dtype=np.int64)
    time_s, location = column(table, "time_s"), column(table, "location_index")
    informative, forceps = (table[name].to_numpy() for name in ("informative", "forceps"))
    return DatasetRecording(
        name=name,
        time_s=time_s,
        pictures=VideoPictures(folder / "video.mp4", time_s),
        camera=read_camera(folder / "camera.json"),
        T_w_c=T_w_c,
        segment=np.where(withdrawal, segment, 0),
        location=np.where(withdrawal, location, np.nan),
        usable=informative & ~forceps & withdrawal,
        depth_mm=depth_mm,
        flow=flow,
        source=folder / "video.mp4",
        scopeguide=scopeguide,
        whole_colon=True,
    )


def _depth(folder: Path) -> Callable[[int], NDArray[np.float32] | None]:
    def read(row: int) -> NDArray[np.float32] | None:
        values = read_map(folder / f"{row:06d}.png")
        if values is None:
            return None
        return np.where(values == 0, np.float32(np.nan), values.astype(np.float32) / np.float32(DEPTH_SCALE))

    return read


def _flow(folder: Path) -> Callable[[int], FlowMap | None]:
    """To the next frame; occluded pixels are invalid."""

    def read(row: int) -> FlowMap | None:
        values = read_map(folder / f"{row:06d}.png")
        if values is None:
            return None
        flow = (values[..., :2].astype(np.float32) - np.float32(FLOW_ZERO)) / np.float32(FLOW_SCALE)
        return FlowMap(row + 1, flow, values[..., 2] == FLOW_SEEN)

    return read
