"""README shows the recorded figures and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.readme_table import BEGIN, BEGIN_RIVALS, END, README, readme_rivals, readme_table, write_readme

from benchmarks import results_page
from haustra.errors import HaustraError
from haustra.files import read_json, write_json

RESULTS = results_page.HERE / "results"
RECORDED = (RESULTS / "localisation.md").read_text(encoding="utf-8")


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
    if (RESULTS / "rivals.json").is_file():
        assert text.split(BEGIN_RIVALS)[1].split(END)[0] == readme_rivals(read_json(RESULTS / "rivals.json"))


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
    head = f"before\n{BEGIN}old\n{END}\nbetween\n"
    readme.write_text(head, encoding="utf-8")
    write_readme(readme, tmp_path)
    first = f"before\n{BEGIN}{readme_table(RECORDED)}{END}\nbetween\n"
    assert readme.read_text(encoding="utf-8") == first
    write_json(tmp_path / "rivals.json", RIVALS)
    readme.write_text(f"{head}{BEGIN_RIVALS}{END}\nafter\n", encoding="utf-8")
    write_readme(readme, tmp_path)
    assert readme.read_text(encoding="utf-8") == f"{first}{BEGIN_RIVALS}{readme_rivals(RIVALS)}{END}\nafter\n"
    readme.write_text("no place\n", encoding="utf-8")
    with pytest.raises(HaustraError, match="has no place for the table"):
        write_readme(readme, tmp_path)
