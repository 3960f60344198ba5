"""Stage 7: the segment of every frame and its probability, the figures of the withdrawal, its biopsies; each once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.cecum import best_view
from haustra.anatomy.decoder import Decoded
from haustra.anatomy.findings import Finding, detected_biopsies
from haustra.anatomy.intervals import PassedBoundary, boundaries_of, segment_numbers
from haustra.anatomy.landmarks import GIVEN, Landmark
from haustra.anatomy.segment_labels import Labelling, label_segments, segment_columns
from haustra.anatomy.segments import segment_probabilities, segments_of
from haustra.anatomy.template import Template
from haustra.anatomy.withdrawal_figures import WithdrawalFigures, withdrawal_figures
from haustra.core.arrays import FloatArray
from haustra.core.vocabulary import INSTRUMENT, SEGMENTS, Naming
from haustra.path import PathParameters
from haustra.path.frame_locations import End
from haustra.path.withdrawal import Withdrawal
from haustra.quality.cecum_classifier import CecumScores
from haustra.results.table import HAS_SEGMENT, column, frames_table, pose_columns


@dataclass(frozen=True)
class Located:
    """The table of a withdrawal and what can be read off it; `decoded` is None where the template named segments.

    `boundaries` are those that were passed, `landmarks` those that were given, `started_by` is who set the start.
    `cecum` is when it was seen best, and how surely; None where no picture looks like it.
    """

    table: pl.DataFrame
    figures: WithdrawalFigures
    biopsies: tuple[Finding, ...]
    decoded: Decoded | None = None
    cecum: tuple[float, float] | None = None
    boundaries: tuple[PassedBoundary, ...] = ()
    landmarks: tuple[Landmark, ...] = ()
    naming: Naming = Naming.TEMPLATE
    started_by: str = Naming.TEMPLATE.value


def place_withdrawal(
    withdrawal: Withdrawal,
    labelling: Labelling,
    cecum: CecumScores | None = None,
    beside: Mapping[str, FloatArray] | None = None,
) -> Located:
    """The place of every frame, from the start of the withdrawal to the last informative frame.

    `beside` are columns of the table that decide nothing, such as ScopeGuide's index.
    """
    labels, decoded = label_segments(withdrawal, labelling, cecum)
    seen = withdrawal.seen
    table = frames_table(
        {
            "frame": np.arange(len(seen.time_s)),
            "time_s": seen.time_s,
            "p_noninformative": seen.p_noninformative,
            "p_forceps": seen.p_forceps,
            "kept": seen.kept,
            "reason": [reason.value for reason in seen.reason],
            **pose_columns(withdrawal.location.T_w_c),
            "basis": [basis.value for basis in withdrawal.basis],
            "location_index": withdrawal.index,
            "location_std": withdrawal.std,
            **labels,
            **(beside or {}),
        }
    )
    naming = labelling.naming
    return replace(
        located(table),
        decoded=decoded,
        cecum=_cecum_view(withdrawal, labelling, cecum),
        boundaries=boundaries_of(seen.time_s, segment_numbers(table), naming, decoded, labelling.landmarks),
        landmarks=labelling.landmarks,
        naming=naming,
        started_by=GIVEN if withdrawal.start is None else naming.value,
    )


def _cecum_view(withdrawal: Withdrawal, labelling: Labelling, cecum: CecumScores | None) -> tuple[float, float] | None:
    """Time and probability of the best view of the cecum early in the colon."""
    parameters = labelling.parameters.cecum
    early_s = withdrawal.seen.time_s[np.flatnonzero(withdrawal.index <= parameters.latest_location)]
    return None if cecum is None or not len(early_s) else best_view(cecum, float(early_s[-1]), parameters)


def place_of(place: str | float | None, template: Template) -> End | None:
    """Where a user says a recording begins or ends: somewhere in a segment, or at a location index."""
    if place is None:
        return None
    if isinstance(place, str):
        first, last = template.boundaries[SEGMENTS.index(place) :][:2]
        return End(float(first + last) / 2, float(last - first) / np.sqrt(12.0))
    return End(place, PathParameters().location.end_std)


def place_columns(index: FloatArray, std: FloatArray, template: Template) -> dict[str, Any]:
    """Location index, its standard deviation, the segment by name and the six probabilities."""
    named = segment_columns(segments_of(index, template), segment_probabilities(index, std, template))
    return {"location_index": index, "location_std": std, **named}


def by_template(table: pl.DataFrame, template: Template) -> pl.DataFrame:
    """The table with segments and probabilities by another template; what has no place in the colon gets none."""
    if not has_segments(table):
        return table
    std = column(table, "location_std") if "location_std" in table.columns else np.full(table.height, np.nan)
    return table.with_columns(frames_table(place_columns(column(table, "location_index"), std, template)))


def shown_colon(table: pl.DataFrame, template: Template) -> Template:
    """The colon to draw: the template with its boundaries moved, as little as that takes, to where the names change."""
    number, index = segment_numbers(table), column(table, "location_index")
    inner = template.boundaries.copy()
    for k in range(1, len(SEGMENTS)):
        before, behind = index[(number > 0) & (number <= k)], index[number > k]
        last, first = before.max(initial=0.0), behind.min(initial=1.0)
        inner[k] = np.clip(inner[k], min(last, first), max(last, first))
    return replace(template, mean=np.diff(np.maximum.accumulate(inner)))


def located(table: pl.DataFrame) -> Located:
    """What the table of a result says."""
    index = column(table, "location_index")
    kept, instrument = _kept(table), _instrument(table)
    figures = withdrawal_figures(
        column(table, "time_s"), index, segment_numbers(table), dropped=~kept, noninformative=~kept & ~instrument
    )
    return Located(table, figures, tuple(detected_biopsies(table)))


def has_segments(table: pl.DataFrame) -> bool:
    """Whether any is named: else the location index is progress through a recording of nobody knows what part."""
    return bool(table.select(HAS_SEGMENT.any()).item())


def _kept(table: pl.DataFrame) -> NDArray[np.bool_]:
    """A trajectory of another program has no such column: a row without a pose was not seen."""
    return table["kept"].to_numpy() if "kept" in table.columns else table["tx"].is_not_null().to_numpy()


def _instrument(table: pl.DataFrame) -> NDArray[np.bool_]:
    if "reason" not in table.columns:
        return np.zeros(table.height, dtype=bool)
    return table["reason"].is_in([reason.value for reason in INSTRUMENT]).to_numpy()
