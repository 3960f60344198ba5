"""Findings on the map: times with labels and scores become location index, segment and probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from haustra.anatomy.template import Template
from haustra.errors import HaustraError
from haustra.poses import FloatArray
from haustra.table import PROBABILITY_COLUMNS
from haustra.terms import SEGMENTS, Reason
from haustra.times import nearest, parse_time, runs

SAME_BIOPSY_S = 2.0  # frames with forceps that are closer in time belong to one biopsy
_NEAR_S = 1.0  # a finding this little outside the located frames still takes the place of the nearest one
_CELLS = 100  # a finding affects the hundredth of the colon it lies in


@dataclass(frozen=True)
class Finding:
    """Something seen at a time; a score of 0 or below says that it was looked for and not found."""

    time_s: float
    label: str
    score: float | None = None

    @property
    def affected(self) -> bool:
        return self.score is None or self.score > 0


def read_findings(source: Path) -> list[Finding]:
    """Findings of a csv table with the columns time_s (or time), label and, if wanted, score."""
    try:
        table = pl.read_csv(source, infer_schema=False)
    except FileNotFoundError as error:
        raise HaustraError(f"no such file: {source}") from error
    except (pl.exceptions.PolarsError, OSError) as error:
        raise HaustraError(f"{source} is not a readable csv table: {str(error).splitlines()[0]}") from error
    table = table.rename({name: name.strip().lower() for name in table.columns})
    time = "time_s" if "time_s" in table.columns else "time"
    if time not in table.columns or "label" not in table.columns:
        found = ", ".join(table.columns)
        raise HaustraError(f"{source} has the columns {found}: time_s (or time) and label are needed, score if wanted")
    score = table["score"].to_list() if "score" in table.columns else [None] * len(table)
    rows = zip(table[time].to_list(), table["label"].to_list(), score, strict=True)
    return [_finding(row, number, source) for number, row in enumerate(rows, 2)]


def _finding(row: tuple[str | None, str | None, str | None], number: int, source: Path) -> Finding:
    time, label, score = row
    try:
        value = float(score) if score is not None and score.strip() else None
        return Finding(parse_time(time or ""), (label or "").strip(), value)
    except (ValueError, HaustraError) as error:
        raise HaustraError(f"{source}, line {number}: {error}") from error


def detected_biopsies(frames: pl.DataFrame) -> list[Finding]:
    """Each run of frames dropped because of forceps, at its middle."""
    if "reason" not in frames.columns:
        return []
    times = frames.filter(pl.col("reason") == Reason.FORCEPS.value)["time_s"].to_numpy()
    return [Finding(float((run[0] + run[-1]) / 2), Reason.BIOPSY.value) for run in runs(times, SAME_BIOPSY_S)]


def place_findings(findings: Sequence[Finding], frames: pl.DataFrame) -> pl.DataFrame:
    """One row per finding in the order of time, with the place of the frame nearest to it; empty where none is near."""
    findings = sorted(findings, key=lambda finding: finding.time_s)
    located = frames.filter(pl.col("location_index").is_not_null() & pl.col("location_index").is_not_nan())
    if not len(located):
        raise HaustraError("no frame of this result has a location index: findings cannot be placed")
    times = np.array([finding.time_s for finding in findings], dtype=np.float64)
    known = located["time_s"].to_numpy()
    inside = (times >= known[0] - _NEAR_S) & (times <= known[-1] + _NEAR_S)
    rows = located[nearest(known, times).tolist()] if len(findings) else located.clear()
    # A recording of a part has places without segments, one without spreads has segments without probabilities.
    number = np.array([SEGMENTS.index(name) if name else 0 for name in rows["segment"].to_list()], dtype=np.intp)
    probability = rows.select(PROBABILITY_COLUMNS).cast(pl.Float64).to_numpy()[np.arange(len(rows)), number]
    table = pl.DataFrame(
        {
            "time_s": times,
            "label": pl.Series([finding.label for finding in findings], dtype=pl.String),
            "score": pl.Series([finding.score for finding in findings], dtype=pl.Float64),
            "affected": pl.Series([finding.affected for finding in findings], dtype=pl.Boolean),
            "location_index": rows["location_index"],
            "location_std": rows["location_std"],
            "segment": rows["segment"],
            "p_segment": pl.Series(probability, nan_to_null=True),
        }
    )
    placed = pl.Series(inside, dtype=pl.Boolean)
    place = ("location_index", "location_std", "segment", "p_segment")
    return table.with_columns(pl.when(placed).then(pl.col(name)).otherwise(None).alias(name) for name in place)


def summarise_findings(placed: pl.DataFrame, template: Template) -> pl.DataFrame:
    """Per segment: findings, share of the segment and of the colon affected, worst and mean score."""
    rows = []
    for name, low, high in zip(SEGMENTS, template.boundaries, template.boundaries[1:], strict=False):
        here = placed.filter(pl.col("segment") == name)
        touched = _touched(here.filter("affected")["location_index"].to_numpy(), float(low), float(high))
        length = float(high - low)
        rows.append(
            {
                "segment": name,
                "findings": int(here["affected"].sum()),
                "share_of_segment": min(touched / length, 1.0) if length > 0 else 0.0,
                "share_of_colon": touched,
                "worst_score": here["score"].max(),
                "mean_score": here["score"].mean(),
            }
        )
    return pl.DataFrame(rows, schema_overrides={"worst_score": pl.Float64, "mean_score": pl.Float64})


def _touched(index: FloatArray, low: float, high: float) -> float:
    """Share of the colon that findings of the segment from `low` to `high` affect: their hundredths, inside it.

    A finding affects the segment that it is counted in and no other. One that lies beyond the template's boundaries,
    because more than they decided its segment, affects its whole hundredth.
    """
    cells = np.unique(np.minimum((index * _CELLS).astype(np.intp), _CELLS - 1)) / _CELLS
    inside = np.minimum(cells + 1 / _CELLS, high) - np.maximum(cells, low)
    return float(np.where(inside > 0, inside, 1 / _CELLS).sum())
