"""Stage 7, all of it: segment and probability of every frame, statistics of the withdrawal, biopsies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.abstention import abstained
from haustra.anatomy.cecum import best_view
from haustra.anatomy.decoder import Decoded
from haustra.anatomy.findings import Finding, detected_biopsies, events_of
from haustra.anatomy.intervals import PassedBoundary, boundaries_of, segment_numbers
from haustra.anatomy.landmarks import GIVEN, Landmark
from haustra.anatomy.segment_labels import Labelling, label_segments, segment_columns
from haustra.anatomy.template import Template
from haustra.anatomy.template_segments import segment_probabilities, segments_of
from haustra.anatomy.withdrawal_figures import WithdrawalFigures, withdrawal_figures
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import INSTRUMENT, SEGMENTS, Naming
from haustra.path import PathParameters
from haustra.path.frame_locations import End
from haustra.path.withdrawal import Ends, Withdrawal
from haustra.quality.cecum_classifier import CecumScores
from haustra.results.table import HAS_SEGMENT, column, frames_table, pose_columns


@dataclass(frozen=True)
class Located:
    """The table of a withdrawal and what can be read off it; `decoded` is None where the template named segments.

    `boundaries` are those that were passed, `landmarks` those that were given, `started_by` is who set the start.
    `cecum` is when it was seen best, and how surely; None where no picture looks like it. `biopsies` were detected,
    findings `given` as a table, or `noted` by a reader.
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
    given: tuple[Finding, ...] = ()
    noted: tuple[Finding, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        """All of them; a finding with a biopsy beside it is one."""
        return events_of([*self.given, *self.noted], self.biopsies)


def place_withdrawal(
    withdrawal: Withdrawal,
    labelling: Labelling,
    cecum: CecumScores | None = None,
    beside: Mapping[str, Any] | None = None,
) -> Located:
    """The place of every frame, from the start of the withdrawal to the last informative frame.

    `beside` are columns of the table that decide nothing, such as ScopeGuide's index or the part of the recording.
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
        located(abstained(table, labelling.abstain)),
        decoded=decoded,
        cecum=_cecum_view(withdrawal, labelling, cecum),
        boundaries=boundaries_of(
            seen.time_s, segment_numbers(table), naming, decoded, labelling.landmarks, labelling.template.missing
        ),
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
        if place in template.missing:
            raise HaustraError(f"a recording cannot begin or end in the {place}: it is missing")
        first, last = template.boundaries[SEGMENTS.index(place) :][:2]
        return End(float(first + last) / 2, float(last - first) / np.sqrt(12.0))
    return End(place, PathParameters().location.end_std)


def ends_of(begins: str | float | None, ends: str | float | None, template: Template) -> Ends:
    """Where a recording begins and ends in the colon, as far as it is known.

    How much of a colon was seen follows from the length of the way. Where segments are missing that is no measure:
    what is left counts as seen from end to end, unless the user says otherwise.
    """
    if template.missing:
        begins, ends = 0.0 if begins is None else begins, 1.0 if ends is None else ends
    return place_of(begins, template), place_of(ends, template)


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
    """Whether any segment is named; otherwise the index is relative progress through an unidentified part."""
    return bool(table.select(HAS_SEGMENT.any()).item())


def _kept(table: pl.DataFrame) -> NDArray[np.bool_]:
    """The table of another program's trajectory has no such column: there, a row with a pose counts as kept."""
    return table["kept"].to_numpy() if "kept" in table.columns else table["tx"].is_not_null().to_numpy()


def _instrument(table: pl.DataFrame) -> NDArray[np.bool_]:
    if "reason" not in table.columns:
        return np.zeros(table.height, dtype=bool)
    return table["reason"].is_in([reason.value for reason in INSTRUMENT]).to_numpy()
