"""README shows the recorded figures and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.readme_table import (
    BEGIN,
    BEGIN_FOREIGN,
    BEGIN_RIVALS,
    END,
    README,
    readme_foreign,
    readme_rivals,
    readme_table,
    write_readme,
)
from benchmarks.scale_figures import BEGIN as BEGIN_COST
from benchmarks.scale_figures import SCALE, scale_cost

from benchmarks import results_page
from haustra.errors import HaustraError
from haustra.files import read_json, write_json

RESULTS = results_page.HERE / "results"
RECORDED = (RESULTS / "localisation.md").read_text(encoding="utf-8")
FOREIGN = (RESULTS / "foreign.md").read_text(encoding="utf-8")


def row(mm: float) -> dict[str, dict[str, dict[str, float]]]:
    figures = {"ate_sim3_rmse": mm, "rpe_trans": 1.0, "rpe_rot_deg": 0.5}
    return {"test": {"01": figures}, "easy": {"easy": figures}}


RIVALS = {
    "settings": {"steps": 1, "batch": 1, "width": 1.0},
    "runs": {"zero": row(100), "ours/0": row(20), "ours/1": row(30), "klt": row(40)},
}


def test_readme_agrees_with_the_recorded_results() -> None:
    text = README.read_text(encoding="utf-8")
    assert text.split(BEGIN)[1].split(END)[0] == readme_table(RECORDED), "run python -m benchmarks.results_page"
    assert text.split(BEGIN_FOREIGN)[1].split(END)[0] == readme_foreign(FOREIGN)
    if (RESULTS / "rivals.json").is_file():
        assert text.split(BEGIN_RIVALS)[1].split(END)[0] == readme_rivals(read_json(RESULTS / "rivals.json"))


def test_the_cost_of_a_cohort_is_that_of_the_recorded_results() -> None:
    recorded = (RESULTS / "pipeline.md").read_text(encoding="utf-8")
    assert SCALE.read_text(encoding="utf-8").split(BEGIN_COST)[1].split(END)[0] == scale_cost(recorded)
    made = ("decode_only_cpu_ms_a_frame 10", "cpu_over_decode 2.0 limit 2: holds", "peak_rss_2_min_mb 500")
    table = scale_cost("\n".join(f"pipeline {line}" for line in made))
    assert "10.00 ms to decode, 2.00 times that for everything: 20.0 ms" in table
    assert "**720 CPU seconds**" in table
    assert "2,000 core hours: 31 h on 64 cores, 7.8 h on 256" in table
    assert "200,000 core hours: 8.1 days on 1,024 cores" in table
    assert "0.50 GB" in table


def test_colons_of_another_origin_by_recording() -> None:
    lines = readme_foreign(FOREIGN).splitlines()
    assert lines[0] == "| location index off by | colon a | colon b |"
    assert [line.split(" |")[0] for line in lines[2:4]] == ["| **Haustra**", "| the clock"]
    with pytest.raises(HaustraError, match="run its section again"):
        readme_foreign(FOREIGN.replace("| time index", "| clock"))


def test_every_rival_has_a_row_with_its_spread() -> None:
    lines = readme_rivals(RIVALS).splitlines()[2:]
    assert lines[0] == "| **Haustra**, self-supervised | 25.0 (5.0) | 0.50 (0.00) |"
    assert lines[1] == "| tracked corners and essential matrix | 40.0 | 0.50 |"
    assert len(lines) == 3


def test_the_page_agrees_with_the_recorded_results() -> None:
    page = results_page.PAGE.read_text(encoding="utf-8")
    names = [*results_page.SECTIONS, *(path.stem for path in RESULTS.glob("reproduce_*.md"))]
    for name in names:
        recorded = RESULTS / f"{name}.md"
        assert not recorded.is_file() or recorded.read_text(encoding="utf-8") in page, name


def test_only_the_tables_are_changed(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    (tmp_path / "localisation.md").write_text(RECORDED, encoding="utf-8")
    (tmp_path / "foreign.md").write_text(FOREIGN, encoding="utf-8")
    head = f"before\n{BEGIN}old\n{END}\nabroad\n{BEGIN_FOREIGN}{END}\nbetween\n"
    readme.write_text(head, encoding="utf-8")
    write_readme(readme, tmp_path)
    abroad = f"{BEGIN_FOREIGN}{readme_foreign(FOREIGN)}{END}"
    first = f"before\n{BEGIN}{readme_table(RECORDED)}{END}\nabroad\n{abroad}\nbetween\n"
    assert readme.read_text(encoding="utf-8") == first
    write_json(tmp_path / "rivals.json", RIVALS)
    readme.write_text(f"{head}{BEGIN_RIVALS}{END}\nafter\n", encoding="utf-8")
    write_readme(readme, tmp_path)
    assert readme.read_text(encoding="utf-8") == f"{first}{BEGIN_RIVALS}{readme_rivals(RIVALS)}{END}\nafter\n"
    readme.write_text("no place\n", encoding="utf-8")
    with pytest.raises(HaustraError, match="has no place for the table"):
        write_readme(readme, tmp_path)
