"""Probabilities and decision for every sampled frame of a recording, or for single pictures."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haustra.core.arrays import Float32Array
from haustra.core.files import write_text
from haustra.core.onnx import batches
from haustra.core.pictures import read_picture
from haustra.core.progress import Progress, silent
from haustra.core.vocabulary import Reason
from haustra.quality.classifier import FrameClassifier
from haustra.quality.decide import Thresholds, apply_thresholds
from haustra.quality.network_input import fitted_size, picture_box, prepare
from haustra.quality.overlay_mask import OverlayMask
from haustra.quality.prefilter import prefilter, thinned
from haustra.quality.quality_model import QualityModel
from haustra.results.observations import Observations
from haustra.video import Frame, Problems, Recording, find_picture

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
        """Thresholds, and how many samples were kept and dropped, by reason."""
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
    problems: Problems | None = None,
) -> Assessment:
    """Sample a recording and classify every sample; `problems` collects what is wrong with the recording."""
    picture = find_picture(recording)
    box = picture.box
    size = fitted_size(box.width, box.height, model.size)
    frames = recording.frames(rate_hz=rate_hz, start_s=start_s, end_s=end_s, size=size, crop=box, problems=problems)
    return assess_frames(frames, model, thresholds=thresholds, mask=OverlayMask(picture, size), progress=progress)


def assess_frames(
    frames: Iterable[Frame],
    model: QualityModel,
    *,
    thresholds: Thresholds | None = None,
    mask: OverlayMask | None = None,
    progress: Progress = silent,
) -> Assessment:
    """Classify every frame of a stream cropped to the endoscope picture; no more than a chunk is held at a time."""
    classifier = FrameClassifier(model, sparse=False, thresholds=thresholds, mask=mask)
    parts = [Observations(time_s=np.empty(0))]
    for _, seen in classifier.observe(classifier.samples(frames)):
        parts.append(seen)
        progress(float(seen.time_s[-1]))
    seen = Observations.concatenated(parts)
    return _assessment(seen.time_s.tolist(), seen, classifier.thresholds)


def assess_pictures(paths: Sequence[Path], model: QualityModel, *, thresholds: Thresholds | None = None) -> Assessment:
    """Classify picture files, each by itself: there is no time, so no biopsy is widened and nothing is frozen."""
    reasons: list[Reason] = []
    scores: list[Float32Array] = [np.empty((2, 0), np.float32)]
    for batch in batches(paths):
        images = [read_picture(path) for path in batch]
        reasons += [prefilter(thinned(image), None) for image in images]
        probabilities = model.classify([prepare(image, model.size, picture_box(image)) for image in images])
        scores.append(np.stack([probabilities.noninformative, probabilities.forceps]))
    noninformative, forceps = np.concatenate(scores, axis=1)
    apart_s = np.arange(len(paths), dtype=np.float64) * 1e6
    chosen = thresholds or model.thresholds
    seen = Observations(time_s=apart_s, p_noninformative=noninformative, p_forceps=forceps, reason=tuple(reasons))
    return _assessment([str(path) for path in paths], apply_thresholds(seen, chosen), chosen)


def _assessment(labels: Sequence[float | str], seen: Observations, thresholds: Thresholds) -> Assessment:
    return Assessment(labels, seen.p_noninformative, seen.p_forceps, seen.kept, seen.reason, thresholds)


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
