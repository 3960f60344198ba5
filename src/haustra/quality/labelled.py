"""Labelled frames, from a folder of classes or from a csv table; each belongs to a recording, the unit of every split.

Allowed labels: informative, forceps, noninformative, or one of the non-informative kinds (`KINDS`).
"""

from __future__ import annotations

import csv
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from haustra.core.errors import HaustraError
from haustra.core.files import regular_file
from haustra.core.pictures import is_picture
from haustra.core.times import parse_time

INFORMATIVE, FORCEPS, NONINFORMATIVE = "informative", "forceps", "noninformative"
KINDS = ("wall", "blur", "underexposed", "overexposed", "outside", "water")
LABELS = (INFORMATIVE, FORCEPS, NONINFORMATIVE, *KINDS)
TRAIN, TEST = "train", "test"
TEST_SHARE = 0.25
FOLDER_HZ = 15.0  # a folder of numbered pictures is a video, too: picture n (from 0) is its moment n / 15 s


@dataclass(frozen=True)
class Sample:
    """One labelled frame: a picture file, or a moment (`time_s`) of a video (a file, or a folder of numbered pictures).

    `source` names the input.
    """

    path: Path
    label: str
    recording: str
    split: str
    time_s: float | None = None
    source: str = ""

    @property
    def answers(self) -> tuple[float, float]:
        """What the two outputs should say; NaN: the label does not tell. Forceps are named whatever else is wrong."""
        if self.label == FORCEPS:
            return math.nan, 1.0
        return float(self.label != INFORMATIVE), 0.0


def read_samples(sources: Sequence[Path]) -> list[Sample]:
    """All samples of the folders and tables given, each in the training or in the test part."""
    samples: list[Sample] = []
    for number, source in enumerate(sources):
        if source.is_dir() and (source / "labels.csv").is_file():
            source = source / "labels.csv"
        name = source.absolute().parent.name if source.name == "labels.csv" else source.stem
        name += f" {number + 1}" if any(sample.source == name for sample in samples) else ""
        if source.is_dir():
            samples += _from_folder(source, name)
        elif source.is_file():
            samples += _from_table(source, name)
        else:
            raise HaustraError(f"no such file or folder: {source}")
    return samples


def part(samples: Iterable[Sample], split: str) -> list[Sample]:
    """The samples of one part, TRAIN or TEST."""
    return [sample for sample in samples if sample.split == split]


def split_of(recording: str) -> str:
    """The same recording is always on the same side, whatever else is in the data."""
    draw = int.from_bytes(hashlib.sha256(recording.encode()).digest()[:4], "big") / 2**32
    return TEST if draw < TEST_SHARE else TRAIN


def recording_of(name: str) -> str:
    """`patient7_00123.png` and `patient7_00124.png` come from `patient7`; a name without a counter stands alone."""
    stem = Path(name).stem
    match = re.fullmatch(r"(.*[^_\- ])[_\- ]+(?:frame)?\d+", stem)
    return match.group(1) if match else stem


def _from_folder(folder: Path, source: str) -> list[Sample]:
    """`LABEL/picture` or `LABEL/RECORDING/picture`."""
    samples = []
    classes = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")]
    for kind in classes:
        label = _label(kind.name, folder)
        for path in sorted(kind.rglob("*")):
            if is_picture(path):
                own_folder = path.parent != kind
                recording = path.parent.name if own_folder else recording_of(path.name)
                samples.append(Sample(path, label, recording, split_of(recording), None, source))
    if not samples:
        raise HaustraError(
            f"{folder} has no pictures in folders named after labels: give folders named {', '.join(LABELS)}"
        )
    return samples


def _from_table(table: Path, source: str) -> list[Sample]:
    """Columns `path,label` or `video,time_s,label`; `recording` and `split` (train or test) are taken where given."""
    regular_file(table)
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")  # a row may be short
            columns = set(reader.fieldnames or ())
            if not ({"path", "label"} <= columns or {"video", "time_s", "label"} <= columns):
                found = ",".join(reader.fieldnames or ()) or "nothing"
                raise HaustraError(f"{table} has the columns {found}: path,label or video,time_s,label are needed")
            samples = [_from_row(row, number, table, source) for number, row in enumerate(reader, start=2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise HaustraError(f"{table} is not a readable csv table: {error}") from error
    if not samples:
        raise HaustraError(f"{table} has no rows: every row is one labelled frame")
    return samples


def _from_row(row: dict[str, str], number: int, table: Path, source: str) -> Sample:
    where = f"{table}, line {number}"
    name = row.get("path") or row.get("video")
    if not name:
        raise HaustraError(f"{where}: no file is named")
    path = table.parent / name
    moment = parse_time(row["time_s"]) if row.get("video") else None
    recording = row.get("recording") or (name if row.get("video") else recording_of(name))
    split = row.get("split") or split_of(recording)
    if split not in (TRAIN, TEST):
        raise HaustraError(f"{where}: split is '{split}', allowed are {TRAIN} and {TEST}")
    return Sample(path, _label(row["label"], Path(where)), recording, split, moment, source)


def _label(text: str, where: Path) -> str:
    label = text.strip().lower().replace("-", "").replace("_", "")
    if label not in LABELS:
        raise HaustraError(f"{where}: the label '{text}' is unknown, allowed are {', '.join(LABELS)}")
    return label
