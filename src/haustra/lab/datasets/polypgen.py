"""Real sequences of PolypGen as recordings; the split into tuning and test sequences is in `real_sequences`."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from haustra.core.pictures import is_picture, numbered_pictures
from haustra.lab.datasets.dataset_recording import DatasetRecording, PictureFiles
from haustra.lab.datasets.layout import wrong_folder
from haustra.lab.datasets.real_sequences import PLAYED_HZ

_NAME = re.compile(r"seq\d+(?:_neg)?", re.IGNORECASE)


def recordings(folder: Path) -> list[DatasetRecording]:
    """Every folder `seqN` with pictures in it, in the order of N."""
    folders = [folder, *folder.iterdir()] if folder.is_dir() else []
    found = [path for path in folders if path.is_dir() and _NAME.fullmatch(path.name) and _has_pictures(path)]
    if not found:
        raise wrong_folder("a set of PolypGen sequences", "seq2/0001.jpg", folder)
    return [_recording(path) for path in sorted(found, key=lambda path: int(re.findall(r"\d+", path.name)[0]))]


def _has_pictures(folder: Path) -> bool:
    return any(is_picture(path) for path in folder.iterdir())


def _recording(folder: Path) -> DatasetRecording:
    pictures = numbered_pictures(folder)
    return DatasetRecording(
        name=folder.name,
        time_s=np.arange(len(pictures)) / PLAYED_HZ,
        pictures=PictureFiles(pictures),
        source=folder,
        fps=PLAYED_HZ,
        notes=("times are nominal: the dataset tells none, and neighbours may lie far apart",),
    )
