"""What `locate` gives by default, and with what a user can add: `python -m benchmarks.by_default DATA ... --work DIR`.

DATA are recordings with true location and segments, or folders of them. Each is located with no option at all, with the
start of the withdrawal, and with the calibration as well; then once more with the paper's own location index from the
same motion. Segments are named only where the extent of the recording
allows it; the accuracy is over the recordings that have them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from haustra.camera import write_camera
from haustra.core.errors import HaustraError
from haustra.core.vocabulary import IndexMethod
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording
from haustra.lab.evaluate.locate_dataset import truth_of
from haustra.lab.evaluate.score_result import score_result
from haustra.lab.evaluate.text_table import mean_std, text_table
from haustra.pipeline import locate

NOTHING, START, LENS, PAPER = "nothing", "start", "start, lens", "start, lens; paper's index"
GIVEN = (NOTHING, START, LENS, PAPER)
# One folder for both: the second one places again what was observed for the first.
FOLDERS = {NOTHING: "nothing", START: "start", LENS: "start-lens", PAPER: "start-lens"}


@dataclass(frozen=True)
class Figures:
    """Of one recording: mean error of the location index, share of frames within two deviations, segment accuracy.

    The last three are None where no segments were named.
    """

    name: str
    error: float
    within: float
    clock_error: float
    accuracy: float | None
    clock: float | None
    oracle: float | None


def options_of(recording: DatasetRecording, given: str, start_s: float, work: Path) -> dict[str, Any]:
    """The options of `locate` for what is given; each level adds to the one before."""
    options: dict[str, Any] = {}
    if given != NOTHING:
        options["withdrawal_start"] = start_s
    if given in (LENS, PAPER) and recording.camera is not None:
        write_camera(work / "camera.json", recording.camera)
        options["camera"] = work / "camera.json"
    if given == PAPER:
        options["index"] = IndexMethod.PAPER
    return options


def figures_of(recording: DatasetRecording, given: str, work: Path) -> Figures:
    truth = truth_of(recording)
    if truth is None or truth.index is None or truth.segment is None or recording.source is None:
        raise HaustraError(f"the location and the segments of {recording.name} are not known")
    work = work / recording.name
    options = options_of(recording, given, float(truth.time_s[0]), work)
    out = work / FOLDERS[given]
    result = locate(recording.source, fps=recording.fps, out=out, overlay=False, threads=1, **options)
    named = (result.frames["segment"] != "").any()
    scores = score_result(result, truth if named else replace(truth, segment=None))
    accuracy = {name: found.accuracy for name, found in scores.segments.items()}
    assert scores.location is not None
    assert scores.location.within_2std is not None
    assert scores.location_time_index is not None
    return Figures(
        name=recording.name,
        error=scores.location.location_mae,
        within=scores.location.within_2std,
        clock_error=scores.location_time_index.location_mae,
        accuracy=accuracy.get("result"),
        clock=accuracy.get("time_index"),
        oracle=accuracy.get("oracle"),
    )


def summary_row(given: str, cases: Sequence[Figures]) -> list[str]:
    """Means (standard deviations) over recordings."""
    named = [case for case in cases if case.accuracy is not None]
    return [
        given,
        mean_std([case.error for case in cases]),
        f"{max(case.error for case in cases):.3f}",
        f"{np.mean([case.within for case in cases]):.3f}",
        mean_std([case.clock_error for case in cases]),
        f"{len(named)} of {len(cases)}",
        mean_std(_known(case.accuracy for case in cases)),
        f"{min(_known(case.accuracy for case in cases)):.3f}" if named else "-",
        mean_std(_known(case.clock for case in cases)),
        mean_std(_known(case.oracle for case in cases)),
    ]


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def recording_row(given: str, case: Figures) -> list[str]:
    values = (case.error, case.within, case.clock_error, case.accuracy, case.clock, case.oracle)
    return [given, case.name, *("-" if value is None else f"{value:.3f}" for value in values)]


def report(found: Mapping[str, Sequence[Figures]]) -> str:
    clock_and_oracle = ("segment accuracy", "clock accuracy", "oracle accuracy")
    header = ["given", "location error", "worst error", "within 2 std", "clock error", "segments named",
              "segment accuracy", "worst accuracy", "clock accuracy", "oracle accuracy"]  # fmt: skip
    each = ["given", "recording", "location error", "within 2 std", "clock error", *clock_and_oracle]
    count = len(next(iter(found.values())))
    means = text_table(header, [summary_row(given, cases) for given, cases in found.items()])
    rows = [recording_row(given, case) for given, cases in found.items() for case in cases]
    return f"Mean (standard deviation) over recordings, {count} of them.\n\n{means}\n\n{text_table(each, rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    recordings = [recording for data in options.data for recording in open_dataset(data, None)[1]]
    print(report({given: [figures_of(one, given, options.work) for one in recordings] for given in GIVEN}))


if __name__ == "__main__":
    main()
