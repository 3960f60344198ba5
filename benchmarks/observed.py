"""What `locate` saw of recordings whose location is known, kept so that places can be found again in seconds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from haustra.camera import write_camera
from haustra.chunks import Chunk, Observations, Thumbnail
from haustra.datasets import open_dataset
from haustra.errors import HaustraError
from haustra.evaluate.located import truth_of
from haustra.path.estimate import WHOLE
from haustra.path.withdrawal import Withdrawal, follow_withdrawal
from haustra.pipeline import locate
from haustra.poses import FloatArray
from haustra.quality import QualityModel, decided
from haustra.result import OBSERVATIONS
from haustra.times import nearest


@dataclass(frozen=True)
class Observed:
    """The samples of one withdrawal, and its true location, pose and segment (where it is known) at `time_s`."""

    name: str
    seen: Observations
    time_s: FloatArray
    location: FloatArray
    T_w_c: FloatArray
    segment: NDArray[np.int64] | None = None
    thumbnails: tuple[Thumbnail, ...] = ()

    def location_at(self, time_s: FloatArray) -> FloatArray:
        return np.interp(time_s, self.time_s, self.location)

    def pose_at(self, time_s: FloatArray) -> FloatArray:
        """Of the frames nearest to these times."""
        return self.T_w_c[nearest(self.time_s, time_s)]

    def segment_at(self, time_s: FloatArray) -> NDArray[np.int64]:
        """1 to 6, of the frames nearest to these times."""
        if self.segment is None:
            raise HaustraError(f"the segments of {self.name} are not known")
        return self.segment[nearest(self.time_s, time_s)]

    def located(self) -> Withdrawal:
        """As `locate` finds it where it is told that this is a whole colon."""
        return follow_withdrawal(self.seen, float(self.seen.time_s[0]), WHOLE)

    def error_of(self, found: Withdrawal) -> FloatArray:
        """Of the location index of the kept frames, with its sign."""
        return (found.index - self.location_at(found.seen.time_s))[found.seen.kept]


def seen_in(result: Path) -> tuple[Chunk, Observations]:
    """What a run of `locate` saw, and which of it is kept."""
    with np.load(result / OBSERVATIONS, allow_pickle=False) as arrays:
        chunk = Chunk.from_arrays(arrays)
    return chunk, decided(chunk, QualityModel().thresholds)


def work_name(data: Path) -> str:
    """Of the folder of a dataset's results: sets of the same name lie in different folders."""
    return "-".join(data.resolve().parts[-2:])


def observe(data: Path, work: Path) -> list[Observed]:
    """Every recording of a dataset that knows its location, from the start of its withdrawal to its stop.

    What was seen stays in a folder of its own in `work` and is not looked at again: give another one after a change of
    a network.
    """
    _, found = open_dataset(data, None)
    result, work = [], work / work_name(data)
    for recording in found:
        truth = truth_of(recording)
        if truth is None or truth.index is None or recording.T_w_c is None or recording.source is None:
            continue
        out, start_s, end_s = work / recording.name, float(truth.time_s[0]), float(truth.time_s[-1])
        if not (out / OBSERVATIONS).is_file():
            options = {}
            if recording.camera is not None:
                write_camera(work / f"{recording.name}.json", recording.camera)
                options["camera"] = work / f"{recording.name}.json"
            locate(
                recording.source, withdrawal_start=start_s, from_place=0.0, to_place=1.0, fps=recording.fps, out=out,
                overlay=False, threads=1, **options,
            )  # fmt: skip
        chunk, seen = seen_in(out)
        rows = slice(*np.searchsorted(seen.time_s, [start_s - 1e-3, end_s + 1e-3]).tolist())
        poses = recording.T_w_c[nearest(recording.time_s, truth.time_s)]
        used, looks = seen.rows(rows), chunk.thumbnails
        result.append(Observed(recording.name, used, truth.time_s, truth.index, poses, truth.segment, looks))
    if not result:
        raise HaustraError(f"{data} has no recording whose location and poses are known")
    return result


def observe_sets(data: Sequence[Path], work: Path) -> dict[str, list[Observed]]:
    """The recordings of several datasets, by the names that these have in tables."""
    return {work_name(folder): observe(folder, work) for folder in data}


def sets_of_command(about: str) -> dict[str, list[Observed]]:
    """Those of a command `DATA ... --work DIR`."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    return observe_sets(options.data, options.work)
