"""The whole job on the bundled recording: what comes out, and that it depends on nothing it should not."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from clips import cut

import golden
import haustra
from haustra.anatomy import SEGMENTS
from haustra.lab.evaluate.score_result import read_truth, score_result
from haustra.results.table import COLUMNS, SCOPEGUIDE_COLUMN

TABLES = ("frames.parquet", "frames.csv", "trajectory.tum", "trajectory.kitti", "summary.json")


def test_the_folder_holds_what_the_readme_says(located: haustra.Localization) -> None:
    names = {path.name for path in located.folder.iterdir()}
    assert {*TABLES, "report.html", "overlay.mp4", "haustra.log"} <= names
    assert not [name for name in names if name.startswith(".")], "nothing half-written or left over"


def test_the_demo_gives_the_kept_observations(located: haustra.Localization) -> None:
    found = golden.observed_difference(golden.observations(), golden.observations(located.folder))
    assert not found, f"{found}: if that is meant, raise the version, then `python tests/golden.py --observations DIR`"


def test_one_row_per_sample_with_every_column(located: haustra.Localization) -> None:
    table = pl.read_parquet(located.folder / "frames.parquet")
    assert table.columns == [name for name in COLUMNS if name != SCOPEGUIDE_COLUMN], "no track was given"
    assert np.allclose(np.diff(table["time_s"]), 1 / 15, atol=0.002)
    assert table["location_index"][0] == 0
    assert table.filter("kept")["location_index"][-1] == 1
    assert table.filter("kept")["tx"].is_not_null().all()
    assert table["tx"].is_not_null().all(), "dropped frames are asked, too"
    assert set(table.filter(~pl.col("kept"))["basis"]) <= {"poor", "unseen"}
    assert (table["kept"] == (table["reason"] == "")).all()
    assert set(table["segment"]) <= set(SEGMENTS)
    total = table.select(pl.sum_horizontal(f"p_{name}" for name in SEGMENTS)).to_series()
    assert np.allclose(total, 1, atol=1e-9)


def test_the_summary_identifies_models_and_options(located: haustra.Localization) -> None:
    summary = json.loads((located.folder / "summary.json").read_text())
    assert re.fullmatch("[0-9a-f]{64}", summary["run"]["models"]["motion"]["sha256"])
    assert re.fullmatch("[0-9a-f]{64}", summary["run"]["models"]["quality"]["sha256"])
    assert summary["run"]["placing"]["withdrawal_start"] == 0
    assert summary["withdrawal"]["start_source"] == "given"
    assert set(summary["withdrawal"]["segments"]) == set(SEGMENTS)


def test_it_knows_the_place_better_than_the_clock(located: haustra.Localization, demo: Path) -> None:
    figures = score_result(located, read_truth(demo)).as_dict()
    assert figures["location"]["location_mae"] < figures["location_time_index"]["location_mae"]
    assert figures["location"]["location_mae"] < 0.1


def test_the_number_of_threads_changes_nothing(demo: Path, tmp_path: Path) -> None:
    short = cut(demo / "video.mp4", tmp_path / "short.mp4", 14.0, 160)
    for threads in (1, 3):
        haustra.locate(short, withdrawal_start=0, out=tmp_path / str(threads), overlay=False, threads=threads)
    for name in TABLES:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes(), name


def test_a_finished_folder_is_not_worked_on_again(located: haustra.Localization, demo: Path) -> None:
    before = (located.folder / "frames.parquet").stat().st_mtime_ns
    again = haustra.locate(
        demo / "video.mp4", camera=demo / "camera.json", withdrawal_start=0, out=located.folder, threads=1
    )
    assert (located.folder / "frames.parquet").stat().st_mtime_ns == before
    assert again.frames.equals(located.frames)


def test_the_folder_of_another_recording_is_refused(located: haustra.Localization, clip: Path) -> None:
    with pytest.raises(haustra.HaustraError, match="another recording"):
        haustra.locate(clip, withdrawal_start=0, out=located.folder)


def test_other_options_start_anew(clip: Path, tmp_path: Path) -> None:
    first = haustra.locate(clip, withdrawal_start=0, out=tmp_path / "out", overlay=False, quality="none")
    second = haustra.locate(clip, withdrawal_start=0.5, out=tmp_path / "out", overlay=False, quality="none")
    assert len(second.frames) < len(first.frames)


def test_a_path_with_spaces_and_letters_of_other_scripts(clip: Path, tmp_path: Path) -> None:
    odd = tmp_path / "запись  №1 – 録画.mp4"
    shutil.copy(clip, odd)
    result = haustra.locate(odd, withdrawal_start=0, out=tmp_path / "выход 結果", overlay=True, quality="none")
    assert "запись" in result.report.read_text(encoding="utf-8")


def test_nothing_informative_is_one_clear_line(tmp_path: Path) -> None:
    folder = tmp_path / "noise"
    folder.mkdir()
    import cv2

    for number in range(20):
        picture = np.full((64, 64, 3), 250, np.uint8)
        cv2.imwrite(str(folder / f"{number:03d}.png"), picture)
    with pytest.raises(haustra.HaustraError, match="informative"):
        haustra.locate(folder, fps=15, withdrawal_start=0, out=tmp_path / "out")
    assert not (tmp_path / "out" / "frames.parquet").exists()
