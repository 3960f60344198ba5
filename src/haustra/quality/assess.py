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

from haustra.chunks import Judged, batches, in_chunks, joined
from haustra.errors import HaustraError
from haustra.files import write_text
from haustra.progress import Progress, silent
from haustra.quality.cover import Cover
from haustra.quality.decide import Thresholds, decide
from haustra.quality.frames import fitted_size, picture_box, prepare
from haustra.quality.judge import Judge
from haustra.quality.model import QualityModel
from haustra.quality.prefilter import PreFilter
from haustra.terms import Reason
from haustra.video import Frame, Recording, find_picture

COLUMNS = ("p_noninformative", "p_forceps", "kept", "reason")


@dataclass(frozen=True)
class Assessment:
    """One entry per sample. `labels` names the samples: times in seconds of a recording, or picture files."""

    labels: Sequence[float | str]
    p_noninformative: NDArray[np.float32]
    p_forceps: NDArray[np.float32]
    kept: NDArray[np.bool_]
    reason: Sequence[Reason]
    thresholds: Thresholds

    def summary(self) -> dict[str, Any]:
        counts = Counter(self.reason)
        return {
            "samples": len(self.reason),
            "kept": int(self.kept.sum()),
            "kept_share": float(self.kept.mean()) if len(self.kept) else 0.0,
            "dropped": {reason: counts[reason] for reason in Reason if reason and counts[reason]},
            "thresholds": {"noninformative": self.thresholds.noninformative, "forceps": self.thresholds.forceps},
        }

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per sample; probabilities are None where the network was not run."""
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
    picture = find_picture(recording)
    box = picture.box
    size = fitted_size(box.width, box.height, model.size)
    frames = recording.frames(rate_hz=rate_hz, start_s=start_s, end_s=end_s, size=size, crop=box)
    return assess_frames(frames, model, thresholds=thresholds, cover=Cover(picture, size), progress=progress)


def assess_frames(
    frames: Iterable[Frame],
    model: QualityModel,
    *,
    thresholds: Thresholds | None = None,
    cover: Cover | None = None,
    progress: Progress = silent,
) -> Assessment:
    """Judge every frame of a stream cropped to the endoscope picture; no more than a chunk is held at a time."""
    judge = Judge(model, sparse=False, thresholds=thresholds, cover=cover)
    judged = [Judged(np.empty(0), np.empty(0, np.float32), np.empty(0, np.float32), ())]
    for chunk in in_chunks(judge.samples(frames)):
        judged.append(judge(chunk))
        progress(chunk[-1].time_s)
    whole = joined(judged)
    return _assessment(whole.time_s.tolist(), whole, judge.thresholds)


def assess_pictures(paths: Sequence[Path], model: QualityModel, *, thresholds: Thresholds | None = None) -> Assessment:
    """Judge picture files, each by itself: there is no time, so no biopsy is widened and nothing is frozen."""
    kinds: list[Reason] = []
    answers: list[tuple[float, float]] = []
    for batch in batches(paths):
        images = [read_picture(path) for path in batch]
        kinds += [PreFilter()(image) for image in images]
        chances = model.classify([prepare(image, model.size, picture_box(image)) for image in images])
        answers += zip(chances.noninformative.tolist(), chances.forceps.tolist(), strict=True)
    table = np.array(answers, np.float32).reshape(-1, 2)
    apart_s = np.arange(len(paths), dtype=np.float64) * 1e6
    judged = Judged(apart_s, table[:, 0], table[:, 1], tuple(kinds))
    return _assessment([str(path) for path in paths], judged, thresholds or model.thresholds)


def _assessment(labels: Sequence[float | str], judged: Judged, thresholds: Thresholds) -> Assessment:
    kept, reason = decide(judged, thresholds)
    return Assessment(labels, judged.p_noninformative, judged.p_forceps, kept, reason, thresholds)


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
