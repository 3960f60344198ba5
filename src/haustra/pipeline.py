"""locate(): from a recording to the place of every frame. The stages in the order of the data, and nothing else."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from haustra.anatomy import DEFAULT_TEMPLATE, load_template
from haustra.camera import camera_to_dict, conversion_notice, load_camera
from haustra.flow import open_flow
from haustra.located import place_observations
from haustra.motion import MotionEstimator
from haustra.motion.frames import CanonicalView
from haustra.observe import Eyes, observe
from haustra.progress import progress_bar
from haustra.quality import QualityModel, Thresholds, fitted_size
from haustra.report.folder import ResultFolder, file_identity
from haustra.report.summary import summarise
from haustra.times import parse_time
from haustra.video import Picture, Recording, find_picture, open_recording

log = logging.getLogger("haustra")

GENERIC = "generic"
NO_QUALITY = "none"
# Longer side of the decoded picture: enough for both networks, cheap to convert.
DECODED_SIDE = 256
_KEEP_ALL = Thresholds(1.0, 1.0)


@dataclass(frozen=True)
class Localization:
    """What `locate` found, and the folder it lies in."""

    folder: Path
    frames: pl.DataFrame
    summary: dict[str, Any]

    @property
    def report(self) -> Path:
        return self.folder / "report.html"


def locate(
    video: str | Path,
    *,
    withdrawal_start: float | str | None = None,
    withdrawal_end: float | str | None = None,
    camera: str | Path = GENERIC,
    template: str | Path = DEFAULT_TEMPLATE,
    flow: str | None = None,
    motion: str | Path | None = None,
    quality: str | Path = "lite",
    out: str | Path | None = None,
    overlay: bool = True,
    threads: int | None = None,
    fps: float | None = None,
    quiet: bool = True,
) -> Localization:
    """Locate every frame of the withdrawal in `video` and write the result folder `out`.

    Times are seconds or what a user would write (`12:40`). Without `withdrawal_start` the turning point is searched
    for; the end is the last informative frame before `withdrawal_end`. `quality="none"` removes nothing.
    """
    recording = open_recording(video, fps=fps)
    start_s, end_s = _seconds(withdrawal_start), _seconds(withdrawal_end)
    colon = load_template(template)
    picture = find_picture(recording)
    eyes, models = _open_eyes(picture, camera, flow, motion, quality)
    options = {"withdrawal_start_s": start_s, "withdrawal_end_s": end_s, "fps": fps, "camera": Path(camera).name}
    identity = options | models | {"template": colon.mean.tolist(), "spread": colon.covariance.tolist()}
    folder = ResultFolder(_out_folder(out, recording), recording, identity, with_overlay=overlay)
    finished = folder.finished()
    if finished is not None:
        log.info("%s is finished already: nothing to do", folder.path)
        return Localization(folder.path, *finished)
    workers = threads or os.cpu_count() or 1
    with folder.logged():
        journal = folder.open_journal()
        with progress_bar("frames", _length_s(recording, start_s, end_s), unit="s", quiet=quiet) as bar:
            seen = observe(recording, eyes, journal, start_s=start_s or 0.0, end_s=end_s, threads=workers, progress=bar)
        placed = place_observations(seen, colon, start_s)
        summary = summarise(recording, folder.fingerprint, picture, options, models, colon, placed, _notes(camera))
        folder.write(placed, seen.thumbnails, summary, colon, crop=picture.box, threads=workers, quiet=quiet)
        journal.discard()
    return Localization(folder.path, placed.table, summary)


def _open_eyes(
    picture: Picture,
    camera: str | Path,
    flow: str | None,
    motion: str | Path | None,
    quality: str | Path,
) -> tuple[Eyes, dict[str, Any]]:
    """What looks at the recording, and what identifies it."""
    box = picture.box
    lens = load_camera(camera, (box.width, box.height) if camera == GENERIC else None)
    # Each network runs on one thread: results then do not depend on how many there are, and batches run side by side.
    judge = None if quality == NO_QUALITY else QualityModel(quality)
    weights = None if motion is None else Path(motion)
    estimator = _estimator(weights, flow)
    straighten = CanonicalView(picture, lens, estimator.size, estimator.fov_deg)
    eyes = Eyes(
        box=box,
        decoded_size=fitted_size(box.width, box.height, DECODED_SIDE),
        straighten=straighten,
        quality=judge,
        thresholds=_KEEP_ALL if judge is None else judge.thresholds,
        motion=_estimators(estimator, weights, flow),
    )
    models = {
        "lens": camera_to_dict(straighten.camera),
        "flow": flow or estimator.flow_name,
        "motion": file_identity(estimator.path) | {"recipe": estimator.recipe},
        "quality": None if judge is None else file_identity(judge.path),
    }
    return eyes, models


def _estimators(first: MotionEstimator, weights: Path | None, flow: str | None) -> Callable[[], MotionEstimator]:
    """Makes one for each thread; the first to ask gets the one that is open already."""
    opened = [first]

    def another() -> MotionEstimator:
        try:
            return opened.pop()
        except IndexError:
            return _estimator(weights, flow)

    return another


def _estimator(weights: Path | None, flow: str | None) -> MotionEstimator:
    return MotionEstimator(weights, flow=None if flow is None else open_flow(flow))


def _seconds(time: float | str | None) -> float | None:
    return parse_time(time) if isinstance(time, str) else time


def _out_folder(out: str | Path | None, recording: Recording) -> Path:
    return Path(out) if out is not None else Path(f"{recording.path.stem}-haustra")


def _length_s(recording: Recording, start_s: float | None, end_s: float | None) -> float | None:
    length_s = end_s if recording.duration_s is None else min(recording.duration_s, end_s or recording.duration_s)
    return None if length_s is None else max(length_s - (start_s or 0.0), 0.0)


def _notes(camera: str | Path) -> list[str]:
    if camera != GENERIC:
        notice = conversion_notice(camera)
        return [] if notice is None else [notice]
    return ["no calibration was given: a typical wide-angle lens was assumed (`haustra calibrate` measures yours)"]
