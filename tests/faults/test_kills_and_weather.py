"""A few of the kills and faults of `make kills`, for every kind of run."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import cohort_of_faults
import kills
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="process groups and /proc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings short enough for a test, and two chunks long all the same."""
    folder = tmp_path_factory.mktemp("kills")
    kills.write_videos(folder / "videos", seconds=10.6)
    return folder


@pytest.mark.posix
@pytest.mark.parametrize("kind", kills.KINDS, ids=lambda kind: kind.name)
def test_killed_at_random_moments_it_ends_with_the_same_bytes(kind: kills.Kind, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "videos").symlink_to(folder / "videos")
    count = 6 if kind.name == "with every network" else 2  # what a user runs
    assert kills.killed(kind, count, tmp_path, seed=7) == []


def test_a_cohort_in_bad_weather_has_every_intact_result(tmp_path: Path) -> None:
    done, wrong = cohort_of_faults.run(9, 4, 3, tmp_path)
    assert wrong == []
    assert done["full disk"]
    assert sum(done.values()) >= 4


def test_weather_that_spoils_a_result_is_noticed(tmp_path: Path) -> None:
    for place in ("fair", "bad"):
        (tmp_path / place / "recordings" / "r1").mkdir(parents=True)
    names = cohort_of_faults.differences(tmp_path / "fair", tmp_path / "bad", ["r1"])
    assert "recordings/r1/frames.parquet" in names
    videos = tmp_path / "videos"
    assert cohort_of_faults.write_recordings(videos, 5, random.Random(1)) == ["r000", "r001", "r002", "r003"]
