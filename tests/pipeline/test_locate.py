"""The whole job on the bundled recording: what comes out, and that it depends on nothing it should not."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from clips import cut

import golden
import haustra
from haustra.anatomy import SEGMENTS
from haustra.anatomy.template import build_template
from haustra.lab.evaluate.score_result import read_truth, score_result
from haustra.results.table import COLUMNS, PART_COLUMNS, SCOPEGUIDE_COLUMN

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
    absent = (SCOPEGUIDE_COLUMN, *PART_COLUMNS)  # no track was given, and the recording is one file
    assert table.columns == [name for name in COLUMNS if name not in absent]
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


def test_what_is_accepted_but_odd_gets_a_note(clip: Path, tmp_path: Path) -> None:
    few = build_template("mine", np.full((3, 6), 1 / 6) + np.eye(3, 6) * 0.01, ["a", "b", "c"])
    few.save(tmp_path / "few.json")
    odd = {"camera": "pillcam", "withdrawal_end": "5:00", "template": tmp_path / "few.json"}
    options = {"withdrawal_start": 0, "overlay": False, "quality": "none"}
    found = haustra.locate(clip, out=tmp_path / "odd", **options, **odd).summary["warnings"]
    notes = [
        "the camera 'pillcam' was calibrated in pictures of 256x256 pixels, this one has",
        "the end of the withdrawal was given as 05:00, but the recording ends at 00:01: that was taken",
        "the template 'mine' was built from 3 recordings: with fewer than 5 its lengths are uncertain",
    ]
    assert all(any(line.startswith(note) for line in found) for note in notes), found
    usual = {"camera": "generic", "withdrawal_end": 2, "template": "paper-set3"}
    plain = haustra.locate(clip, out=tmp_path / "plain", **options, **usual).summary["warnings"]
    assert not any(line.startswith(note[:20]) for line in plain for note in notes), plain


def test_notes_are_said_where_they_are_seen_and_once(clip: Path, tmp_path: Path) -> None:
    """In Python (a notebook) without any logging set up, and by the command; not by a quiet one."""
    options = "withdrawal_start=0, withdrawal_end=300, overlay=False, quality='none', out='out'"
    code = f"import haustra; haustra.locate({str(clip)!r}, {options})"
    flags = ["--withdrawal-start", "0", "--withdrawal-end", "300", "--no-overlay", "--quality", "none", "--out", "out"]
    command = ["-m", "haustra", "locate", str(clip), *flags]
    for arguments, times in ((["-c", code], 1), (command, 1), ([*command, "--quiet"], 0)):
        ended = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        note = "note: the end of the withdrawal was given as 05:00, but the recording ends at 00:01"
        assert (ended.stdout + ended.stderr).count(note) == times


def test_a_refusal_is_said_once_and_leaves_no_folder(clip: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "haustra", "locate", str(clip), "--withdrawal-start", "9:50", "--out", "out"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.count("the start 09:50 is past the end of") == 1
    assert not (tmp_path / "out").exists()


def test_a_refusal_leaves_what_lay_there(clip: Path, tmp_path: Path) -> None:
    before = haustra.locate(clip, withdrawal_start=0, out=tmp_path / "out", overlay=False, quality="none")
    with pytest.raises(haustra.HaustraError, match="past the end"):
        haustra.locate(clip, withdrawal_start=590, out=tmp_path / "out", overlay=False, quality="none")
    assert haustra.open(tmp_path / "out").frames.equals(before.frames)
    assert not (tmp_path / "out" / ".work").exists()
    assert "stopped: the start 09:50" in (tmp_path / "out" / "haustra.log").read_text()


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
