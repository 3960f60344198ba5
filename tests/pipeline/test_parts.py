"""A recording in parts, located: one clock, no pair across files, the same bytes after an interruption."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from clips import RATE, cut
from typer.testing import CliRunner

import haustra
from haustra.cli.commands import app
from haustra.correctable import open_correctable
from haustra.results.annotations import FORMAT, Annotations
from haustra.results.folder import OBSERVATIONS
from haustra.results.journal import Journal, load_observations
from haustra.results.run import file_digest
from haustra.results.table import PART_COLUMNS

OPTIONS: dict[str, Any] = {"withdrawal_start": 0, "quality": "none", "threads": 1}
TABLES = ("frames.parquet", "frames.csv", "trajectory.tum", "summary.json", OBSERVATIONS)


@pytest.fixture(scope="module")
def halves(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The first part ends just before a chunk does, so that a run which resumes reads the end of it again."""
    folder = tmp_path_factory.mktemp("PatA")
    lengths = (149 / RATE, 3.0)
    return [cut(demo / "video.mp4", folder / f"{n + 1}.mp4", lengths[n], 96, sum(lengths[:n])) for n in range(2)]


@pytest.fixture(scope="module")
def joined(halves: list[Path], tmp_path_factory: pytest.TempPathFactory) -> haustra.Localization:
    return haustra.locate(halves, out=tmp_path_factory.mktemp("joined") / "out", **OPTIONS)


def test_one_clock_and_each_parts_own_file_and_time(joined: haustra.Localization) -> None:
    frames = joined.frames
    np.testing.assert_allclose(np.diff(frames["time_s"]), 1 / RATE, atol=1e-6)
    assert frames.columns[1:5] == ["time_s", *PART_COLUMNS]
    second = frames.filter(part=2)
    assert frames.filter(part=1)["part_file"].unique().to_list() == ["1.mp4"]
    assert second["part_file"].unique().to_list() == ["2.mp4"]
    assert (len(frames.filter(part=1)), len(second)) == (149, 45)
    np.testing.assert_allclose(second["part_time_s"], np.arange(45) / RATE, atol=1e-6)
    assert joined.summary["recording"]["name"] == "1.mp4 and 1 more part"
    assert [part["name"] for part in joined.summary["recording"]["parts"]] == ["1.mp4", "2.mp4"]
    assert any("2 files are taken as one recording" in line for line in joined.summary["warnings"])


def test_no_pair_lies_across_two_files(joined: haustra.Localization) -> None:
    seen = load_observations(joined.folder / OBSERVATIONS, joined.summary["run"]["observed"])
    assert seen is not None
    unmeasured = ~np.isfinite(seen.motion).all(axis=1)
    assert np.flatnonzero(unmeasured).tolist() == [0, 149]
    assert joined.frames["location_index"].is_not_null().all()


def test_the_overlay_goes_through_all_parts(joined: haustra.Localization) -> None:
    with av.open(str(joined.folder / "overlay.mp4")) as video:
        times = [frame.time for frame in video.decode(video=0)]
    np.testing.assert_allclose(times, joined.frames["time_s"] - joined.frames["time_s"][0], atol=1e-3)


class StopError(Exception):
    pass


def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(
    halves: list[Path], joined: haustra.Localization, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, out = Journal.save, tmp_path / "out"

    def save_one(self: Journal, number: int, chunk: Any) -> None:
        save(self, number, chunk)
        raise StopError

    monkeypatch.setattr(Journal, "save", save_one)
    with pytest.raises(StopError):
        haustra.locate(halves, out=out, **OPTIONS)
    monkeypatch.setattr(Journal, "save", save)
    haustra.locate(halves, out=out, **OPTIONS)
    for name in TABLES:
        assert (out / name).read_bytes() == (joined.folder / name).read_bytes(), name


def test_parts_in_another_order_are_another_recording(halves: list[Path], joined: haustra.Localization) -> None:
    assert joined.summary["run"]["recording"] not in map(file_digest, halves)
    for other in (halves[::-1], halves[:1], halves[0]):
        with pytest.raises(haustra.HaustraError, match="another recording"):
            haustra.locate(other, out=joined.folder, **OPTIONS)


def test_a_single_file_has_no_columns_of_parts(halves: list[Path], tmp_path: Path) -> None:
    alone = haustra.locate(halves[1:], out=tmp_path / "list", overlay=False, **OPTIONS)
    plain = haustra.locate(halves[1], out=tmp_path / "plain", overlay=False, **OPTIONS)
    assert not set(PART_COLUMNS) & set(alone.frames.columns)
    for name in TABLES:
        assert (alone.folder / name).read_bytes() == (plain.folder / name).read_bytes(), name


def test_a_correction_keeps_the_parts(joined: haustra.Localization) -> None:
    corrected = open_correctable(joined.folder).corrected(Annotations(FORMAT, begins="cecum", ends="rectum"))
    assert corrected.located.table.select(PART_COLUMNS).equals(joined.frames.select(PART_COLUMNS))


def test_on_the_command_line(halves: list[Path], joined: haustra.Localization) -> None:
    options = ["--withdrawal-start", "0", "--quality", "none", "--out", str(joined.folder), "--json"]
    found = CliRunner().invoke(app, ["locate", *map(str, halves), *options])
    assert json.loads(found.stdout)["recording"] == joined.summary["recording"]
    shown = CliRunner().invoke(app, ["info", *map(str, halves)]).stdout
    assert "part 1    from 00:00" in shown
    assert "part 2    from 00:10" in shown
