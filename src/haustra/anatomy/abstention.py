"""Segments where one can be sure: frames whose segment is less probable than asked for are called unsure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import polars as pl

from haustra.core.arrays import FloatArray, Mask
from haustra.core.vocabulary import SEGMENTS, UNSURE
from haustra.results.table import PROBABILITY_COLUMNS

LEVELS: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class NamedAbove:
    """What naming only what is at least this probable gives: the share of the frames, and their mean probability.

    The latter is the accuracy to expect, as far as the probabilities are calibrated; None where nothing is named.
    """

    level: float
    share: float
    expected_accuracy: float | None


def named_probability(table: pl.DataFrame) -> FloatArray:
    """Probability (n,) of the most probable segment; NaN where none is named or nothing is known."""
    named = (table["segment"].fill_null("") != "").to_numpy()
    rows = table.select(pl.col(PROBABILITY_COLUMNS).cast(pl.Float64).fill_null(float("nan"))).to_numpy()
    return np.where(named, rows.max(axis=1), np.nan)


def unsure_rows(table: pl.DataFrame, level: float) -> Mask:
    """Frames with a named segment that is less probable than `level`, or of unknown probability."""
    names = table["segment"].fill_null("").to_list()
    rows = table.select(pl.col(PROBABILITY_COLUMNS).cast(pl.Float64).fill_null(float("nan"))).to_numpy()
    number = np.array([SEGMENTS.index(name) if name in SEGMENTS else -1 for name in names])
    return np.asarray((number >= 0) & ~(rows[np.arange(len(rows)), number] >= level))


def abstained(table: pl.DataFrame, level: float | None) -> pl.DataFrame:
    """The table in which frames below `level` are unsure; the same table without a level."""
    if level is None:
        return table
    unsure = pl.Series(unsure_rows(table, level))
    return table.with_columns(segment=pl.when(unsure).then(pl.lit(UNSURE)).otherwise(pl.col("segment")))


def named_at_levels(table: pl.DataFrame, levels: Sequence[float] = LEVELS) -> list[NamedAbove]:
    """For each level what would be named; empty where nothing has a probability."""
    probability = named_probability(table)
    known = probability[np.isfinite(probability)]
    return [_above(known, level) for level in levels] if len(known) else []


def abstention(table: pl.DataFrame, level: float | None) -> dict[str, Any]:
    """For summary.json: what was asked for, what is named, and what other levels would give."""
    found = named_at_levels(table)
    asked = None if level is None or not found else asdict(named_at_levels(table, [level])[0])
    return {"asked": asked, "levels": [asdict(one) for one in found]}


def _above(probability: FloatArray, level: float) -> NamedAbove:
    sure = probability[probability >= level]
    expected = round(float(sure.mean()), 4) if len(sure) else None
    return NamedAbove(level, round(len(sure) / len(probability), 4), expected)
