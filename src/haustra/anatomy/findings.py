"""Findings (polyps, biopsies, another model's scores): each time gets a location index, segment and probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from haustra.anatomy.parameters import DEFAULT, FindingParameters
from haustra.anatomy.template import Template
from haustra.core.arrays import FloatArray
from haustra.core.csv_dialect import read_words, with_point
from haustra.core.errors import HaustraError
from haustra.core.times import nearest, parse_time, runs
from haustra.core.vocabulary import SEGMENTS, Reason, segment_number
from haustra.results.table import PROBABILITY_COLUMNS


@dataclass(frozen=True)
class Finding:
    """An observation at a time; a score of 0 or less means that it was looked for and not found."""

    time_s: float
    label: str
    score: float | None = None

    @property
    def affected(self) -> bool:
        return self.score is None or self.score > 0


def read_findings(source: Path) -> list[Finding]:
    """Findings from a csv table with the columns time_s (or time), label and, optionally, score."""
    table = read_words(source, "time_s and label")
    time = "time_s" if "time_s" in table.columns else "time"
    if time not in table.columns or "label" not in table.columns:
        found = ", ".join(table.columns)
        raise HaustraError(
            f"{source} has the columns {found}: time_s (or time) and label are needed, score is optional"
        )
    score = table["score"].to_list() if "score" in table.columns else [None] * len(table)
    rows = zip(table[time].to_list(), table["label"].to_list(), score, strict=True)
    return [_finding(row, number, source) for number, row in enumerate(rows, 2)]


def _finding(row: tuple[str | None, str | None, str | None], number: int, source: Path) -> Finding:
    time, label, score = row
    try:
        value = float(with_point(score)) if score is not None and score.strip() else None
        if value is not None and not math.isfinite(value):
            raise HaustraError(f"the score '{score}' is not possible: write a number")
        name = (label or "").strip()
        if not name:
            raise HaustraError("the label is empty: write what was found")
        return Finding(parse_time(with_point(time or "")), name, value)
    except (ValueError, HaustraError) as error:
        raise HaustraError(f"{source}, line {number}: {error}") from error


def detected_biopsies(frames: pl.DataFrame, parameters: FindingParameters = DEFAULT.findings) -> list[Finding]:
    """One finding for each run of frames that were dropped because of forceps, at the middle of the run."""
    if "reason" not in frames.columns:
        return []
    times = frames.filter(pl.col("reason") == Reason.FORCEPS.value)["time_s"].to_numpy()
    biopsies = runs(times, parameters.same_biopsy_s)
    return [Finding(float((run[0] + run[-1]) / 2), Reason.BIOPSY.value) for run in biopsies]


def place_findings(
    findings: Sequence[Finding], frames: pl.DataFrame, parameters: FindingParameters = DEFAULT.findings
) -> pl.DataFrame:
    """One row per finding, sorted by time, with the place of the nearest frame; null where no frame is near."""
    findings = sorted(findings, key=lambda finding: finding.time_s)
    located = frames.filter(pl.col("location_index").is_not_null() & pl.col("location_index").is_not_nan())
    if not len(located):
        raise HaustraError("no frame of this result has a location index: findings cannot be placed")
    times = np.array([finding.time_s for finding in findings], dtype=np.float64)
    known = located["time_s"].to_numpy()
    inside = (times >= known[0] - parameters.nearest_s) & (times <= known[-1] + parameters.nearest_s)
    rows = located[nearest(known, times).tolist()] if len(findings) else located.clear()
    # A partial recording has locations without segments; without standard deviations there are no probabilities.
    number = np.array([segment_number(name) for name in rows["segment"].to_list()], dtype=np.intp)
    probabilities = rows.select(PROBABILITY_COLUMNS).cast(pl.Float64).to_numpy()
    probability = probabilities[np.arange(len(rows)), np.maximum(number - 1, 0)]
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


def summarise_findings(
    placed: pl.DataFrame, template: Template, parameters: FindingParameters = DEFAULT.findings
) -> pl.DataFrame:
    """Per segment: number of findings, affected share of the segment and of the colon, worst and mean score."""
    rows = []
    for name, low, high in zip(SEGMENTS, template.boundaries, template.boundaries[1:], strict=False):
        here = placed.filter(pl.col("segment") == name)
        index = here.filter("affected")["location_index"].to_numpy()
        share = _affected_share(index, float(low), float(high), parameters.cells)
        length = float(high - low)
        rows.append(
            {
                "segment": name,
                "findings": int(here["affected"].sum()),
                "share_of_segment": min(share / length, 1.0) if length > 0 else 0.0,
                "share_of_colon": share,
                "worst_score": here["score"].max(),
                "mean_score": here["score"].mean(),
            }
        )
    return pl.DataFrame(rows, schema_overrides={"worst_score": pl.Float64, "mean_score": pl.Float64})


def _affected_share(index: FloatArray, low: float, high: float, cells: int) -> float:
    """Share of the colon affected by findings of the segment from `low` to `high`: their cells, clipped to the segment.

    A finding affects only the segment that it is counted in. The decoder may put it in a segment whose boundaries in
    the template do not contain it; then it affects its whole cell.
    """
    begins = np.unique(np.minimum((index * cells).astype(np.intp), cells - 1)) / cells
    inside = np.minimum(begins + 1 / cells, high) - np.maximum(begins, low)
    return float(np.where(inside > 0, inside, 1 / cells).sum())
