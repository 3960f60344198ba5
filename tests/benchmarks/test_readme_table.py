"""README and the page on cohorts show the recorded figures and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.readme_table import BEGIN, END, README, readme_table, write_readme
from benchmarks.results_page.record import RESULTS, keep
from benchmarks.results_page.tables import Cell, recorded
from benchmarks.scale_figures import BEGIN as BEGIN_COST
from benchmarks.scale_figures import SCALE, scale_cost

from haustra.core.errors import HaustraError


def test_readme_agrees_with_the_recorded_results() -> None:
    text = README.read_text(encoding="utf-8")
    assert text.split(BEGIN)[1].split(END)[0] == readme_table(), "run python -m benchmarks.results_page"


def test_figures_in_the_text_of_readme_are_the_recorded_ones() -> None:
    words = " ".join(README.read_text(encoding="utf-8").split())

    def figure(*cell: str, digits: int) -> str:
        return f"{float(Cell(*cell).text().split()[0]):.{digits}f}"

    demo = [figure("by_default_demo", given, "location error", digits=3) for given in ("start, lens", "start")]
    assert f"the demo's error goes from {demo[0]} to {demo[1]}" in words
    every, worst = (figure("named_worlds", "all of them", column, digits=2) for column in ("decoder", "least"))
    assert f"the default is right on {every} of the frames, on the worst recording on {worst}" in words
    assert f"On our own Set 3 alone it is {figure('named_worlds', 'set3-set3', 'decoder', digits=2)}" in words
    assert f"by the paper's template it is {figure('localisation', 'motion', 'Accuracy', digits=2)} there" in words
    real = [figure("real_motion", f"{method} / all", "ours / best", digits=2) for method in ("shipped", "klt")]
    assert f"({real[0]} and {real[1]} of the best fit)" in words


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 120


def test_the_cost_of_a_cohort_is_that_of_the_recorded_results() -> None:
    printed = recorded("pipeline")[1]
    assert SCALE.read_text(encoding="utf-8").split(BEGIN_COST)[1].split(END)[0] == scale_cost(printed)
    made = ("decode_only_cpu_ms_a_frame 10", "cpu_over_decode 2.0 limit 2: holds", "peak_rss_2_min_mb 500")
    table = scale_cost("\n".join(f"pipeline {line}" for line in made))
    assert "10.00 ms to decode, 2.00 times that for everything: 20.0 ms" in table
    assert "**720 CPU seconds**" in table
    assert "2,000 core hours: 31 h on 64 cores, 7.8 h on 256" in table
    assert "200,000 core hours: 8.1 days on 1,024 cores" in table
    assert "0.50 GB" in table


def test_only_the_table_is_changed(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}old\n{END}\nafter\n", encoding="utf-8")
    write_readme(readme, RESULTS)
    assert readme.read_text(encoding="utf-8") == f"before\n{BEGIN}{readme_table()}{END}\nafter\n"
    readme.write_text("no place\n", encoding="utf-8")
    with pytest.raises(HaustraError, match="has no place for the table"):
        write_readme(readme, RESULTS)


def test_a_row_that_was_not_recorded_is_missed(tmp_path: Path) -> None:
    keep(tmp_path / "kept_away.md", "| of | location error |\n|---|---|\n| mean | 0.04 |\n")
    with pytest.raises(HaustraError, match=r"kept_away.md has no row 'mean' with a column 'clock error'"):
        readme_table(tmp_path)
