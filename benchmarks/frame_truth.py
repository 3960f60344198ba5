"""Kept frames of whole recordings against ground truth: `python -m benchmarks.frame_truth RECORDINGS ...`.

For every simulated recording in or below the folders (truth.parquet of ours, truth.csv of another simulator):

- kept right: share of the kept frames that are informative and show no instrument;
- good kept: share of the informative frames without an instrument within one second that are kept;
- episodes: with an instrument in view, and how many of them have a frame that was called forceps;
- false forceps: frames called forceps with no instrument within 0.1 s, of all sampled frames.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import polars as pl
from numpy.typing import NDArray

from haustra.core.errors import HaustraError
from haustra.core.times import nearest, runs
from haustra.core.vocabulary import DEFAULT_QUALITY, Reason
from haustra.lab.evaluate.text_table import text_table
from haustra.quality import WIDEN_S, Assessment, QualityModel, assess_recording
from haustra.quality.decide import within
from haustra.video import open_recording

TRUTHS = ("truth.parquet", "truth.csv")
NEAR_S = 0.1  # tolerance when an instrument enters or leaves the view
HEADER = ("recording", "frames", "kept right", "good kept", "episodes found", "false forceps")


@dataclass(frozen=True)
class Figures:
    """Counts of one recording, or summed over several."""

    frames: int
    kept: int
    kept_right: int
    good: int
    good_kept: int
    episodes: int
    found: int
    false_forceps: int

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(mine + more for mine, more in zip(vars(self).values(), vars(other).values(), strict=True)))

    def row(self, name: str) -> list[str]:
        return [
            name,
            str(self.frames),
            _percent(self.kept_right, self.kept),
            _percent(self.good_kept, self.good),
            f"{self.found} of {self.episodes}",
            f"{self.false_forceps} ({_percent(self.false_forceps, self.frames, 2)})",
        ]


def recordings(folders: Sequence[Path]) -> Iterator[tuple[str, Path, Path]]:
    """Name, video and truth of every recording; unfinished ones begin with a dot."""
    for folder in folders:
        found = sorted(path for name in TRUTHS for path in folder.rglob(name))
        found = [path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
        if not found:
            raise HaustraError(f"{folder} has no recording with {' or '.join(TRUTHS)}")
        for path in found:
            yield f"{folder.name}/{path.parent.relative_to(folder).as_posix()}", path.parent / "video.mp4", path


def figures(assessed: Assessment, truth: Path) -> Figures:
    """The decisions on one recording against its truth."""
    table = (pl.read_parquet(truth) if truth.suffix == ".parquet" else pl.read_csv(truth)).sort("time_s")
    informative, forceps = (table[name].cast(pl.Boolean).to_numpy() for name in ("informative", "forceps"))
    true_s = table["time_s"].cast(pl.Float64).to_numpy()
    time_s = np.array(assessed.labels, np.float64)
    row = nearest(true_s, time_s)
    right = informative[row] & ~forceps[row]
    good = informative[row] & ~within(time_s, true_s[forceps], WIDEN_S)
    called: NDArray[np.bool_] = np.array([reason == Reason.FORCEPS for reason in assessed.reason], np.bool_)
    episodes = runs(true_s[forceps], WIDEN_S)
    found = sum(bool(within(time_s[called], episode, NEAR_S).any()) for episode in episodes)
    return Figures(
        len(time_s),
        int(assessed.kept.sum()),
        int((assessed.kept & right).sum()),
        int(good.sum()),
        int((assessed.kept & good).sum()),
        len(episodes),
        found,
        int((called & ~within(time_s, true_s[forceps], NEAR_S)).sum()),
    )


def _percent(part: int, whole: int, digits: int = 1) -> str:
    return f"{100 * part / whole:.{digits}f} %" if whole else "-"


def main() -> None:
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--quality", default=DEFAULT_QUALITY, help="lite, or a model file")
    options = parser.parse_args()
    model = QualityModel(options.quality)
    rows: list[list[str]] = []
    total = Figures(*[0] * 8)
    for name, video, truth in recordings(options.folders):
        one = figures(assess_recording(open_recording(video), model), truth)
        rows.append(one.row(name))
        total += one
    print(text_table(HEADER, [*rows, total.row("all")]))


if __name__ == "__main__":
    main()
