"""Every number of our transcription stands in the paper's table of that label, and none is missing; the writers."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from haustra.core.errors import HaustraError
from haustra.lab.evaluate.paper_tables import METHOD_ROWS, beside_paper, paper_table, paper_tables
from haustra.lab.evaluate.result_table import Value, csv_text, latex, markdown, of_rows, write_tables

NUMBER = re.compile(r"\d+\.\d+")


@pytest.fixture(scope="module")
def tex_tables() -> dict[str, str]:
    data = os.environ.get("HAUSTRA_DATA")
    beside = Path(data).parent if data else Path(__file__).parents[4] / "shared"
    source = beside / "paper.tex"
    if not source.is_file():
        pytest.skip(f"no paper at {source}")
    found = re.findall(r"\\begin\{table\*?\}.*?\\end\{table\*?\}", source.read_text(encoding="utf-8"), re.DOTALL)
    return {re.search(r"\\label\{(.*?)\}", text)[1]: text for text in found}


def test_all_twelve_in_order() -> None:
    assert [table.number for table in paper_tables().values()] == list(range(1, 13))
    for entry in paper_tables().values():
        assert all(len(row.cells) == len(entry.table.columns) for row in entry.table.rows)
        assert sum(count for _, count in entry.table.groups) in (0, len(entry.table.columns))


def test_every_number_is_the_papers_and_none_is_missing(tex_tables: dict[str, str]) -> None:
    assert set(tex_tables) == set(paper_tables())
    for label, text in tex_tables.items():
        body = text[text.index(r"\begin{tabular}") : text.rindex(r"\end{tabular}")]
        ours = NUMBER.findall(markdown(paper_table(label)).partition("\n\n")[2])
        assert Counter(ours) == Counter(NUMBER.findall(body)), label


def test_rows_keep_their_places(tex_tables: dict[str, str]) -> None:
    """Row by row, in order: a number in the wrong row or column would pass a count."""
    for label, text in tex_tables.items():
        lines = [NUMBER.findall(re.sub(r"\\citep\{[^}]*\}", "", line)) for line in re.split(r"\\\\", text)]
        printed = [numbers for numbers in lines if numbers]
        # A row may be broken over several pieces only by nested cells without numbers.
        assert printed == [
            [n for cell in row.cells for n in NUMBER.findall(str(cell))] for row in paper_table(label).rows
        ]


def test_ours_beside_the_papers() -> None:
    rows = {"Proposed": [Value(0.05, 0.01, 4), None], "Summed expansion": [Value(0.09, 0.01, 4)] * 2}
    table = beside_paper(of_rows("tab:cpe_evaluation", "CPE", ["Train", "Test"], rows))
    assert [(row.name, row.source) for row in table.rows[:3]] == [
        ("Proposed", "ours"), ("Proposed", "paper"), ("With fixed specular mask", "paper")
    ]  # fmt: skip
    assert (table.rows[-1].name, table.rows[-1].source) == ("Summed expansion", "ours")
    text = markdown(table)
    assert "0.0500 (0.0100)" in text
    assert "0.0490 (0.0090)" in text
    assert "the paper: its tab:cpe_evaluation" in text
    with pytest.raises(HaustraError, match="2 columns in the paper, ours has 1"):
        beside_paper(of_rows("tab:cpe_evaluation", "CPE", ["Train"], {}))
    with pytest.raises(HaustraError, match="no table 'tab:x'"):
        paper_table("tab:x")
    assert set(METHOD_ROWS.values()) == {row.name for row in paper_table("tab:high-resolution").rows}


def test_writers(tmp_path: Path) -> None:
    table = of_rows(
        "tab:a", "A_b", ["x_1", "y"], {"50 %": [Value.of([1.0, 2.0, float("nan")], 2), None]}, groups=(("Video #1", 2),)
    )
    rows = list(csv.reader(io.StringIO(csv_text(table))))
    assert rows[0] == ["row", "source", "Video #1 x_1", "Video #1 x_1 std", "Video #1 y", "Video #1 y std"]
    assert rows[1] == ["50 %", "ours", "1.5", "0.5", "", ""]
    assert r"50 \% & 1.50 (0.50) & -" in latex(table)
    assert r"\multicolumn{2}{c}{Video \#1}" in latex(table)
    assert r"x\_1" in latex(table)
    assert [path.name for path in write_tables(tmp_path, [table])] == ["a.csv", "a.md", "a.tex"]
    assert Value.of([float("nan")]) is None
