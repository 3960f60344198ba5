"""CAS-Colon: the times at which real withdrawals pass ten regions; a table without images.

A cell is `m:ss-m:ss`, several joined by `/`. Both ends are whole seconds and the last one belongs to the interval: the
next region begins one second later. Recordings begin in the terminal ileum, at 60 frames per second.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.times import parse_time
from haustra.core.vocabulary import segment_number
from haustra.lab.datasets.layout import only_file, read_table, wrong_folder

RATE_HZ = 60.0
REGIONS = (
    "Terminal_Ileum", "Cecum", "Ascending_Colon", "Hepatic_Flexure", "Transverse_Colon", "Splenic_Flexure",
    "Descending_Colon", "Sigmoid_Colon", "Rectum", "Anal_Canal",
)  # fmt: skip
# A flexure counts with the segment before it on withdrawal; regions outside the six segments are 0.
_SEGMENT_NAMES = (
    "", "cecum", "ascending", "ascending", "transverse", "transverse", "descending", "sigmoid", "rectum", "",
)  # fmt: skip
SEGMENT_OF = dict(zip(REGIONS, map(segment_number, _SEGMENT_NAMES), strict=True))
_INTERVAL = re.compile(r"\s*([\d:]+)\s*-\s*([\d:]+)\s*", re.ASCII)


@dataclass(frozen=True)
class Interval:
    """The camera is in `region` for start_s <= time < end_s."""

    region: str
    start_s: float
    end_s: float

    @property
    def segment(self) -> int:
        """1 (cecum) to 6 (rectum), 0 in the ileum and the anal canal."""
        return SEGMENT_OF[self.region]


@dataclass(frozen=True)
class NotedWithdrawal:
    """One real withdrawal: its intervals in the order of time."""

    name: str
    equipment: str
    duration_s: float
    intervals: tuple[Interval, ...]

    def segments_at(self, time_s: FloatArray) -> NDArray[np.int64]:
        """Segment 1..6 at each time, 0 where none is annotated; where two overlap, the later one."""
        segment = np.zeros(len(time_s), dtype=np.int64)
        for interval in self.intervals:
            segment[(time_s >= interval.start_s) & (time_s < interval.end_s)] = interval.segment
        return segment


def read_withdrawals(source: Path) -> list[NotedWithdrawal]:
    """All withdrawals of the table; `source` is the csv file or its folder."""
    table = only_file(source, "*.csv") if source.is_dir() else source
    if table is None or not table.is_file():
        raise wrong_folder("CAS-Colon", "a csv table with VideoID and ten regions", source)
    rows = read_table(table, ("VideoID", *REGIONS, "TotalFrames"))
    return [_withdrawal(row, table) for row in rows]


def _withdrawal(row: dict[str, str], table: Path) -> NotedWithdrawal:
    name = row["VideoID"]
    frames = row["TotalFrames"]
    if not re.fullmatch("[0-9]{1,9}", frames):
        raise HaustraError(f"{table}, video {name}: TotalFrames is '{frames}', not a number of frames")
    duration_s = int(frames) / RATE_HZ
    found = [interval for region in REGIONS for interval in _intervals(row[region], region, f"{table}, video {name}")]
    found.sort(key=lambda interval: (interval.start_s, -interval.end_s))
    return NotedWithdrawal(name, row.get("Equipment", ""), duration_s, tuple(found))


def _intervals(cell: str, region: str, where: str) -> list[Interval]:
    """Empty cells are regions that were not annotated."""
    found = []
    for part in filter(str.strip, cell.split("/")):
        match = _INTERVAL.fullmatch(part)
        start_s, last_s = (parse_time(match[1]), parse_time(match[2])) if match else (1.0, 0.0)
        if last_s < start_s:
            raise HaustraError(f"{where}: {region} is '{cell}', not intervals m:ss-m:ss joined by /")
        found.append(Interval(region, start_s, last_s + 1.0))
    return found
