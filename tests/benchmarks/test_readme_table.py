"""README shows the recorded figures and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.readme_table import BEGIN, END, README, readme_table, write_readme

from benchmarks import results_page
from haustra.errors import HaustraError

RECORDED = (results_page.HERE / "results" / "localisation.md").read_text(encoding="utf-8")


def test_readme_agrees_with_the_recorded_results() -> None:
    shown = README.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert shown == readme_table(RECORDED), "run python -m benchmarks.results_page"


def test_the_page_agrees_with_the_recorded_results() -> None:
    page = results_page.PAGE.read_text(encoding="utf-8")
    for name in results_page.SECTIONS:
        recorded = results_page.HERE / "results" / f"{name}.md"
        assert not recorded.is_file() or recorded.read_text(encoding="utf-8") in page, name


def test_only_the_table_is_changed(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}old\n{END}\nafter\n", encoding="utf-8")
    write_readme(RECORDED, readme)
    assert readme.read_text(encoding="utf-8") == f"before\n{BEGIN}{readme_table(RECORDED)}{END}\nafter\n"
    readme.write_text("no place\n", encoding="utf-8")
    with pytest.raises(HaustraError, match="has no place for the table"):
        write_readme(RECORDED, readme)
