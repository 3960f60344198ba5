"""Stored observations of `locate` on recordings with ground truth, so that locations can be estimated again quickly."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.camera import write_camera
from haustra.core.arrays import FloatArray
from haustra.core.errors import HaustraError
from haustra.core.times import nearest
from haustra.core.vocabulary import IndexMethod
from haustra.lab.datasets import open_dataset
from haustra.lab.datasets.dataset_recording import DatasetRecording
from haustra.lab.evaluate.locate_dataset import truth_of
from haustra.path import PathParameters
from haustra.path.frame_locations import whole_colon
from haustra.path.parameters import DEFAULTS
from haustra.path.withdrawal import Withdrawal, follow_withdrawal
from haustra.pipeline import locate
from haustra.results.folder import OBSERVATIONS, known_lens
from haustra.results.observations import Observations


@dataclass(frozen=True)
class Observed:
    """The samples of one withdrawal, and its true location, pose and segment (where known) at `time_s`.

    `lens_std` is the relative standard deviation of the angles of the lens that it was observed with.
    """

    name: str
    seen: Observations
    time_s: FloatArray
    location: FloatArray
    T_w_c: FloatArray
    segment: NDArray[np.int64] | None = None
    lens_std: float = 0.0

    def location_at(self, time_s: FloatArray) -> FloatArray:
        return np.interp(time_s, self.time_s, self.location)

    def pose_at(self, time_s: FloatArray) -> FloatArray:
        """True poses of the frames nearest to these times."""
        return self.T_w_c[nearest(self.time_s, time_s)]

    def segment_at(self, time_s: FloatArray) -> NDArray[np.int64]:
        """True segments 1 to 6 of the frames nearest to these times."""
        if self.segment is None:
            raise HaustraError(f"the segments of {self.name} are not known")
        return self.segment[nearest(self.time_s, time_s)]

    def located(self, index: IndexMethod = IndexMethod.OURS, parameters: PathParameters = DEFAULTS) -> Withdrawal:
        """As `locate` does with both ends of the colon given."""
        ends = whole_colon(parameters.location.end_std)
        return follow_withdrawal(
            self.seen, float(self.seen.time_s[0]), ends, index=index, lens_std=self.lens_std, parameters=parameters
        )

    def error_of(self, found: Withdrawal) -> FloatArray:
        """Signed error of the location index of the kept frames."""
        return (found.index - self.location_at(found.seen.time_s))[found.seen.kept]

    def paper_error(self) -> float:
        """Mean error of the paper's location index from the same motion."""
        return float(np.abs(self.error_of(self.located(IndexMethod.PAPER))).mean())


def seen_in(result: Path) -> Observations:
    """The observations of a run of `locate`."""
    with np.load(result / OBSERVATIONS, allow_pickle=False) as arrays:
        return Observations.from_arrays(arrays)


def lens_std_in(result: Path) -> float:
    """How unsure the lens of a run of `locate` was."""
    return float((known_lens(result) or {}).get("relative_std", 0.0))


def work_name(data: Path) -> str:
    """Name of a dataset's work folder, distinct for datasets of the same name in different folders."""
    return "-".join(data.resolve().parts[-2:])


def observe(data: Path, work: Path, motion: Path | None = None) -> list[Observed]:
    """Every recording of a dataset with known locations, from the start to the stop of its withdrawal.

    Observations are kept in `work` and reused: give another folder after changing a network. `motion`: a motion network
    instead of the shipped one.
    """
    options: dict[str, Any] = {} if motion is None else {"motion": motion}
    recordings, work = open_dataset(data, None)[1], work / work_name(data)
    found = [one for recording in recordings if (one := observe_recording(recording, work, **options)) is not None]
    if not found:
        raise HaustraError(f"{data} has no recording whose location and poses are known")
    return found


def observe_recording(recording: DatasetRecording, work: Path, **options: Any) -> Observed | None:
    """One recording, None where its locations are not known; its own lens is used unless `options` give a camera."""
    truth = truth_of(recording)
    if truth is None or truth.index is None or recording.T_w_c is None or recording.source is None:
        return None
    out, start_s, end_s = work / recording.name, float(truth.time_s[0]), float(truth.time_s[-1])
    if not (out / OBSERVATIONS).is_file():
        if recording.camera is not None and "camera" not in options:
            write_camera(work / f"{recording.name}.json", recording.camera)
            options["camera"] = work / f"{recording.name}.json"
        locate(
            recording.source, withdrawal_start=start_s, from_place=0.0, to_place=1.0, fps=recording.fps, out=out,
            overlay=False, threads=1, **options,
        )  # fmt: skip
    seen = seen_in(out)
    rows = slice(*np.searchsorted(seen.time_s, [start_s - 1e-3, end_s + 1e-3]).tolist())
    poses = recording.T_w_c[nearest(recording.time_s, truth.time_s)]
    return Observed(recording.name, seen.rows(rows), truth.time_s, truth.index, poses, truth.segment, lens_std_in(out))


def observe_sets(data: Sequence[Path], work: Path) -> dict[str, list[Observed]]:
    """The recordings of several datasets by their names in tables."""
    return {work_name(folder): observe(folder, work) for folder in data}


def sets_of_command(about: str) -> dict[str, list[Observed]]:
    """The datasets of a command `DATA ... --work DIR`."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    return observe_sets(options.data, options.work)
