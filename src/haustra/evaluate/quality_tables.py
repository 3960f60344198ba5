"""The paper's tab:image_classification with our rows in it."""

from __future__ import annotations

from collections.abc import Mapping

from haustra.evaluate.paper import beside_paper, paper_table
from haustra.evaluate.quality import METRICS, MeanStd
from haustra.evaluate.result_table import ResultTable, Value, of_rows

LABEL = "tab:image_classification"
ROWS = {"noninformative": "Non-informative image classification", "forceps": "Biopsy forceps detection"}
# Accuracy, which the paper's text names, is not in its table.
SHOWN = METRICS[:6]


def quality_table(scores: Mapping[str, Mapping[str, MeanStd]]) -> ResultTable:
    """Mean (std) over recordings, each row with the paper's below it."""
    rows = {
        ROWS[question]: [Value(row[m].mean, row[m].std) if row[m].recordings else None for m in SHOWN]
        for question, row in scores.items()
    }
    paper = paper_table(LABEL)
    return beside_paper(of_rows(LABEL, paper.title, paper.columns, rows))


def paper_scores(question: str) -> dict[str, Value | None]:
    """The paper's figures by metric: the yardstick beside ours, on its own private recordings."""
    (row,) = (row for row in paper_table(LABEL).rows if row.name == ROWS[question])
    return dict(zip(SHOWN, row.cells, strict=True))
