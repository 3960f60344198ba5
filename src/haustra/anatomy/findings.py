"""Findings (polyps, biopsies, another model's scores): each time gets a location index, segment and probability."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from haustra.anatomy.parameters import DEFAULT, FindingParameters
from haustra.anatomy.template import Template
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.times import nearest, runs
from haustra.core.vocabulary import SEGMENTS, Reason, segment_number
from haustra.results.table import PROBABILITY_COLUMNS

GIVEN, DETECTED = "given", "detected"  # by whom, unless it was a reader with a name
PLACE_COLUMNS = ("location_index", "location_std", "segment", "p_segment")


@dataclass(frozen=True)
class Finding:
    """An observation at a time; a score of 0 or less means that it was looked for and not found.

    `own` are columns of the user's table that mean nothing to us. `biopsied`: forceps were seen there. A detected
    biopsy is at the middle of the `lasts_s` in which they were.
    """

    time_s: float
    label: str
    score: float | None = None
    kind: str = ""
    size_mm: float | None = None
    note: str = ""
    by: str = GIVEN
    own: tuple[tuple[str, str], ...] = ()
    biopsied: bool = False
    lasts_s: float = 0.0

    @property
    def affected(self) -> bool:
        return self.score is None or self.score > 0

    @property
    def shown_kind(self) -> str:
        """What it is drawn as: as given, else the label up to its first number or sign (`polyp, 4 mm`: polyp).

        In small letters, but for an abbreviation (LST).
        """
        kind = self.kind or re.split(r"[,;:(\d]", self.label, maxsplit=1)[0].strip() or self.label
        small = kind.lower()
        return kind if kind.isupper() and small != Reason.BIOPSY else small


def detected_biopsies(frames: pl.DataFrame, parameters: FindingParameters = DEFAULT.findings) -> list[Finding]:
    """One finding for each run of frames that were dropped because of forceps, at the middle of the run."""
    if "reason" not in frames.columns:
        return []
    times = frames.filter(pl.col("reason") == Reason.FORCEPS.value)["time_s"].to_numpy()
    return [
        Finding(
            float((run[0] + run[-1]) / 2),
            Reason.BIOPSY.value,
            by=DETECTED,
            biopsied=True,
            lasts_s=float(run[-1] - run[0]),
        )
        for run in runs(times, parameters.same_biopsy_s)
    ]


def events_of(
    findings: Sequence[Finding], biopsies: Sequence[Finding], parameters: FindingParameters = DEFAULT.findings
) -> list[Finding]:
    """Findings and detected biopsies, in the order of time; a biopsy within seconds of a finding is one event with it.

    It goes to the nearest finding that is one.
    """
    biopsied: set[int] = set()
    alone = []
    for biopsy in biopsies:
        apart = {k: _apart_s(one, biopsy) for k, one in enumerate(findings) if one.affected}
        nearest_one = min(apart, key=apart.__getitem__, default=None)
        if nearest_one is not None and apart[nearest_one] <= parameters.same_event_s:
            biopsied.add(nearest_one)
        else:
            alone.append(biopsy)
    joined = [replace(one, biopsied=True) if k in biopsied else one for k, one in enumerate(findings)]
    return sorted([*joined, *alone], key=lambda one: one.time_s)


def _apart_s(finding: Finding, biopsy: Finding) -> float:
    return max(abs(finding.time_s - biopsy.time_s) - biopsy.lasts_s / 2, 0.0)


def place_findings(
    findings: Sequence[Finding], frames: pl.DataFrame, parameters: FindingParameters = DEFAULT.findings
) -> pl.DataFrame:
    """One row per finding, sorted by time, with the place of the nearest frame; null where no frame is near.

    Columns of the user's own come last; one that is called as one of ours gets `given_` in front.
    """
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
    probability = np.where(number > 0, probabilities[np.arange(len(rows)), np.maximum(number - 1, 0)], np.nan)
    said = pl.DataFrame([_said(finding) for finding in findings], schema=FINDING_COLUMNS)
    place = pl.DataFrame(
        {
            **{name: rows[name] for name in PLACE_COLUMNS[:3]},
            "p_segment": pl.Series(probability, nan_to_null=True, dtype=pl.Float64),
        }
    )
    placed = pl.Series(inside, dtype=pl.Boolean)
    place = place.with_columns(pl.when(placed).then(pl.col(name)).otherwise(None).alias(name) for name in PLACE_COLUMNS)
    return pl.concat([said, place, _own_columns(findings)], how="horizontal")


# Columns of findings.csv before the place and the user's own.
FINDING_COLUMNS: dict[str, type[pl.DataType]] = {
    "time_s": pl.Float64,
    "label": pl.String,
    "kind": pl.String,
    "score": pl.Float64,
    "affected": pl.Boolean,
    "biopsied": pl.Boolean,
    "lasts_s": pl.Float64,
    "size_mm": pl.Float64,
    "note": pl.String,
    "by": pl.String,
}


def _said(finding: Finding) -> dict[str, Any]:
    own = {
        "kind": finding.shown_kind,
        "affected": finding.affected,
        "note": finding.note or None,
        "lasts_s": finding.lasts_s or None,
    }
    return {name: own.get(name, getattr(finding, name)) for name in FINDING_COLUMNS}


def _own_columns(findings: Sequence[Finding]) -> pl.DataFrame:
    names = dict.fromkeys(name for finding in findings for name, _ in finding.own)
    taken = (*FINDING_COLUMNS, *PLACE_COLUMNS)
    return pl.DataFrame(
        {
            f"{GIVEN}_{name}" if name in taken else name: [dict(finding.own).get(name) or None for finding in findings]
            for name in names
        }
    )


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
