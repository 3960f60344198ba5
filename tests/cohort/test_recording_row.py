"""A row of recordings.csv says what the summary and the report of its recording say."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from haustra.anatomy import load_template
from haustra.anatomy.frame_places import located, place_columns
from haustra.cohort.recording_row import row_of
from haustra.core.vocabulary import SEGMENTS
from haustra.report.headline import headline
from haustra.results.table import PROBABILITY_COLUMNS, frames_table

ENDS = {"start_s": 0.0, "end_s": 59.0, "extent": "given", "start_source": "given", "start_confidence": None}


def table() -> pl.DataFrame:
    time_s = np.arange(60.0)
    columns = {"frame": np.arange(60), "time_s": time_s, "kept": time_s >= 6, "reason": [""] * 60}
    return frames_table(columns | place_columns(time_s / 59, 0 * time_s + 0.02, load_template("paper-set2")))


def summary_of(frames: pl.DataFrame, cecum: Any) -> dict[str, Any]:
    withdrawal = ENDS | located(frames).figures.as_dict()
    return {"withdrawal": withdrawal, "cecum": cecum, "findings": {"count": None, "biopsies": 0}, "warnings": []}


def test_row_and_report_agree() -> None:
    for cecum, shown in ((None, "no"), ({"seen_s": 3.0, "probability": 0.9}, "00:03")):
        summary = summary_of(table(), cecum)
        row = row_of(summary, table())
        facts = {fact["label"]: fact["value"] for fact in headline(located(table()), summary, 0, 0)}
        assert (row["cecum_seen"], facts["Cecum seen"]) == (cecum is not None, shown)
        assert facts["What was seen"] == f"{100 * (1 - row['dropped_share']):.0f}\u00a0%"
        assert sum(row[f"{name}_time_s"] for name in SEGMENTS) == row["withdrawal_time_s"] == 60
        assert row["net_time_s"] == 54


def test_a_part_without_named_segments_has_no_time_in_any() -> None:
    part = table().with_columns(segment=pl.lit(""), **{name: pl.lit(None) for name in PROBABILITY_COLUMNS})
    row = row_of(summary_of(part, None), part)
    assert row["withdrawal_time_s"] == 60
    assert [row[f"{name}_time_s"] for name in SEGMENTS] == [None] * 6
