"""Markdown tables for the terminal and the results pages, with figures as `mean (std)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from haustra.anatomy.template import Template
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS
from haustra.lab.evaluate.segment_scores import SegmentSummary


def mean_std(values: Sequence[float] | FloatArray, digits: int = 3) -> str:
    """`0.754 (0.111)` over the finite values; a dash where there is none."""
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
    """The layout of the paper's tab:evaluation: accuracy and segment errors, one row per method."""
    body = [
        [name, _pair(s.accuracy), _pair(s.average_error), _pair(s.maximal_error, 1), str(s.recordings)]
        for name, s in rows.items()
    ]
    return text_table(["Method", "Accuracy", "Average segment error", "Max. segment error", "n"], body)


def template_table(templates: Sequence[Template]) -> str:
    """The layout of the paper's tab:template."""
    return text_table(["Template", *SEGMENTS], [[t.name, *(f"{v:.3f}" for v in t.mean)] for t in templates])


def _pair(pair: tuple[float, float], digits: int = 3) -> str:
    return f"{pair[0]:.{digits}f} ({pair[1]:.{digits}f})"
