"""Naming only what one can be sure of."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from haustra.anatomy.abstention import abstained, abstention, named_at_levels, unsure_rows
from haustra.anatomy.frame_places import located, place_columns
from haustra.anatomy.intervals import intervals_table
from haustra.anatomy.template import load_template
from haustra.core.vocabulary import DEFAULT_TEMPLATE, SEGMENTS, UNSURE
from haustra.results.table import PROBABILITY_COLUMNS, frames_table

TEMPLATE = load_template(DEFAULT_TEMPLATE)


@pytest.fixture
def table() -> pl.DataFrame:
    """A hundred seconds at even speed: surest in the middle of long segments."""
    time_s = np.arange(0, 100, 0.2)
    index = time_s / time_s[-1]
    columns = place_columns(index, np.full(len(index), 0.03), TEMPLATE)
    kept = {"frame": np.arange(len(index)), "time_s": time_s, "kept": np.ones(len(index), bool)}
    return frames_table(kept | columns)


def test_only_what_is_probable_enough_is_named(table: pl.DataFrame) -> None:
    shown = abstained(table, 0.8)
    named = shown.filter(pl.col("segment") != UNSURE)
    assert 0 < named.height < table.height
    for name in SEGMENTS:
        assert (named.filter(pl.col("segment") == name)[f"p_{name}"] >= 0.8).all()
    unsure = shown.filter(pl.col("segment") == UNSURE)
    assert unsure.select(pl.max_horizontal(PROBABILITY_COLUMNS)).to_series().max() < 0.8
    assert abstained(table, None) is table


def test_a_segment_without_probabilities_is_unsure_and_an_empty_one_stays_empty(table: pl.DataFrame) -> None:
    unknown = table.with_columns([pl.lit(None, pl.Float64).alias(name) for name in PROBABILITY_COLUMNS])
    assert unsure_rows(unknown, 0.5).all()
    empty = table.with_columns(segment=pl.lit(""))
    assert not unsure_rows(empty, 0.5).any()
    assert abstention(empty, 0.9) == {"asked": None, "levels": []}


def test_higher_levels_name_less_and_expect_more(table: pl.DataFrame) -> None:
    levels = named_at_levels(table, (0.5, 0.7, 0.9))
    shares = [one.share for one in levels]
    expected = [one.expected_accuracy for one in levels]
    assert shares == sorted(shares, reverse=True)
    assert expected == sorted(expected, key=float)
    assert all(right >= one.level for right, one in zip(expected, levels, strict=True) if right is not None)
    asked = abstention(table, 0.9)["asked"]
    assert (asked["level"], asked["share"]) == (0.9, shares[-1])


def test_stretches_that_are_unsure_stand_between_the_others(table: pl.DataFrame) -> None:
    rows = intervals_table(abstained(table, 0.8), {}, "decoder")
    assert UNSURE in rows["segment"].to_list()
    assert rows["start_s"].to_list()[1:] == rows["end_s"].to_list()[:-1]
    unsure = rows.filter(pl.col("segment") == UNSURE)
    assert unsure["probability"].null_count() == unsure.height
    assert not unsure["re_entered"].any()
    assert not rows["re_entered"].any()


def test_figures_of_segments_count_what_is_named(table: pl.DataFrame) -> None:
    whole, sure = located(table).figures, located(abstained(table, 0.8)).figures
    total = sum(one.time_s for one in sure.segments.values())
    assert total < sum(one.time_s for one in whole.segments.values())
    assert sure.duration_s == whole.duration_s
