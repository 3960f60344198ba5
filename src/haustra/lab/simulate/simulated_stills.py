"""Labelled stills as the paper's image classification dataset (sec:dataset): frames at 1 Hz from 29 recordings.

Only the frames that are kept are rendered; the exposure of each is at rest.
"""

from __future__ import annotations

import csv
import io
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from haustra.core.errors import HaustraError
from haustra.core.files import write_text
from haustra.core.progress import Progress, silent
from haustra.lab.simulate.ground_truth import Truth
from haustra.lab.simulate.pool import make_missing
from haustra.lab.simulate.simulated_cohort import keep_plan, split_counts
from haustra.lab.simulate.simulated_recording import Settings

SPLITS = {"train": 19, "test": 10}
LABELS = ("informative", "wall", "blur", "underexposed", "overexposed", "outside", "water", "forceps")
COLUMNS = ("path", "label", "recording", "split", "time_s")
INSERTION_SHARE = 0.3  # whole examinations were sampled, not withdrawals alone
FIRST_SEED = 10_000_000  # away from the cohorts: no colon is in both


@dataclass(frozen=True)
class Series:
    """The stills of one recording."""

    name: str
    split: str
    settings: Settings


def label_of(truth: Truth) -> str:
    """An instrument in view is what counts; without one, the reason, or informative."""
    return "forceps" if truth.forceps else truth.reason or "informative"


def plan_stills(recordings: int, seconds: float, seed: int, size: tuple[int, int]) -> list[Series]:
    """The recordings that stills are taken from; part of the time of each is the insertion."""
    series: list[Series] = []
    insertion = round(INSERTION_SHARE * seconds, 1)
    for split, count in split_counts(recordings, SPLITS).items():
        for _ in range(count):
            number = len(series)
            own = FIRST_SEED + seed * 1000 + number
            settings = Settings(own, round(seconds - insertion, 1), *size, insertion_s=insertion)
            series.append(Series(f"{number + 1:02d}", split, settings))
    return series


def write_stills(
    out: Path, series: list[Series], *, workers: int | None = None, progress: Progress = silent
) -> dict[str, Any]:
    """Make `out/<split>/<recording>/<seconds>.jpg` and `labels.csv`; recordings that are there are kept."""
    listing = {"recordings": [{"name": s.name, "split": s.split, **s.settings.as_dict()} for s in series]}
    keep_plan(out / "stills.json", listing)
    make_missing(_write_series, out, series, lambda one: _folder(out, one).exists(), workers=workers, progress=progress)
    rows = [row for one in series for row in _read_rows(_folder(out, one) / "labels.csv")]
    write_text(out / "labels.csv", _csv(rows))
    return {"stills": len(rows), "labels": dict(Counter(row["label"] for row in rows))}


def _folder(out: Path, series: Series) -> Path:
    return out / series.split / series.name


def _write_series(out: Path, series: Series) -> None:
    target = _folder(out, series)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{series.name}-", dir=target.parent))
    try:
        procedure = series.settings.procedure()
        step = round(series.settings.rate_hz)
        rows = []
        for frame in range(0, procedure.plan.timeline.frames, step):
            shot = procedure.shoot(frame)
            name = f"{round(shot.truth.time_s):05d}.jpg"
            quality = [cv2.IMWRITE_JPEG_QUALITY, 92]
            if not cv2.imwrite(str(temporary / name), shot.picture[..., ::-1], quality):
                raise HaustraError(f"cannot write {target / name}: is the disk full?")
            values = (f"{series.split}/{series.name}/{name}", label_of(shot.truth), series.name, series.split)
            rows.append(dict(zip(COLUMNS, (*values, f"{shot.truth.time_s:g}"), strict=True)))
        write_text(temporary / "labels.csv", _csv(rows))
        temporary.chmod(0o755)
        temporary.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _csv(rows: list[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _read_rows(source: Path) -> list[dict[str, str]]:
    with source.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
