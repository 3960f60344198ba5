"""EndoMapper: whole real colonoscopies with calibrated endoscopes; some with annotated regions.

A sequence is a video; a calibu `.xml` in its folder or above is its camera; each row of `Anatomical_regions_*`
(`;`-separated) gives the region from a frame until the next row.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haustra.camera import Camera, load_camera
from haustra.core.errors import HaustraError
from haustra.core.files import regular_file
from haustra.core.vocabulary import SEGMENTS, segment_number
from haustra.lab.datasets.dataset_recording import DatasetRecording, VideoPictures
from haustra.lab.datasets.layout import only_file, wrong_folder
from haustra.video import open_recording

VIDEOS = (".mov", ".mp4", ".mkv", ".avi")
# Flexures count with the segment before them on withdrawal; the ileum is none. `esplenic` is the dataset's spelling.
_OTHER_NAMES = {
    "esplenic": "transverse", "splenic": "transverse", "hepatic": "ascending", "ileocecal": "cecum", "ileum": "",
}  # fmt: skip
SEGMENT_OF = {name: segment_number(_OTHER_NAMES.get(name, name)) for name in (*SEGMENTS, *_OTHER_NAMES)}


def recordings(folder: Path) -> list[DatasetRecording]:
    """Every video in or below `folder` that has a calibration or regions."""
    videos = sorted(p for p in folder.rglob("*") if p.suffix.lower() in VIDEOS) if folder.is_dir() else []
    found = [video for video in videos if _calibration(video, folder) or _regions_file(video)]
    if not found:
        raise wrong_folder("EndoMapper", "Seq_001.mov with a calibu .xml or Anatomical_regions_*", folder)
    return [_recording(video, folder) for video in found]


def _recording(video: Path, base: Path) -> DatasetRecording:
    opened = open_recording(video)
    stamps = [stamp for stamp in opened.source.stamps() if stamp is not None]
    time_s = np.unique(np.array(stamps, dtype=np.float64))
    regions = _regions_file(video)
    return DatasetRecording(
        name=str(video.relative_to(base).with_suffix("")),
        time_s=time_s,
        pictures=VideoPictures(video, time_s),
        camera=_camera(_calibration(video, base), (opened.width, opened.height)),
        segment=None if regions is None else _segments(regions, len(time_s)),
        source=video,
    )


def _camera(calibration: Path | None, size: tuple[int, int]) -> Camera | None:
    return None if calibration is None else load_camera(calibration, size)


def _calibration(video: Path, base: Path) -> Path | None:
    """The nearest .xml between the video's folder and the given folder."""
    for folder in (video.parent, *video.parent.parents):
        found = only_file(folder, "*.xml") or only_file(folder, "[Cc]alib*/*.xml")
        if found is not None or folder == base:
            return found
    return None


def _regions_file(video: Path) -> Path | None:
    """The file named after the video, else the only one in its folder."""
    named = only_file(video.parent, f"Anatomical_regions_*{video.stem}*")
    found = sorted(video.parent.glob("Anatomical_regions_*"))
    return named or (found[0] if len(found) == 1 else None)


def _segments(source: Path, count: int) -> NDArray[np.int64]:
    """Segment of each frame; 0 before the first row."""
    segment = np.zeros(count, dtype=np.int64)
    for frame, label in sorted(read_regions(source)):
        segment[frame:] = SEGMENT_OF[label]
    return segment


def read_regions(source: Path) -> list[tuple[int, str]]:
    """(frame, label) of every row after the header: the second and the third column."""
    regular_file(source)
    try:
        lines = source.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise HaustraError(f"{source} is not a readable table: {error}") from error
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = [cell.strip() for cell in line.split(";")]
        if not any(cells):
            continue
        label = cells[2].casefold() if len(cells) > 2 else ""
        if len(cells) < 3 or not re.fullmatch("[0-9]{1,9}", cells[1]) or label not in SEGMENT_OF:
            raise HaustraError(f"{source}, line {number}: expected number;frame;region, found '{line[:60]}'")
        rows.append((int(cells[1]), label))
    return rows
