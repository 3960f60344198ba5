"""`make reproduce`: the plan of its recordings, parts that are done stay done, and what stands below a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.reproduce.__main__ import section
from benchmarks.reproduce.data import LOW, Data, cohort_members
from benchmarks.reproduce.parts import Outcome, Place, noted, run_part
from benchmarks.reproduce.scale import SCALES

from haustra.lab.evaluate.paper_tables import beside_paper, paper_table, paper_tables
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows

SMALL = SCALES["small"]


def place(folder: Path) -> Place:
    return Place(SMALL, Data(folder, folder), folder / "work", folder / "tables", folder / "img" / "small")


def table() -> ResultTable:
    paper = paper_table("tab:cpe_evaluation")
    return beside_paper(of_rows(paper.label, paper.title, paper.columns, {"Proposed": [Value(0.05), Value(0.06)]}))


def test_small_is_part_of_a_cohort_and_has_what_the_tables_need() -> None:
    members = cohort_members(SMALL)
    splits = [member.split for member in members]
    assert splits.count("set1/test") == splits.count(f"{LOW}/test") == 3, "three recordings a table, in both sizes"
    assert splits.count("set3") == 10, "the paper's ten curves"
    assert len({member.path for member in members}) == len(members)
    high, low = (next(m.settings for m in members if m.split == f"{s}/test") for s in ("set1", LOW))
    assert low == replace(high, width=SMALL.side // 2, height=SMALL.side // 2), "the same recording, smaller"


def test_a_finished_part_is_not_run_again(tmp_path: Path) -> None:
    runs = []

    def part(where: Place) -> Outcome:
        runs.append(1)
        return Outcome((table(),), ((where.picture("a.svg", "<svg/>"), "A drawing"),), "Seed 0.")

    first = run_part("part", part, place(tmp_path))
    assert run_part("part", part, place(tmp_path)) == first
    assert len(runs) == 1
    assert "![A drawing](../img/small/a.svg)" in first["text"]
    assert {path.suffix for path in (tmp_path / "tables").iterdir()} == {".csv", ".md", ".tex"}
    (tmp_path / "img" / "small" / "a.svg").unlink()
    run_part("part", part, place(tmp_path))
    assert len(runs) == 2, "its picture was gone"
    other = replace(place(tmp_path), scale=replace(SMALL, steps=61))
    run_part("part", part, other)
    assert len(runs) == 3, "another budget is another result"


def test_below_a_table_stand_the_paper_and_the_budget() -> None:
    notes = noted(table(), "Seed 0, 60 steps.").notes
    assert notes[-1] == "Seed 0, 60 steps. The recordings are those of cohort seed 41."
    assert notes[-2].startswith("Beside the paper: figures differ by 0.002 on average")


def test_the_section_says_which_tables_are_missing(tmp_path: Path) -> None:
    given = {"text": "the table\n", "tables": ["image_classification"]}
    text = section(place(tmp_path), {"classification": given})
    assert "### Image classification\n\nthe table" in text
    assert "not made yet: tab:consistency, tab:cpe_evaluation," in text
    everything = {"text": "", "tables": [label.removeprefix("tab:") for label in paper_tables()]}
    assert "not made yet" not in section(place(tmp_path), {"places": everything})
