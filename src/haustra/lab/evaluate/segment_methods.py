"""Segment classification methods side by side: accuracy, segment errors, and calibration of their probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haustra.anatomy.template import Template, load_template
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import DEFAULT_TEMPLATE, Naming
from haustra.lab.evaluate.locate_dataset import SCOPEGUIDE, Case, Named
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows
from haustra.lab.evaluate.segment_scores import SegmentResult, segment_result

BY_SCOPEGUIDE = "scopeguide"
NAMINGS = (*Naming, BY_SCOPEGUIDE)
ORACLE = "oracle (true location, template)"
SCOPEGUIDE_TEMPLATE = "paper-set3-scopeguide"  # built from inserted lengths
_BINS = 10


def parse_namings(text: str) -> tuple[str, ...]:
    """Comma-separated methods, each once; empty is none."""
    wanted = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in wanted:
        if name not in NAMINGS:
            raise HaustraError(f"segments cannot be classified by '{name}': choose {', '.join(NAMINGS)}")
    return wanted


def calibration_error(certainty: FloatArray, right: np.ndarray) -> float:
    """Expected calibration error: |accuracy - mean probability| in ten bins, weighted by their size."""
    bins = np.minimum((certainty * _BINS).astype(np.intp), _BINS - 1)
    known = [bins == k for k in range(_BINS) if (bins == k).any()]
    return float(sum(abs(certainty[rows].mean() - right[rows].mean()) * rows.mean() for rows in known))


def naming_table(cases: Sequence[Case], namings: Sequence[str]) -> ResultTable:
    """One row per method on the recordings with known segments, and the oracle where the true location is known."""
    template = load_template(DEFAULT_TEMPLATE)
    known = [case for case in cases if case.segment is not None]
    rows = {name: _row([(case, _named(case, name)) for case in known]) for name in namings}
    true = [(case, _oracle(case, template)) for case in known]
    rows = {name: cells for name, cells in {**rows, ORACLE: _row(true)}.items() if cells}
    return of_rows(
        "segments-by", "Segments by classification method",
        ("Accuracy", "Average error", "Maximal error", "Calibration error"), rows,
        notes=("Calibration error: expected calibration error of the segment's probability over all frames.",),
    )  # fmt: skip


def _named(case: Case, name: str) -> Named | None:
    if name != BY_SCOPEGUIDE:
        return case.named[name]
    if SCOPEGUIDE not in case.index:
        return None
    return Named(segments_of(case.index[SCOPEGUIDE], load_template(SCOPEGUIDE_TEMPLATE)), None)


def _oracle(case: Case, template: Template) -> Named | None:
    return None if case.location is None else Named(segments_of(case.location, template), None)


def _row(named: Sequence[tuple[Case, Named | None]]) -> list[Value | None]:
    """The four scores; empty where no recording has this method."""
    pairs = [(case, one) for case, one in named if one is not None and case.segment is not None]
    if not pairs:
        return []
    results: list[SegmentResult] = [segment_result(one.segment, case.segment) for case, one in pairs]  # type: ignore[arg-type]
    certainty = [(one.certainty, one.segment == case.segment) for case, one in pairs if one.certainty is not None]
    error = None
    if certainty:
        sure, right = (np.concatenate(parts) for parts in zip(*certainty, strict=True))
        error = Value(calibration_error(sure[np.isfinite(sure)], right[np.isfinite(sure)]))
    return [
        Value.of([result.accuracy for result in results]),
        Value.of([result.average_error for result in results]),
        Value.of([float(result.maximal_error) for result in results], digits=1),
        error,
    ]
