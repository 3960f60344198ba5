"""tab:template and the tables after it, confusion matrices, location curves, accuracy by share of dropped frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.reproduce.parts import Outcome, Place
from haustra.core.progress import progress_bar
from haustra.core.vocabulary import Reason
from haustra.lab.evaluate.locate_dataset import ALL_FRAMES, Case, locate_dataset
from haustra.lab.evaluate.location_tables import location_results, location_tables
from haustra.lab.evaluate.paper_figures import confusion_map, location_plot
from haustra.lab.evaluate.segment_tables import (
    MOTION_SET2,
    SCORE_TABLES,
    SegmentEvaluation,
    evaluate_segments,
    segment_tables,
)
from haustra.lab.evaluate.svg import Curve, panels, scatter
from haustra.localization import open_result

METHODS = {"ours": "ours"}


def places(place: Place) -> Outcome:
    cohort, scale = place.data.cohort, place.scale
    set3 = _located(cohort / "set3", place.work / "located-set3", all_frames=True)
    set2 = _located(cohort / "set2", place.work / "located-set2", all_frames=False)
    found = evaluate_segments(set3, set2)
    tables = segment_tables(found) + location_tables(location_results(set3))
    budget = (
        f"Shipped models; Set 3: {scale.set3} simulated withdrawals of {scale.place_s:g} s on average, Set 2:"
        f" {scale.set2}; templates from estimated indices."
    )
    return Outcome(tuple(tables), tuple(draw(place, set3, found)), budget)


def _located(data: Path, work: Path, *, all_frames: bool) -> list[Case]:
    with progress_bar(f"locating {data.name}", None, unit="recordings") as progress:
        return locate_dataset(data, work, METHODS, all_frames=all_frames, progress=progress)


def draw(place: Place, cases: Sequence[Case], found: SegmentEvaluation) -> list[tuple[str, str]]:
    """The paper's three figures on location and segments."""
    shown = [replace(case, index={k: v for k, v in case.index.items() if k != ALL_FRAMES}) for case in cases]
    curves = panels([location_plot(case) for case in shown], columns=2)
    summaries = found.summaries()
    matrices = panels([confusion_map(summaries[row], row) for row in SCORE_TABLES.values() if row in summaries], 2)
    left_out = [noninformative_share(place.work / "located-set3" / case.name / "ours") for case in cases]
    accuracy = [result.accuracy for result in found.results[MOTION_SET2]]
    points = Curve("recordings", np.column_stack([np.array(left_out) * 100, accuracy]))
    axes = ("non-informative frames (%)", "segment accuracy")
    correlation = float(np.corrcoef(points.points.T)[0, 1])
    return [
        (
            place.picture("confusion.svg", matrices),
            "Confusion matrices: rows annotated, columns named by us, % (paper, fig:cm_1)",
        ),
        (place.picture("location.svg", curves), "Location index over time on Set 3 (paper, fig:tragectory)"),
        (
            place.picture("noninformative.svg", scatter(points, "Accuracy and frames left out", axes)),
            f"Segment accuracy against non-informative frames (paper, fig:non_informative); correlation"
            f" {correlation:.2f}",
        ),
    ]


def noninformative_share(result: Path) -> float:
    """Share of the sampled frames of a withdrawal, by the classifier."""
    reasons = open_result(result).frames["reason"]
    return float((reasons == Reason.NON_INFORMATIVE.value).mean())
