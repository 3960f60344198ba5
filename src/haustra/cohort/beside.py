"""Files beside a recording (annotated times), and the colon template of a cohort's annotated recordings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from haustra.anatomy.annotated_times import read_annotations
from haustra.anatomy.frame_places import has_segments
from haustra.anatomy.template import AnnotatedRecording, template_of
from haustra.cohort.inputs import Staged
from haustra.cohort.parts import read_part
from haustra.cohort.status import Status
from haustra.cohort.store import Store
from haustra.core.errors import HaustraError
from haustra.core.owned import refuse_links
from haustra.findings_map import map_result
from haustra.localization import Localization
from haustra.results.table import column

TEMPLATE, EVALUATION = "template.json", "evaluation.json"
MAP_FOLDER = "map"
# A standard deviation needs two recordings, a template that is tested on one it has not seen one more.
FEWEST = 3


class Score(Protocol):
    """Compares results with annotations. `haustra.lab.evaluate.cohort_score` has ours; the command line passes it in.

    Workers receive it pickled: its class must be importable there.
    """

    def recording(self, result: Localization, annotations: Path) -> Mapping[str, Any]:
        """Columns of recordings.csv for a recording with named segments."""

    def template(self, recordings: Sequence[AnnotatedRecording]) -> Mapping[str, Any]:
        """The contents of evaluation.json: how well templates do on recordings that they were not built from."""


@dataclass(frozen=True)
class Beside:
    """Columns for recordings.csv and the seven annotated times."""

    row: dict[str, Any] = field(default_factory=dict)
    annotated_s: tuple[float, ...] = ()


def figures_beside(result: Localization, inputs: Staged, score: Score | None) -> Beside:
    """Figures that need more than the video; what is not given is left out."""
    if not result.frames["location_index"].is_not_null().any():
        return Beside()
    row: dict[str, Any] = {}
    annotated_s: tuple[float, ...] = ()
    annotations = inputs.beside.get("annotations")
    if annotations is not None:
        annotated_s = tuple(read_annotations(annotations).tolist())
        if score is not None and has_segments(result.frames):
            row |= score.recording(result, annotations)
    if inputs.options.get("findings"):
        refuse_links(result.folder, MAP_FOLDER)
        map_result(result.folder, None, result.folder / MAP_FOLDER)
    return Beside(row, annotated_s)


def write_cohort_template(store: Store, statuses: Sequence[Status], score: Score | None) -> str | None:
    """Write the template of all annotated recordings, and how well it does; returns why not where it cannot be made."""
    annotated = [status for status in statuses if status.annotated_s]
    if len(annotated) < FEWEST:
        few = f"{len(annotated)} recordings are annotated: a template of the cohort needs {FEWEST}"
        return few if annotated else None
    try:
        recordings = [_annotated(store, status) for status in annotated]
        template = template_of("cohort", recordings)
        figures = None if score is None else score.template(recordings)
    except HaustraError as error:
        return f"no template of the cohort: {error}"
    if figures is not None:
        store.write(EVALUATION, (json.dumps(figures, indent=2) + "\n").encode())
    store.write(TEMPLATE, template.to_json().encode())
    return None


def _annotated(store: Store, status: Status) -> AnnotatedRecording:
    frames = read_part(store, status.recording, ["time_s", "location_index"])
    q_t = np.array(status.annotated_s)
    return AnnotatedRecording(status.recording, column(frames, "time_s"), column(frames, "location_index"), q_t)
