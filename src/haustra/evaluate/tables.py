"""The paper's tables as text: `mean (std)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from haustra.anatomy.template import Template
from haustra.evaluate.segments import SCORES, SegmentSummary
from haustra.poses import FloatArray
from haustra.terms import SEGMENTS


def mean_std(values: Sequence[float] | FloatArray, digits: int = 3) -> str:
    """`0.754 (0.111)`; figures that could not be computed are left out, a dash when none could."""
    known = np.asarray(values, dtype=np.float64)
    known = known[np.isfinite(known)]
    return f"{known.mean():.{digits}f} ({known.std():.{digits}f})" if len(known) else "-"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns."""
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]
    cells = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in [header, *rows]]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def accuracy_table(rows: Mapping[str, SegmentSummary]) -> str:
    """The paper's table of classification accuracy and segment errors, one row per method."""
    body = [
        [name, _pair(s.accuracy), _pair(s.average_error), _pair(s.maximal_error, 1), str(s.recordings)]
        for name, s in rows.items()
    ]
    return text_table(["Method", "Accuracy", "Average segment error", "Max. segment error", "n"], body)


def scores_table(summary: SegmentSummary) -> str:
    """The paper's table of one-against-the-rest scores, one column per segment."""
    body = [[score, *(_pair(tuple(pair)) for pair in summary.scores[score])] for score in SCORES]
    return text_table(["", *SEGMENTS], body)


def confusion_table(summary: SegmentSummary) -> str:
    """Rows: annotated, columns: predicted; percentages of the annotated frames, averaged over recordings."""
    body = [[name, *(_percent(v) for v in row)] for name, row in zip(SEGMENTS, summary.confusion, strict=True)]
    return text_table(["annotated \\ predicted", *SEGMENTS], body)


def template_table(templates: Sequence[Template]) -> str:
    """The paper's table of templates."""
    return text_table(["Template", *SEGMENTS], [[t.name, *(f"{v:.3f}" for v in t.mean)] for t in templates])


def _pair(pair: tuple[float, ...], digits: int = 3) -> str:
    return f"{pair[0]:.{digits}f} ({pair[1]:.{digits}f})" if np.isfinite(pair[0]) else "-"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}" if np.isfinite(value) else "-"
