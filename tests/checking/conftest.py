"""Stretches of the bundled recording, measured once for all tests of the check."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from haustra.camera import load_camera
from haustra.checking import stretches
from haustra.checking.stretch_figures import Examiner, StretchFigures
from haustra.demo import DEMO
from haustra.lab.evaluate.degraded.recordings import CopyKind, DegradedRecording
from haustra.motion import open_motion
from haustra.quality import QualityModel
from haustra.video import find_picture, open_recording


@pytest.fixture(scope="session")
def demo_stretches() -> Callable[[CopyKind], list[StretchFigures]]:
    """Four stretches of a copy of the bundled recording, with its true lens."""
    recording = open_recording(DEMO / "video.mp4")
    picture, estimator, quality = find_picture(recording), open_motion(), QualityModel()
    camera = load_camera(DEMO / "camera.json")

    def measured(kind: CopyKind) -> list[StretchFigures]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stretches, "STRETCHES", 4)
            examiner = Examiner(DegradedRecording(recording, kind), picture, camera, estimator, quality)
            return examiner.stretches()

    return measured


@pytest.fixture(scope="session")
def as_it_is(demo_stretches: Callable[[CopyKind], list[StretchFigures]]) -> list[StretchFigures]:
    return demo_stretches(CopyKind())
