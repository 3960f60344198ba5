"""The paper's tables of templates and segments (6 to 12) and its confusion matrices, from located recordings.

Set 3 is the test set, Set 2 the recordings that templates are built from; without a Set 2 the paper's published
templates are used. Leave-one-out is over Set 3, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from haustra.anatomy.template import Template, boundary_indices, load_template, relative_lengths, template_of
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import SEGMENTS
from haustra.lab.evaluate.locate_dataset import ALL_FRAMES, PAPER_INDEX, SCOPEGUIDE, TIME, Case, with_index
from haustra.lab.evaluate.paper_tables import beside_paper, paper_table
from haustra.lab.evaluate.result_table import ResultTable, Value, of_rows
from haustra.lab.evaluate.segment_scores import SegmentResult, SegmentSummary, segment_result, summarise
from haustra.lab.evaluate.template_cross_validation import classify, leave_one_out

MOTION = "Motion-based location index"
MOTION_SET2, MOTION_SET3 = f"{MOTION} (Set 2)", f"{MOTION} (Set 3)"
# Its own equations with our motion; the rows above that the paper has too are of our index.
PAPER_SET2, PAPER_SET3 = "Paper's location index (Set 2)", "Paper's location index (Set 3)"
TIME_SET2, SCOPE_SET3 = "Time index (Set 2)", "ScopeGuide length-based location index (Set 3)"
FEWEST_FOR_FOLDS = 3
# The paper's four tables of scores, and the row of its tab:evaluation that each belongs to.
SCORE_TABLES = {
    "tab:table_confusion_mat_1": MOTION_SET2,
    "tab:table_confusion_mat_2": TIME_SET2,
    "tab:table_confusion_mat_3": MOTION_SET3,
    "tab:table_confusion_mat_4": SCOPE_SET3,
}
PUBLISHED = {MOTION_SET2: "paper-set2", PAPER_SET2: "paper-set2", TIME_SET2: "paper-set2-time"}


@dataclass(frozen=True)
class SegmentEvaluation:
    """Scores of each recording by row of tab:evaluation, and the templates (tab:template)."""

    results: dict[str, list[SegmentResult]]
    templates: dict[str, FloatArray]
    lengths: FloatArray
    template_source: str

    def summaries(self) -> dict[str, SegmentSummary]:
        return {name: summarise(results) for name, results in self.results.items()}


def evaluate_segments(cases: Sequence[Case], set2: Sequence[Case] = ()) -> SegmentEvaluation:
    """Every row that the recordings support; the first index of the cases is the method under test."""
    method = next(iter(cases[0].index))
    built = {MOTION_SET2: _template(set2, method, MOTION_SET2), TIME_SET2: _template(set2, TIME, TIME_SET2)}
    tested = [case for case in cases if case.q_t is not None] or list(cases)
    results = {
        MOTION_SET2: _classified(tested, method, built[MOTION_SET2]),
        TIME_SET2: _classified(tested, TIME, built[TIME_SET2]),
    }
    folded = {MOTION_SET3: method, SCOPE_SET3: SCOPEGUIDE}
    if ALL_FRAMES in cases[0].index:
        results[f"{MOTION_SET2} with all frames"] = _classified(tested, ALL_FRAMES, built[MOTION_SET2])
        folded[f"{MOTION_SET3} with all frames"] = ALL_FRAMES
    if PAPER_INDEX in cases[0].index:
        built[PAPER_SET2] = _template(set2, PAPER_INDEX, PAPER_SET2)
        results[PAPER_SET2] = _classified(tested, PAPER_INDEX, built[PAPER_SET2])
        folded[PAPER_SET3] = PAPER_INDEX
    templates = {name: template.mean for name, template in built.items()}
    for name, index in folded.items():
        annotated = [case.annotated(index) for case in with_index(tested, index)]
        if len(annotated) >= FEWEST_FOR_FOLDS:
            results[name] = leave_one_out(annotated)
            if "all frames" not in name:
                folds = [template_of(name, annotated[:k] + annotated[k + 1 :]) for k in range(len(annotated))]
                templates[name] = np.mean([fold.mean for fold in folds], axis=0)
    results |= _others(tested, method, built[MOTION_SET2])
    lengths = np.array([template_lengths(case, method) for case in tested])
    return SegmentEvaluation(results, templates, lengths, "recordings" if set2 else "published")


def _template(set2: Sequence[Case], index: str, name: str) -> Template:
    if not set2:
        return load_template(PUBLISHED[name])
    return template_of(name, [case.annotated(index) for case in set2])


def _classified(cases: Sequence[Case], index: str, template: Template) -> list[SegmentResult]:
    return [classify(case.annotated(index), template) for case in with_index(cases, index)]


def _others(cases: Sequence[Case], method: str, template: Template) -> dict[str, list[SegmentResult]]:
    """Rows beyond the paper: segments reported by `locate`, the oracle (true index), and every further method."""
    rows = {f"{method} as reported": [_reported(case, method) for case in cases]}
    if all(case.location is not None for case in cases):
        rows["oracle (true location, same template)"] = _classified_oracle(cases, template)
    for name in cases[0].index:
        if name not in (method, TIME, SCOPEGUIDE, ALL_FRAMES, PAPER_INDEX):
            rows[f"{name} (Set 2)"] = _classified(cases, name, template)
    return rows


def _reported(case: Case, method: str) -> SegmentResult:
    assert case.segment is not None
    return segment_result(case.reported[method], case.segment)


def _classified_oracle(cases: Sequence[Case], template: Template) -> list[SegmentResult]:
    return [classify(case.annotated("oracle"), template) for case in cases]


def template_lengths(case: Case, index: str) -> FloatArray:
    """Relative lengths of the annotated segments of one recording."""
    recording = case.annotated(index)
    return relative_lengths(boundary_indices(recording.f_v, recording.q_t))


def segment_tables(found: SegmentEvaluation) -> list[ResultTable]:
    """tab:template to tab:colon_segment_variation with the paper's rows, and the confusion matrices."""
    summaries = found.summaries()
    tables = [_templates(found), _accuracy(summaries)]
    tables += [_scores(label, summaries[row]) for label, row in SCORE_TABLES.items() if row in summaries]
    tables.append(_variation(found.lengths))
    return tables + [confusion(f"confusion-{k}", row, summaries[row])
                     for k, row in enumerate(SCORE_TABLES.values(), 1) if row in summaries]  # fmt: skip


def _templates(found: SegmentEvaluation) -> ResultTable:
    rows = {name: [Value(float(v)) for v in mean] for name, mean in found.templates.items()}
    note = "Set 2 rows: the paper's own templates." if found.template_source == "published" else ""
    return _like("tab:template", rows, notes=(note,) if note else ())


def _accuracy(summaries: Mapping[str, SegmentSummary]) -> ResultTable:
    rows = {
        name: [Value(*s.accuracy), Value(*s.average_error), Value(*s.maximal_error, digits=1)]
        for name, s in summaries.items()
    }
    return _like("tab:evaluation", rows)


def _scores(label: str, summary: SegmentSummary) -> ResultTable:
    rows = {
        name.capitalize(): [Value(float(pair[0]), float(pair[1])) if np.isfinite(pair[0]) else None for pair in values]
        for name, values in summary.scores.items()
    }
    note = "The paper's F1 row repeats its accuracy; ours is F1."
    return _like(label, rows, notes=(note,))


def _variation(lengths: FloatArray) -> ResultTable:
    figures = {
        "Mean": lengths.mean(axis=0),
        "25th percentile": np.percentile(lengths, 25, axis=0),
        "75th percentile": np.percentile(lengths, 75, axis=0),
        "Standard deviation": lengths.std(axis=0),
    }
    rows = {name: [Value(float(v)) for v in values] for name, values in figures.items()}
    return _like("tab:colon_segment_variation", rows)


def _like(label: str, rows: Mapping[str, Sequence[Value | None]], notes: tuple[str, ...] = ()) -> ResultTable:
    """In the layout of the paper's table; its Set 3 are our recordings under test, whatever they are."""
    paper = paper_table(label)
    title = paper.title.replace("Set 3", "the recordings under test")
    return beside_paper(of_rows(label, title, paper.columns, rows, groups=paper.groups, notes=notes))


def confusion(label: str, row: str, summary: SegmentSummary) -> ResultTable:
    """Shares of the annotated frames (rows) by predicted segment (columns), mean over recordings."""
    rows = {
        name: [Value(float(v)) if np.isfinite(v) else None for v in values]
        for name, values in zip(SEGMENTS, summary.confusion, strict=True)
    }
    return of_rows(label, f"Confusion matrix: {row}; rows annotated, columns predicted", SEGMENTS, rows)
