"""What lies beside a recording: annotated times, ScopeGuide lengths, findings; and the cohort's own template."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from haustra.anatomy.annotations import read_annotations
from haustra.anatomy.template import AnnotatedRecording, template_of
from haustra.cohort.inputs import Staged
from haustra.cohort.parts import read_part
from haustra.cohort.status import Status
from haustra.cohort.store import Store, scratch_folder
from haustra.errors import HaustraError
from haustra.evaluate.crossvalidation import leave_one_out
from haustra.evaluate.location import location_errors
from haustra.evaluate.recording import evaluate_recording, read_truth
from haustra.evaluate.segments import summarise
from haustra.path.indices import read_scopeguide, scopeguide_index
from haustra.report.findings_map import map_result
from haustra.result import Localization
from haustra.table import column

TEMPLATE, EVALUATION = "template.json", "evaluation.json"
MAP_FOLDER = "map"
# A standard deviation needs two, a template that is tested on a recording it has not seen one more.
FEWEST = 3


@dataclass(frozen=True)
class Beside:
    """Columns for recordings.csv and the seven annotated times."""

    row: dict[str, Any] = field(default_factory=dict)
    annotated_s: tuple[float, ...] = ()


def figures_beside(result: Localization, inputs: Staged) -> Beside:
    """Figures that need more than the video; what is not given is left out."""
    row: dict[str, Any] = {}
    annotated_s: tuple[float, ...] = ()
    placed = result.frames["location_index"].is_not_null().any()
    if "annotations" in inputs.beside and placed:
        annotations = inputs.beside["annotations"]
        annotated_s = tuple(read_annotations(annotations).tolist())
        if (result.frames["segment"] != "").any():  # none is named where too little of the colon was seen
            row |= _segments(evaluate_recording(result.frames, read_truth(annotations), result.template))
    if "scopeguide" in inputs.beside and placed:
        row["scopeguide_mae"] = _scopeguide_mae(result.frames, inputs.beside["scopeguide"])
    if "findings" in inputs.beside and placed:
        row["findings"] = map_result(result.folder, inputs.beside["findings"], result.folder / MAP_FOLDER)["findings"]
    return Beside(row, annotated_s)


def _segments(figures: Mapping[str, Any]) -> dict[str, Any]:
    own = figures["segments"]["result"]
    return {
        "segment_accuracy": own["accuracy"],
        "average_segment_error": own["average_segment_error"],
        "max_segment_error": own["max_segment_error"],
    }


def _scopeguide_mae(frames: pl.DataFrame, source: Path) -> float:
    """Mean distance from the location index that the inserted length gives (paper, appendix:scopeguide)."""
    lengths = scopeguide_index(column(frames, "time_s"), *read_scopeguide(source))
    return location_errors(column(frames, "location_index"), lengths.index).location_mae


def write_cohort_template(store: Store, statuses: Sequence[Status]) -> str | None:
    """The template of all annotated recordings, and how well templates of the others do on each; why not, if not."""
    annotated = [status for status in statuses if status.annotated_s]
    if len(annotated) < FEWEST:
        few = f"{len(annotated)} recordings are annotated: a template of the cohort needs {FEWEST}"
        return few if annotated else None
    try:
        recordings = [_annotated(store, status) for status in annotated]
        template, tested = template_of("cohort", recordings), summarise(leave_one_out(recordings))
    except HaustraError as error:
        return f"no template of the cohort: {error}"
    figures = {
        "protocol": "segments by the template of the other recordings; mean and standard deviation",
        "recordings": tested.recordings,
        "accuracy": tested.accuracy,
        "average_segment_error": tested.average_error,
        "max_segment_error": tested.maximal_error,
    }
    store.write(EVALUATION, (json.dumps(figures, indent=2) + "\n").encode())
    with scratch_folder() as scratch:
        template.save(scratch / TEMPLATE)
        store.write(TEMPLATE, (scratch / TEMPLATE).read_bytes())
    return None


def _annotated(store: Store, status: Status) -> AnnotatedRecording:
    frames = read_part(store, status.recording, ["time_s", "location_index"])
    q_t = np.array(status.annotated_s)
    return AnnotatedRecording(status.recording, column(frames, "time_s"), column(frames, "location_index"), q_t)
