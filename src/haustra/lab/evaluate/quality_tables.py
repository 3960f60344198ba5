"""The paper's tab:image_classification with our rows beside its own."""

from __future__ import annotations

from collections.abc import Mapping

from haustra.lab.evaluate.classification_scores import METRICS, MeanStd
from haustra.lab.evaluate.paper_tables import beside_paper, paper_table
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows

LABEL = "tab:image_classification"
ROWS = {"noninformative": "Non-informative image classification", "forceps": "Biopsy forceps detection"}
# Accuracy, which the paper's text names, is not in its table.
SHOWN = METRICS[:6]


def quality_table(scores: Mapping[str, Mapping[str, MeanStd]]) -> ResultTable:
    """Mean (std) over recordings, each row with the paper's below it."""
    rows = {
        ROWS[task]: [Value(row[m].mean, row[m].std) if row[m].recordings else None for m in SHOWN]
        for task, row in scores.items()
    }
    paper = paper_table(LABEL)
    return beside_paper(of_rows(LABEL, paper.title, paper.columns, rows))


def paper_scores(task: str) -> dict[str, Value | None]:
    """The paper's figures by metric, on its own private recordings."""
    (row,) = (row for row in paper_table(LABEL).rows if row.name == ROWS[task])
    return dict(zip(SHOWN, row.cells, strict=True))
