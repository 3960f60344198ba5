"""REAL-Colon: sixty whole real colonoscopies as images; segment labels of every frame from a later work.

Labels are one csv per video, `frame_filename,GT`. The cecum is spelt `ceacum`; in 001-001 to 001-012 names end in
`.0.jpg`; `n.a.` and `uncertain` are ignored.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.vocabulary import SEGMENTS, segment_number
from haustra.lab.datasets.dataset_recording import DatasetRecording, PictureFiles
from haustra.lab.datasets.layout import read_table, wrong_folder

_NO_SEGMENT = ("outside", "insertion", "ileum", "n.a.", "uncertain")
SEGMENT_OF = {label: segment_number(label) for label in (*SEGMENTS, *_NO_SEGMENT)} | {"ceacum": segment_number("cecum")}
_FRAMES = re.compile(r"(\d{3}-\d{3})_frames")
_PICTURE = re.compile(r"(\d{3}-\d{3})_(\d+)(?:\.0)?\.jpg", re.IGNORECASE)


def recordings(folder: Path) -> list[DatasetRecording]:
    """Every `SSS-VVV_frames` folder; labels are searched next to it and below `folder`."""
    found = sorted(folder.rglob("*_frames")) if folder.is_dir() else []
    found = [path for path in (*found, folder) if path.is_dir() and _FRAMES.fullmatch(path.name)]
    if not found:
        raise wrong_folder("REAL-Colon", "001-001_frames/001-001_0.jpg and video_info.csv", folder)
    return [_recording(path, folder) for path in found]


def _recording(folder: Path, base: Path) -> DatasetRecording:
    name = folder.name.removesuffix("_frames")
    numbered = {int(m[2]): path for path in folder.iterdir() if (m := _PICTURE.fullmatch(path.name))}
    if not numbered:
        raise wrong_folder("REAL-Colon", f"{name}_0.jpg", folder)
    numbers = sorted(numbered)
    fps = read_fps(folder, base, name)
    labels = _labels_file(folder, base, name)
    return DatasetRecording(
        name=name,
        time_s=(np.array(numbers) - numbers[0]) / fps,
        pictures=PictureFiles([numbered[number] for number in numbers]),
        segment=None if labels is None else _segments(labels, numbers),
        source=folder,
        fps=fps,
    )


def read_fps(folder: Path, base: Path, name: str) -> float:
    """Frames per second from `video_info.csv`: 25 or 30."""
    source = next((p for p in (folder.parent / "video_info.csv", base / "video_info.csv") if p.is_file()), None)
    if source is None:
        raise HaustraError(f"{folder.parent} has no video_info.csv: it gives the frame rate of {name}")
    for row in read_table(source, ("unique_video_name", "fps")):
        if row["unique_video_name"] == name:
            try:
                fps = float(row["fps"])
            except ValueError:
                fps = math.nan
            if not 1 <= fps <= 1000:
                raise HaustraError(f"{source}: fps of {name} is '{row['fps']}', not a number from 1 to 1000")
            return fps
    raise HaustraError(f"{source} does not name {name}")


def _labels_file(folder: Path, base: Path, name: str) -> Path | None:
    """The csv with this video's frame labels."""
    found = {path for root in {folder.parent, base} for path in root.rglob(f"*{name}*.csv")}
    return next((path for path in sorted(found) if _has_labels(path)), None)


def _has_labels(path: Path) -> bool:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return {"frame_filename", "GT"} <= {word.strip() for word in file.readline().split(",")}


def _segments(source: Path, numbers: list[int]) -> NDArray[np.int64]:
    known: dict[int, int] = {}
    for row in read_table(source, ("frame_filename", "GT")):
        match, label = _PICTURE.fullmatch(row["frame_filename"]), row["GT"].casefold()
        if match is None or label not in SEGMENT_OF:
            raise HaustraError(f"{source}: '{row['frame_filename']},{row['GT']}' is no label of a frame")
        known[int(match[2])] = SEGMENT_OF[label]
    return np.array([known.get(number, 0) for number in numbers], dtype=np.int64)
