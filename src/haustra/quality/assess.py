"""Probabilities and decision for every sampled frame of a recording, or for single pictures."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from haustra.errors import HaustraError
from haustra.files import write_text
from haustra.progress import Progress, silent
from haustra.quality.decide import REASONS, Thresholds, decide
from haustra.quality.frames import fitted_size, picture_box, prepare
from haustra.quality.model import BATCH, QualityModel
from haustra.quality.prefilter import PreFilter
from haustra.video import Frame, Recording, find_picture

COLUMNS = ("p_noninformative", "p_forceps", "kept", "reason")


@dataclass(frozen=True)
class Assessment:
    """One entry per sample. `labels` names the samples: times in seconds of a recording, or picture files."""

    labels: Sequence[float | str]
    p_noninformative: NDArray[np.float32]
    p_forceps: NDArray[np.float32]
    kept: NDArray[np.bool_]
    reason: Sequence[str]
    thresholds: Thresholds

    def summary(self) -> dict[str, Any]:
        counts = Counter(self.reason)
        return {
            "samples": len(self.reason),
            "kept": int(self.kept.sum()),
            "kept_share": float(self.kept.mean()) if len(self.kept) else 0.0,
            "dropped": {reason: counts[reason] for reason in REASONS if counts[reason]},
            "thresholds": {"noninformative": self.thresholds.noninformative, "forceps": self.thresholds.forceps},
        }

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per sample; probabilities are None where no network was asked."""
        key = "picture" if self.labels and isinstance(self.labels[0], str) else "time_s"
        return [
            {
                key: label if isinstance(label, str) else round(float(label), 6),
                "p_noninformative": _number(first),
                "p_forceps": _number(second),
                "kept": bool(kept),
                "reason": reason,
            }
            for label, first, second, kept, reason in zip(
                self.labels, self.p_noninformative, self.p_forceps, self.kept, self.reason, strict=True
            )
        ]


def assess_recording(
    recording: Recording,
    model: QualityModel,
    *,
    rate_hz: float = 15.0,
    start_s: float = 0.0,
    end_s: float | None = None,
    thresholds: Thresholds | None = None,
    progress: Progress = silent,
) -> Assessment:
    """Sample a recording and judge every sample."""
    box = find_picture(recording).box
    size = fitted_size(box.width, box.height, model.size)
    frames = recording.frames(rate_hz=rate_hz, start_s=start_s, end_s=end_s, size=size, crop=box)
    return assess_frames(frames, model, thresholds=thresholds, progress=progress)


def assess_frames(
    frames: Iterable[Frame],
    model: QualityModel,
    *,
    thresholds: Thresholds | None = None,
    progress: Progress = silent,
) -> Assessment:
    """Judge frames that are cropped to the endoscope picture already; no more than a batch is held at a time."""
    prefilter = PreFilter()
    times: list[float] = []
    kinds: list[str] = []
    answers: list[tuple[float, float]] = []
    waiting: list[NDArray[np.uint8]] = []
    where: list[int] = []
    for frame in frames:
        times.append(frame.time_s)
        kinds.append(prefilter(frame.image))
        answers.append((np.nan, np.nan))
        if not kinds[-1]:
            waiting.append(frame.image)
            where.append(len(answers) - 1)
        if len(waiting) == BATCH:
            _answer(model, waiting, where, answers)
        progress(frame.time_s)
    _answer(model, waiting, where, answers)
    table = np.array(answers, np.float32).reshape(-1, 2)
    thresholds = thresholds or model.thresholds
    kept, reason = decide(np.array(times), table[:, 0], table[:, 1], thresholds, kinds)
    return Assessment(times, table[:, 0], table[:, 1], kept, reason, thresholds)


def _answer(
    model: QualityModel, waiting: list[NDArray[np.uint8]], where: list[int], answers: list[tuple[float, float]]
) -> None:
    """Ask the network about the frames that wait, and empty the queue."""
    chances = model.classify(waiting)
    for position, first, second in zip(where, chances.noninformative, chances.forceps, strict=True):
        answers[position] = (float(first), float(second))
    waiting.clear()
    where.clear()


def assess_pictures(paths: Sequence[Path], model: QualityModel, *, thresholds: Thresholds | None = None) -> Assessment:
    """Judge picture files, each by itself: there is no time, so no biopsy is widened and nothing is frozen."""
    thresholds = thresholds or model.thresholds
    kinds: list[str] = []
    answers: list[tuple[float, float]] = []
    for start in range(0, len(paths), BATCH):
        images = [read_picture(path) for path in paths[start : start + BATCH]]
        kinds += [PreFilter()(image) for image in images]
        chances = model.classify([prepare(image, model.size, picture_box(image)) for image in images])
        answers += zip(chances.noninformative.tolist(), chances.forceps.tolist(), strict=True)
    table = np.array(answers, np.float32).reshape(-1, 2)
    apart_s = np.arange(len(paths), dtype=np.float64) * 1e6
    kept, reason = decide(apart_s, table[:, 0], table[:, 1], thresholds, kinds)
    return Assessment([str(path) for path in paths], table[:, 0], table[:, 1], kept, reason, thresholds)


def read_picture(path: Path) -> NDArray[np.uint8]:
    """A picture file as RGB."""
    if not path.is_file():
        raise HaustraError(f"no such file: {path}")
    image = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR) if path.stat().st_size else None
    if image is None:
        raise HaustraError(f"{path} is not a picture that can be read: png, jpg, bmp, tiff and webp are")
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), np.uint8)


def write_assessment(assessment: Assessment, path: Path) -> None:
    """A csv table with one row per sample."""
    rows = assessment.rows()
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["time_s", *COLUMNS], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(row | {"kept": int(row["kept"])})
    write_text(path, text.getvalue())


def _number(value: np.float32) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
