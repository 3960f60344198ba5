"""The line below a table that says what agrees with the paper."""

from __future__ import annotations

import pytest

from haustra.lab.evaluate.paper_agreement import agreement
from haustra.lab.evaluate.paper_tables import beside_paper, paper_table
from haustra.lab.evaluate.result_table import ResultTable, Row, Value, of_rows


def made(label: str, change: dict[tuple[str, int], float], scale: float = 1.0) -> ResultTable:
    """The paper's own figures as ours, times `scale`, but for those that are changed."""
    paper = paper_table(label)
    rows = {
        row.name: [
            Value(change.get((row.name, k), scale * cell.mean)) if cell else None for k, cell in enumerate(row.cells)
        ]
        for row in paper.rows
    }
    return beside_paper(of_rows(label, paper.title, paper.columns, rows, groups=paper.groups))


def test_the_papers_own_figures_agree_in_everything() -> None:
    line = agreement(made("tab:cpe_evaluation", {}))
    assert "20 of 20 pairwise comparisons of rows have the same winner" in line
    assert "the best row is the paper's in Train, Test; not in none" in line
    assert "differ by 0.000 on average, 0 of 10 are higher, 10 of 10 within its standard deviation" in line


def test_another_winner_is_named() -> None:
    line = agreement(made("tab:cpe_evaluation", {("Proposed", 1): 0.07}))
    assert "16 of 20 pairwise comparisons" in line
    assert "the paper's in Train; not in Test (With fixed specular mask, there Proposed)" in line
    assert "9 of 10 within" in line


def test_more_accuracy_is_better_and_more_error_is_worse() -> None:
    best = "Motion-based location index (Set 2)"
    assert "the paper's in Accuracy, Average segment error, Max. segment error" in agreement(made("tab:evaluation", {}))
    line = agreement(made("tab:evaluation", {(best, 0): 0.1}))
    assert f"not in Accuracy (Motion-based location index (Set 3), there {best})" in line


def test_lengths_in_a_free_unit_are_compared_by_order_alone() -> None:
    line = agreement(made("tab:consistency", {}, scale=7.0))
    assert "54 of 54" not in line or "within" not in line
    assert "differ by" not in line
    assert line.startswith("Beside the paper: ")


@pytest.mark.parametrize("rows", [(), (Row("nobody has it", (Value(1.0),) * 2),)])
def test_nothing_to_compare_is_no_line(rows: tuple[Row, ...]) -> None:
    assert agreement(ResultTable("tab:cpe_evaluation", "", ("Train", "Test"), rows)) == ""
