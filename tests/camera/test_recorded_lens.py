"""The lens that a run uses: found once, then kept in its summary; what is not found is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import haustra
from haustra.camera import write_camera
from haustra.camera.presets import MEASURED
from haustra.camera.recorded_lens import ChosenLens, LensSource, choose_lens
from haustra.camera.self_calibration import estimate
from haustra.video import Picture, Recording, find_picture, open_recording

DEMO = Path(haustra.__file__).parent / "data" / "demo" / "video.mp4"


@pytest.fixture(scope="module")
def demo() -> tuple[Recording, Picture]:
    recording = open_recording(DEMO)
    return recording, find_picture(recording)


@pytest.fixture(scope="module")
def found(demo: tuple[Recording, Picture]) -> ChosenLens:
    return choose_lens("auto", *demo, "this recording")


def test_a_lens_is_found_and_says_how_sure_it_is(found: ChosenLens) -> None:
    assert found.source is LensSource.FOUND
    assert not found.notes
    assert found.angle_deg is not None
    assert 130 < found.angle_deg < 175
    assert 0.03 < found.relative_std < 0.08


def test_the_lens_of_an_earlier_run_is_taken_without_looking(
    demo: tuple[Recording, Picture], found: ChosenLens, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = json.loads(json.dumps(found.as_dict()))
    monkeypatch.setattr(estimate, "lens_from_recordings", lambda _: pytest.fail("looked again"))
    assert choose_lens("auto", *demo, "this recording", kept) == found
    with pytest.raises(pytest.fail.Exception, match="looked again"):
        choose_lens("auto", *demo, "another recording", kept)
    with pytest.raises(pytest.fail.Exception, match="looked again"):
        choose_lens("auto", *demo, "this recording", kept | {"camera": {"model": "broken"}})


def test_a_recording_that_says_too_little_gets_a_typical_lens_and_a_note(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(60, 200, (120, 160, 3), np.uint8)
    for k in range(30):
        cv2.imwrite(str(tmp_path / f"{k:03d}.png"), picture)
    recording = open_recording(tmp_path, fps=15)
    lens = choose_lens("auto", recording, find_picture(recording), "this recording")
    assert lens.source is LensSource.TYPICAL
    assert lens.relative_std > 0.1
    assert "says too little about its lens" in lens.notes[0]


def test_a_given_lens_is_taken_as_it_is(demo: tuple[Recording, Picture], tmp_path: Path) -> None:
    camera = replace(MEASURED["mirocam"], stretch=((1.0, 0.0), (0.0, 1.0)))
    write_camera(tmp_path / "camera.json", camera)
    lens = choose_lens(str(tmp_path / "camera.json"), *demo)
    assert (lens.camera, lens.source, lens.relative_std, lens.notes) == (camera, LensSource.GIVEN, 0.0, ())
