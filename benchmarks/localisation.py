"""The paper's accuracy table for the whole pipeline: `python -m benchmarks.localisation RECORDING... --work DIR`.

RECORDING are simulated folders, or folders of them, unseen by all models. Every row is scored on the frames that the
full method keeps, with a template from the true location index of eighteen other simulated colons (Set 2); the oracle
is the true index. Results are kept in DIR; a stopped run resumes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import haustra
from benchmarks.place_cohort import make_cases
from haustra.anatomy.template import AnnotatedRecording, Template, template_of
from haustra.anatomy.template_segments import segments_of
from haustra.core.arrays import FloatArray
from haustra.lab.evaluate.location_errors import location_errors
from haustra.lab.evaluate.score_result import RecordingTruth, read_truth
from haustra.lab.evaluate.segment_scores import segment_result, summarise
from haustra.lab.evaluate.text_table import accuracy_table, mean_std, text_table
from haustra.path import location_index
from haustra.path.indices import read_scopeguide, scopeguide_index, time_index
from haustra.results.table import column

VARIANTS: dict[str, dict[str, str]] = {
    "motion": {},
    "paper's index": {"index": "paper"},
    "generic camera": {"camera": "generic"},
    "all frames": {"quality": "none"},
}
# Located again from the observations of the other, whose result is made last and stays.
FOLDERS = {"paper's index": "motion"}


@dataclass(frozen=True)
class Located:
    """One recording: the result of each variant, and the ground truth at its frames."""

    folder: Path
    truth: RecordingTruth
    time_s: FloatArray
    rows: np.ndarray
    index: dict[str, FloatArray]
    std: dict[str, FloatArray]


def recordings_in(folder: Path) -> list[Path]:
    """A simulated recording, or all in a folder."""
    return (
        [folder] if (folder / "truth.parquet").is_file() else sorted(p.parent for p in folder.glob("*/truth.parquet"))
    )


def locate(folder: Path, work: Path) -> Located:
    truth = read_truth(folder)
    start_s = float(truth.time_s[0])
    found = {}
    for name, options in reversed(VARIANTS.items()):
        out = work / folder.name / FOLDERS.get(name, name.replace(" ", "-"))
        arguments = {"camera": str(folder / "camera.json"), "from_place": 0.0, "to_place": 1.0, **options}
        found[name] = haustra.locate(
            folder / "video.mp4", withdrawal_start=start_s, out=out, overlay=False, **arguments
        ).frames
    kept = found["motion"].filter("kept")
    time_s = column(kept, "time_s")
    rows = truth.rows_at(time_s)
    inside = rows >= 0
    index, std = (
        {name: _at(found[name], time_s[inside], wanted) for name in VARIANTS}
        for wanted in ("location_index", "location_std")
    )
    return Located(folder, truth, time_s[inside], rows[inside], index, std)


def _at(frames: pl.DataFrame, time_s: FloatArray, wanted: str) -> FloatArray:
    """A column interpolated at these times, constant after a variant's last value."""
    known = frames.filter(pl.col(wanted).is_not_null())
    return np.interp(time_s, column(known, "time_s"), column(known, wanted))


def other_indices(case: Located) -> dict[str, FloatArray]:
    assert case.truth.index is not None
    assert case.truth.T_w_c is not None
    track = read_scopeguide(case.folder / "scopeguide.csv")
    return {
        "true poses": location_index(case.truth.T_w_c[case.rows, :3, 3]).index,
        "oracle": case.truth.index[case.rows],
        "time index": time_index(case.time_s).index,
        "ScopeGuide": scopeguide_index(case.time_s, *track).index,
    }


def templates(seed: int, seconds: float) -> dict[str, Template]:
    """Templates of Set 2 by true location, by time, and by ScopeGuide length."""
    cases = make_cases(seed, seconds, "set2")
    makers: dict[str, Callable[[int], AnnotatedRecording]] = {
        "location": lambda i: cases[i].truth,
        "time index": lambda i: cases[i].with_index(cases[i].clock),
        "ScopeGuide": lambda i: cases[i].with_index(cases[i].scopeguide),
    }
    return {name: template_of(name, [make(i) for i in range(len(cases))]) for name, make in makers.items()}


def run(folders: list[Path], work: Path, seed: int, seconds: float) -> str:
    known = templates(seed, seconds)
    cases = [locate(folder, work) for folder in folders]
    every = [{**case.index, **other_indices(case)} for case in cases]
    accuracy, errors = {}, []
    for name in every[0]:
        template = known.get(name, known["location"])
        results, mae, covered = [], [], []
        for case, indices in zip(cases, every, strict=True):
            assert case.truth.segment is not None
            assert case.truth.index is not None
            results.append(segment_result(segments_of(indices[name], template), case.truth.segment[case.rows]))
            mae.append(location_errors(indices[name], case.truth.index[case.rows]).location_mae)
            if name in case.std:
                error = np.abs(indices[name] - case.truth.index[case.rows])
                covered.append(float(np.mean(error <= 2 * case.std[name])))
        accuracy[name] = summarise(results)
        errors.append([name, mean_std(mae), f"{max(mae):.3f}", mean_std(covered) if covered else ""])
    return (
        accuracy_table(accuracy)
        + "\n\n"
        + text_table(["location index", "mean abs. error", "worst recording", "within 2 std"], errors)
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=180.0, help="mean length of the recordings in their cohort")
    options = parser.parse_args()
    folders = [folder for given in options.recordings for folder in recordings_in(given)]
    print(run(folders, options.work, options.seed, options.seconds))
