"""check(): does a recording suit the tool, and does its motion explain the pictures? Nothing has to be known of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from haustra.camera.recorded_lens import ChosenLens, choose_lens
from haustra.checking.stretch_figures import CheckFigures, Examiner, StretchFigures, together
from haustra.checking.stretches import STRETCHES
from haustra.checking.verdict import Trouble, Verdict, judge, trouble_of
from haustra.core.addresses import VideoPaths, paths_of
from haustra.core.errors import HaustraError
from haustra.core.progress import progress_bar
from haustra.core.vocabulary import NO_QUALITY
from haustra.motion import open_motion
from haustra.motion.stream import opencv_on_one_thread
from haustra.options import options_for
from haustra.quality import QualityModel
from haustra.video import Picture, Recording, find_picture, open_recording


@dataclass(frozen=True)
class Span:
    """Part of the recording, seconds, in which the same is wrong with every stretch that was looked at."""

    start_s: float
    end_s: float
    trouble: Trouble


@dataclass(frozen=True)
class RecordingCheck:
    """What the check says about a recording; `as_dict` is what `haustra check --json` prints."""

    name: str
    recording: Recording
    picture: Picture
    lens: ChosenLens
    figures: CheckFigures
    verdict: Verdict
    fails: tuple[Span, ...]

    def as_dict(self) -> dict[str, Any]:
        """Figures that could not be measured are null."""
        recording, box = self.recording, self.picture.box
        return {
            "recording": self.name,
            "verdict": self.verdict.word.value,
            "expected_motion_error": self.verdict.expected_error,
            "reasons": list(self.verdict.reasons),
            "unlike": list(self.verdict.unlike),
            "fails": [asdict(span) for span in self.fails],
            "picture": {
                "box": list(box),
                "share_of_frame": round(box.width * box.height / (recording.width * recording.height), 3),
                "covered_share": round(1.0 - float(self.picture.mask.mean()), 3),
                "notes": list(self.picture.notes),
            },
            "interlaced": recording.interlaced,
            "lens": {key: value for key, value in self.lens.as_dict().items() if key != "camera"},
            "figures": {name: _rounded(value) for name, value in asdict(self.figures).items()},
        }


def check(
    video: VideoPaths,
    *,
    withdrawal_start: float | str | None = None,
    withdrawal_end: float | str | None = None,
    camera: str | Path | None = None,
    flow: str | Path | None = None,
    motion: str | Path | None = None,
    quality: str | Path | None = None,
    fps: float | str | None = None,
    quiet: bool = False,
) -> RecordingCheck:
    """Look at stretches of a recording, and say whether `locate` with the same options is to be relied on.

    The options are those of `locate`; what is not given comes from a `haustra.toml` beside the recording.
    """
    given = {
        "withdrawal_start": withdrawal_start, "withdrawal_end": withdrawal_end, "camera": camera, "flow": flow,
        "motion": motion, "quality": quality, "fps": fps,
    }  # fmt: skip
    paths = paths_of(video)
    options = options_for(paths[0], given)
    recording = open_recording(paths, fps=options.fps)
    picture = find_picture(recording)
    with opencv_on_one_thread():
        lens = choose_lens(options.camera, recording, picture)
        model = None if options.quality == NO_QUALITY else QualityModel(options.quality)
        examiner = Examiner(recording, picture, lens.camera, open_motion(options.motion, flow=options.flow), model)
        with progress_bar("looking", STRETCHES, unit="stretches", quiet=quiet) as progress:
            stretches = examiner.stretches(options.withdrawal_start or 0.0, options.withdrawal_end, progress)
    if not stretches:
        raise HaustraError(f"{recording.path} has no two frames to compare in the part to look at: choose a longer one")
    return checked(recording, picture, lens, stretches)


def checked(
    recording: Recording, picture: Picture, lens: ChosenLens, stretches: Sequence[StretchFigures]
) -> RecordingCheck:
    """What the measured stretches say."""
    figures = together(stretches, recording.frame_rate)
    return RecordingCheck(
        recording.name, recording, picture, lens, figures, judge(figures, lens.relative_std), _failing(stretches)
    )


def _failing(stretches: Sequence[StretchFigures]) -> tuple[Span, ...]:
    """Neighbouring stretches with the same trouble as one span."""
    found = []
    for trouble, group in groupby(stretches, trouble_of):
        members = list(group)
        if trouble is not None:
            found.append(Span(round(members[0].start_s, 1), round(members[-1].end_s, 1), trouble))
    return tuple(found)


def _rounded(value: float) -> float | None:
    return round(value, 4) if np.isfinite(value) else None
