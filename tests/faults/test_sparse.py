"""A file that says it is far larger than what it can be is not read: sparse files cost whoever sends them nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from haustra.core.errors import HaustraError
from haustra.core.pictures import read_picture
from haustra.lab.datasets.c3vd import read_poses
from haustra.lab.datasets.endomapper import read_regions
from haustra.lab.datasets.layout import read_table
from haustra.quality.labelled import read_samples

READERS: dict[str, Callable[[Path], object]] = {
    "a.png": read_picture,
    "poses.txt": read_poses,
    "regions.csv": read_regions,
    "table.csv": lambda source: read_table(source, ("a",)),
    "labels.csv": lambda source: read_samples([source]),
}


@pytest.mark.parametrize("name", READERS)
def test_a_file_of_a_terabyte_is_refused_unread(name: str, tmp_path: Path) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(HaustraError, match="bytes: at most"):
        READERS[name](tmp_path / name)
