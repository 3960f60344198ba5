"""What a user gets by default: options by what is given, and tables of recordings with and without named segments."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.by_default import GIVEN, LENS, NOTHING, PAPER, START, Figures, figures_of, options_of, report

import haustra
from haustra.demo import DEMO
from haustra.lab.datasets import open_dataset

NAMED = Figures("a", 0.02, 1.0, 0.1, 0.8, 0.6, 0.7)
UNNAMED = Figures("b", 0.04, 0.9, 0.1, None, None, None)


def test_each_level_adds_to_the_one_before(tmp_path: Path) -> None:
    (demo,) = open_dataset(DEMO, None)[1]
    given = {level: set(options_of(demo, level, 0.0, tmp_path)) for level in GIVEN}
    lens = {"withdrawal_start", "camera"}
    assert given == {NOTHING: set(), START: {"withdrawal_start"}, LENS: lens, PAPER: lens | {"index"}}


def test_recordings_without_segments_count_in_the_error_and_not_in_the_accuracy() -> None:
    summary, each = report({START: [NAMED, UNNAMED]}).split("\n\n")[1:]
    cells = [cell.strip() for cell in summary.splitlines()[2].split("|")[1:-1]]
    assert cells[1:3] == ["0.030 (0.010)", "0.040"]
    assert cells[5:8] == ["1 of 2", "0.800 (0.000)", "0.800"]
    assert each.splitlines()[3].split("|")[6:9] == [" -                ", " -              ", " -               "]


def test_the_demo_is_located_and_scored(located: haustra.Localization, tmp_path: Path) -> None:
    (demo,) = open_dataset(DEMO, None)[1]
    shutil.copytree(located.folder, tmp_path / "demo" / "start-lens")  # seen once, for all tests
    found = figures_of(demo, LENS, tmp_path)
    assert found.error < found.clock_error
    assert found.accuracy is not None
    assert found.oracle is not None
