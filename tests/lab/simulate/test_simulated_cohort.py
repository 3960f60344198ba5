"""Cohorts and stills: the paper's splits, resumable, the same with any number of processes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from haustra.cli.commands import app
from haustra.core.errors import HaustraError
from haustra.lab.simulate import simulated_cohort, simulated_stills
from haustra.lab.simulate.simulated_cohort import members_of, plan_cohort, split_counts, write_cohort

TINY = {"seconds": 2.8, "width": 48, "height": 48}


def test_splits_are_the_papers() -> None:
    members = plan_cohort(44, 1, **TINY)
    count = {split: sum(m.split == split for m in members) for split in simulated_cohort.SPLITS}
    assert count == {"set1/train": 10, "set1/validation": 3, "set1/test": 3, "set2": 18, "set3": 10}
    assert len({m.settings.seed for m in members}) == 44
    assert not {m.settings.seed for m in members} & {m.settings.seed for m in plan_cohort(44, 2, **TINY)}


@pytest.mark.parametrize("recordings", [5, 6, 9, 12, 20, 43, 60])
def test_smaller_cohorts_keep_every_split(recordings: int) -> None:
    counts = split_counts(recordings, simulated_cohort.SPLITS)
    assert sum(counts.values()) == recordings
    assert min(counts.values()) >= 1
    assert counts["set2"] == max(counts.values())


def test_too_few_recordings_are_refused() -> None:
    with pytest.raises(HaustraError, match="at least 5"):
        split_counts(4, simulated_cohort.SPLITS)


def test_one_set_holds_the_recordings_of_the_whole_cohort() -> None:
    members = plan_cohort(44, 1, **TINY)
    assert members_of(members, "set3") == members[-10:]
    assert len(members_of(members, "set1")) == 16
    with pytest.raises(HaustraError, match="set1, set2, set3"):
        members_of(members, "set4")


def test_processes_do_not_change_the_result_and_work_is_resumed(tmp_path: Path) -> None:
    members = [m for m in plan_cohort(5, 3, **TINY) if m.split in ("set2", "set3")]
    one = write_cohort(tmp_path / "one", members, workers=1)
    assert one["made"] == 2
    kept = (tmp_path / "one" / "set2/01/video.mp4").stat().st_mtime_ns
    removed = tmp_path / "one" / "set3/01"
    before = {path.name: path.read_bytes() for path in removed.iterdir()}
    for path in removed.iterdir():
        path.unlink()
    removed.rmdir()
    again = write_cohort(tmp_path / "one", members, workers=2)
    assert (again["made"], again["kept"]) == (1, 1)
    assert (tmp_path / "one" / "set2/01/video.mp4").stat().st_mtime_ns == kept
    assert {path.name: path.read_bytes() for path in removed.iterdir()} == before
    two = write_cohort(tmp_path / "two", members, workers=2)
    assert two["made"] == 2
    for name in ("video.mp4", "truth.parquet", "scopeguide.csv"):
        path = f"{members[0].path}/{name}"
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes()
    listed = json.loads((tmp_path / "one" / "cohort.json").read_text())["recordings"]
    assert [entry["path"] for entry in listed] == [m.path for m in members]


def test_another_plan_is_not_mixed_in(tmp_path: Path) -> None:
    write_cohort(tmp_path, [])
    with pytest.raises(HaustraError, match="other options"):
        write_cohort(tmp_path, plan_cohort(5, 1, **TINY))


def test_stills_have_labels(tmp_path: Path) -> None:
    out = tmp_path / "stills"
    command = ["simulate", "frames", "--recordings", "2", "--seconds", "20", "--size", "48x48", "--json"]
    result = CliRunner().invoke(app, [*command, "--out", str(out)])
    assert result.exit_code == 0, result.output
    with (out / "labels.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == json.loads(result.stdout)["stills"] == 40
    assert tuple(rows[0]) == simulated_stills.COLUMNS
    assert {row["split"] for row in rows} == {"train", "test"}
    assert {row["label"] for row in rows} <= set(simulated_stills.LABELS)
    assert len({row["label"] for row in rows}) >= 4
    assert all((out / row["path"]).is_file() for row in rows)


def test_stills_are_split_as_in_the_paper() -> None:
    series = simulated_stills.plan_stills(29, 60.0, 1, (48, 48))
    assert [s.split for s in series].count("train") == 19
    assert [s.split for s in series].count("test") == 10
