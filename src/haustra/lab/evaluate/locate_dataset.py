"""Locate every recording of a dataset by every method, on common frames, beside ground truth, time and ScopeGuide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.anatomy.intervals import segment_numbers
from haustra.anatomy.template import AnnotatedRecording
from haustra.camera import write_camera
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.progress import Progress, silent
from haustra.core.times import nearest
from haustra.core.vocabulary import SEGMENTS, IndexMethod, Naming
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording
from haustra.lab.evaluate.score_result import RecordingTruth
from haustra.path import location_index
from haustra.path.indices import read_scopeguide, scopeguide_index, time_index
from haustra.pipeline import locate
from haustra.results.table import PROBABILITY_COLUMNS, column

TIME, SCOPEGUIDE, ALL_FRAMES, PAPER_INDEX = "time index", "ScopeGuide", "all frames", "paper's index"


@dataclass(frozen=True)
class Named:
    """Segments 1..6 (0: none) of one classification method, and the probability of each where the method has one."""

    segment: NDArray[np.int64]
    certainty: FloatArray | None


@dataclass(frozen=True)
class Case:
    """One recording on the frames of its withdrawal that the first method kept; None where there is no ground truth.

    `index` has the location index of each method, the paper's from the motion of the first method, that of time and,
    where recorded, of ScopeGuide; `reported` the segments in the results of `locate`, `named` those of the first method
    by each further classification method.
    """

    name: str
    time_s: FloatArray
    segment: NDArray[np.int64] | None
    location: FloatArray | None
    q_t: FloatArray | None
    index: dict[str, FloatArray]
    std: dict[str, FloatArray] = field(default_factory=dict)
    reported: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    named: dict[str, Named] = field(default_factory=dict)

    def annotated(self, index: str) -> AnnotatedRecording:
        """With one of its indices, for templates and cross-validation."""
        if self.q_t is None:
            raise HaustraError(f"{self.name} has no annotated segments: templates and segment scores need them")
        values = self.location if index == "oracle" and self.location is not None else self.index[index]
        return AnnotatedRecording(self.name, self.time_s, values, self.q_t)


def locate_dataset(
    data: Path,
    work: Path,
    methods: Mapping[str, str],
    *,
    dataset: str | None = None,
    all_frames: bool = False,
    namings: Sequence[Naming] = (),
    options: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> list[Case]:
    """Locate every recording with known segments or locations; results are kept in `work`, a stopped run resumes.

    `all_frames` adds the first method with no frame removed (the paper's "with all frames"); `namings` are further
    segment classification methods for the first method; `options` are passed to `locate`.
    """
    entry, found = open_dataset(data, dataset)
    usable = [(one, truth) for one in found if one.source is not None and (truth := truth_of(one)) is not None]
    if not usable:
        raise HaustraError(f"{data} ({entry.name}) has no recording whose segments or location are known")
    first = next(iter(methods))
    variants = {label: {"motion": None if name == "ours" else name} for label, name in methods.items()}
    if all_frames:
        variants[ALL_FRAMES] = {**variants[first], "quality": "none"}
    cases = []
    for done, (recording, truth) in enumerate(usable):
        cases.append(_case(recording, truth, work / recording.name, variants, namings, dict(options or {})))
        progress(done + 1, recording.name)
    return cases


def truth_of(recording: DatasetRecording) -> RecordingTruth | None:
    """Ground truth of the withdrawal; for a whole colon with poses alone, the location index of the true path."""
    location, segment = recording.location, recording.segment
    if location is None and recording.whole_colon and recording.T_w_c is not None:
        location = location_index(recording.T_w_c[:, :3, 3]).index
    if location is None and (segment is None or not segment.any()):
        return None
    inside = np.zeros(len(recording), dtype=bool)
    if location is not None:
        inside |= np.isfinite(location)
    if segment is not None:
        inside |= segment > 0
    return RecordingTruth(
        recording.time_s[inside],
        None if location is None else location[inside],
        None if segment is None or not segment.any() else segment[inside],
    )


def annotated_times(time_s: FloatArray, segment: NDArray[np.int64]) -> FloatArray:
    """The paper's seven times: when each segment is first reached, and the stop."""
    reached = [np.flatnonzero(segment >= k) for k in range(1, len(SEGMENTS) + 1)]
    return np.array([*(time_s[rows[0]] if len(rows) else time_s[-1] for rows in reached), time_s[-1]])


def _case(
    recording: DatasetRecording,
    truth: RecordingTruth,
    work: Path,
    variants: Mapping[str, Mapping[str, Any]],
    namings: Sequence[Naming],
    options: dict[str, Any],
) -> Case:
    if recording.camera is not None:
        write_camera(work / "camera.json", recording.camera)
        options = {**options, "camera": work / "camera.json"}
    start_s, end_s = float(truth.time_s[0]), float(truth.time_s[-1])

    def located(label: str, **more: Any) -> pl.DataFrame:
        return locate(
            recording.source or Path(),
            withdrawal_start=start_s,
            withdrawal_end=end_s + 1e-3,
            from_place=0.0,
            to_place=1.0,
            fps=recording.fps,
            out=work / label.replace(" ", "-"),
            overlay=False,
            quiet=True,
            **{**options, **variants[label], **more},
        ).frames

    # The observations are reused: only stages 6 to 8 run again. The method as it is comes last and stays in its folder.
    first = next(iter(variants))
    named = {naming.value: located(first, segments=naming) for naming in namings}
    papers = {PAPER_INDEX: located(first, index=IndexMethod.PAPER)}
    tables = {label: located(label) for label in variants} | papers
    case = case_of(recording.name, tables, truth, recording.scopeguide)
    return replace(case, named={name: _named(table, case.time_s) for name, table in named.items()})


def case_of(
    name: str, tables: Mapping[str, pl.DataFrame], truth: RecordingTruth, scopeguide: Path | None = None
) -> Case:
    """From result tables of `locate`; the frames kept in the first count."""
    kept = next(iter(tables.values())).filter("kept")
    time_s = column(kept, "time_s")
    rows = truth.rows_at(time_s)
    time_s, rows = time_s[rows >= 0], rows[rows >= 0]
    if not len(rows):
        raise HaustraError(f"{name}: result and truth share no frame")
    index = {label: _at(table, time_s, "location_index") for label, table in tables.items()}
    index[TIME] = time_index(time_s).index
    if scopeguide is not None:
        index[SCOPEGUIDE] = scopeguide_index(time_s, *read_scopeguide(scopeguide)).index
    return Case(
        name=name,
        time_s=time_s,
        segment=None if truth.segment is None else truth.segment[rows],
        location=None if truth.index is None else truth.index[rows],
        q_t=None if truth.segment is None else annotated_times(truth.time_s, truth.segment),
        index=index,
        std={label: _at(table, time_s, "location_std") for label, table in tables.items()},
        reported={label: _reported(table, time_s) for label, table in tables.items()},
    )


def _at(table: pl.DataFrame, time_s: FloatArray, wanted: str) -> FloatArray:
    """A column interpolated at these times, constant after a method's last value."""
    known = table.filter(pl.col(wanted).is_not_null())
    if not len(known):
        return np.full(len(time_s), np.nan)
    return np.interp(time_s, column(known, "time_s"), column(known, wanted))


def _reported(table: pl.DataFrame, time_s: FloatArray) -> NDArray[np.int64]:
    """The segment in the nearest row."""
    return segment_numbers(table)[nearest(column(table, "time_s"), time_s)]


def _named(table: pl.DataFrame, time_s: FloatArray) -> Named:
    """Segment and its probability in the nearest row."""
    rows = nearest(column(table, "time_s"), time_s)
    certainty = table.select(pl.max_horizontal(PROBABILITY_COLUMNS)).to_series().to_numpy()[rows]
    return Named(_reported(table, time_s), np.asarray(certainty, np.float64))


def with_index(cases: Sequence[Case], index: str) -> list[Case]:
    """The cases that have this index: not every recording has a ScopeGuide track."""
    return [case for case in cases if index in case.index]
