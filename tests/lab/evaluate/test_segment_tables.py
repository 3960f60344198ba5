"""Tables of segments hold the figures of their recordings, each in its column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from haustra.anatomy.template import template_of
from haustra.lab.evaluate.locate_dataset import TIME, Case
from haustra.lab.evaluate.result_table import ResultTable, Row, Value, markdown
from haustra.lab.evaluate.segment_tables import MOTION_SET2, evaluate_segments, segment_tables, template_lengths
from haustra.lab.evaluate.template_cross_validation import classify

ORACLE = "oracle (true location, same template)"


def made_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    time_s = np.arange(300) / 15
    true = (time_s / time_s[-1]) ** rng.uniform(0.8, 1.6)
    q_t = np.concatenate([[0], np.sort(rng.uniform(1, 19, 5)), [time_s[-1]]])
    segment = np.searchsorted(q_t[1:6], time_s, side="right") + 1
    index = np.clip(true + 0.05 * np.sin(7 * true + seed), 0, 1)
    return Case(
        f"r{seed}", time_s, segment, true, q_t, {"ours": index, TIME: time_s / time_s[-1], "klt": true**2},
        std={"ours": np.full(300, 0.02)}, reported={"ours": np.where(segment == 3, 4, segment)},
    )  # fmt: skip


CASES = [made_case(seed) for seed in range(3)]
SET2 = [made_case(seed) for seed in range(10, 14)]


def rows_of(table: ResultTable) -> dict[str, tuple[Value | None, ...]]:
    return {row.name: row.cells for row in table.rows if row.source == "ours"}


def test_rows_past_the_paper_are_scored_alike() -> None:
    """The true index and every further method by the template of ours; what locate reported as it is."""
    found = evaluate_segments(CASES, SET2)
    template = template_of("set2", [case.annotated("ours") for case in SET2])
    for row, index in ((MOTION_SET2, "ours"), ("klt (Set 2)", "klt"), (ORACLE, "oracle")):
        wanted = [classify(case.annotated(index), template).accuracy for case in CASES]
        assert [result.accuracy for result in found.results[row]] == wanted
    shares = [float((case.segment != 3).mean()) for case in CASES if case.segment is not None]
    assert [result.accuracy for result in found.results["ours as reported"]] == pytest.approx(shares)
    some = [CASES[0], replace(CASES[1], location=None), CASES[2]]
    assert ORACLE not in evaluate_segments(some, SET2).results, "not every recording knows its true location"


def test_figures_stand_in_their_columns() -> None:
    found = evaluate_segments(CASES, SET2)
    tables = {table.label: table for table in segment_tables(found)}
    for name, summary in found.summaries().items():
        cells = rows_of(tables["tab:evaluation"])[name]
        figures = (summary.accuracy, summary.average_error, summary.maximal_error)
        assert [(cell.mean, cell.std) for cell in cells if cell] == [tuple(figure) for figure in figures]
        assert [len(str(cell).split(" ")[0].split(".")[1]) for cell in cells] == [3, 3, 1]
    variation = rows_of(tables["tab:colon_segment_variation"])
    lengths = np.array([template_lengths(case, "ours") for case in CASES])
    for name, wanted in (
        ("Mean", lengths.mean(axis=0)),
        ("25th percentile", np.percentile(lengths, 25, axis=0)),
        ("75th percentile", np.percentile(lengths, 75, axis=0)),
        ("Standard deviation", lengths.std(axis=0)),
    ):
        assert [cell.mean for cell in variation[name] if cell] == pytest.approx(wanted)


def test_lengths_of_a_recording_are_what_its_index_covers_between_the_times() -> None:
    case = CASES[0]
    assert case.q_t is not None
    at = [float(np.interp(t, case.time_s, case.index["ours"])) for t in case.q_t[1:6]]
    wanted = np.diff([0.0, *np.maximum.accumulate(at), 1.0])
    np.testing.assert_allclose(template_lengths(case, "ours"), wanted, atol=1e-12)


def test_the_origin_of_rows_is_shown_where_they_differ() -> None:
    table = ResultTable("x", "X", ("a",), (Row("one", (Value(1.0),)), Row("two", (None,))))
    assert "| of" not in markdown(table)
    both = replace(table, rows=(*table.rows, Row("one", (Value(2.0),), "paper")))
    header, _, *body = markdown(both).splitlines()[2:6]
    assert [cell.strip() for cell in header.split("|")[1:-1]] == ["", "of", "a"]
    assert [cell.strip() for cell in body[1].split("|")[1:-1]] == ["two", "ours", "-"]
