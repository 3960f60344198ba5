"""Tables as text: every figure in its cell, with its digits."""

from __future__ import annotations

import numpy as np

from haustra.anatomy import load_template
from haustra.lab.evaluate.segment_scores import segment_result, summarise
from haustra.lab.evaluate.text_table import accuracy_table, template_table, text_table


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert text_table(["a", "bb"], [["ccc", "d"]]).splitlines() == ["| a   | bb |", "|-----|----|", "| ccc | d  |"]


def test_figures_of_segments() -> None:
    truth = np.repeat(np.arange(1, 6), 20)  # the rectum is never reached
    summary = summarise([segment_result(np.roll(truth, shift), truth) for shift in (3, 7)])
    row = cells(accuracy_table({"ours": summary}))[2]
    pairs = [(summary.accuracy, 3), (summary.average_error, 3), (summary.maximal_error, 1)]
    assert row == ["ours", *(f"{mean:.{digits}f} ({std:.{digits}f})" for (mean, std), digits in pairs), "2"]
    template = load_template("paper-set2")
    assert cells(template_table([template]))[2] == ["paper-set2", *(f"{v:.3f}" for v in template.mean)]
